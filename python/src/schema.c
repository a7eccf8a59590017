#include "schema.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "call.h"

typedef struct schema_object {
    PyObject_HEAD struct ArrowSchema
        own;                      /* released with the object; of a child released already */
    const struct ArrowSchema *is; /* `own`, or a part of the parent's */
    PyObject *parent;
} schema_object;

/* --- metadata --------------------------------------------------------------------------------- */

/* Keys and values are pairs of a length and bytes, after the number of pairs. */
typedef struct pairs {
    const char *at;
    int32_t n;
} pairs;

static int32_t next_number(pairs *p)
{
    int32_t number;

    memcpy(&number, p->at, sizeof number);
    p->at += sizeof number;
    return number;
}

static pairs pairs_of(const struct ArrowSchema *schema)
{
    pairs p = {schema->metadata, 0};

    p.n = p.at != NULL ? next_number(&p) : 0;
    return p;
}

static const char *next_text(pairs *p, int32_t *length)
{
    *length = next_number(p);
    const char *const text = p->at;
    p->at += *length;
    return text;
}

static size_t metadata_size(const struct ArrowSchema *schema)
{
    pairs p = pairs_of(schema);
    int32_t length;

    for (int32_t i = 0; i < 2 * p.n; i++) {
        (void)next_text(&p, &length);
    }
    return (size_t)(p.at - schema->metadata);
}

PyObject *pystoa_schema_metadata(const struct ArrowSchema *schema, const char *key)
{
    pairs p = pairs_of(schema);

    for (int32_t i = 0; i < p.n; i++) {
        int32_t n_key;
        int32_t n_value;
        const char *const found = next_text(&p, &n_key);
        const char *const value = next_text(&p, &n_value);

        if ((size_t)n_key == strlen(key) && memcmp(found, key, (size_t)n_key) == 0) {
            return PyUnicode_DecodeUTF8(value, n_value, "surrogateescape");
        }
    }
    Py_RETURN_NONE;
}

/* Keys and values in their order: other libraries write some keys many times. */
static PyObject *list_of(const struct ArrowSchema *schema)
{
    PyObject *const list = PyList_New(0);
    pairs p = pairs_of(schema);

    for (int32_t i = 0; list != NULL && i < p.n; i++) {
        int32_t n_key;
        int32_t n_value;
        const char *const key = next_text(&p, &n_key);
        const char *const value = next_text(&p, &n_value);
        PyObject *const name = PyUnicode_DecodeUTF8(key, n_key, "surrogateescape");
        PyObject *const text = PyUnicode_DecodeUTF8(value, n_value, "surrogateescape");
        PyObject *const pair = name != NULL && text != NULL ? PyTuple_Pack(2, name, text) : NULL;
        const bool is_added = pair != NULL && PyList_Append(list, pair) == 0;

        Py_XDECREF(name);
        Py_XDECREF(text);
        Py_XDECREF(pair);
        if (!is_added) {
            Py_DECREF(list);
            return NULL;
        }
    }
    return list;
}

static PyObject *all_metadata(const struct ArrowSchema *schema)
{
    PyObject *all = PyDict_New();
    PyObject *const list = list_of(schema);

    if (all != NULL && (list == NULL || PyDict_MergeFromSeq2(all, list, 1) < 0)) {
        Py_CLEAR(all);
    }
    Py_XDECREF(list);
    return all;
}

static PyObject *list_metadata(PyObject *module, PyObject *capsule)
{
    const struct ArrowSchema *const schema = PyCapsule_GetPointer(capsule, "arrow_schema");

    (void)module;
    return schema != NULL ? list_of(schema) : NULL;
}

PyMethodDef pystoa_schema_functions[] = {
    {"_metadata", list_metadata, METH_O, "The metadata of an Arrow schema in a PyCapsule."},
    {NULL, NULL, 0, NULL},
};

/* --- copies ----------------------------------------------------------------------------------- */

static void release_copy(struct ArrowSchema *schema)
{
    for (int64_t i = 0; i < schema->n_children; i++) {
        if (schema->children[i] != NULL && schema->children[i]->release != NULL) {
            schema->children[i]->release(schema->children[i]);
        }
        free(schema->children[i]);
    }
    free(schema->children);
    if (schema->dictionary != NULL && schema->dictionary->release != NULL) {
        schema->dictionary->release(schema->dictionary);
    }
    free(schema->dictionary);
    free((void *)(uintptr_t)schema->format);
    free((void *)(uintptr_t)schema->name);
    free((void *)(uintptr_t)schema->metadata);
    schema->release = NULL;
}

static char *copy_bytes(const char *from, size_t size)
{
    char *const to = from != NULL ? malloc(size + 1) : NULL;

    if (to != NULL) {
        memcpy(to, from, size);
        to[size] = '\0';
    }
    return to;
}

static bool copy_part(const struct ArrowSchema *from, struct ArrowSchema **out)
{
    *out = calloc(1, sizeof **out);
    return *out != NULL && pystoa_schema_copy(from, *out);
}

bool pystoa_schema_copy(const struct ArrowSchema *from, struct ArrowSchema *out)
{
    const char *const name = from->name != NULL ? from->name : "";
    bool is_whole;

    *out = (struct ArrowSchema){.flags = from->flags, .release = release_copy};
    out->format = copy_bytes(from->format, strlen(from->format));
    out->name = copy_bytes(name, strlen(name));
    out->metadata = copy_bytes(from->metadata, metadata_size(from));
    is_whole = out->format != NULL && out->name != NULL &&
               (out->metadata != NULL) == (from->metadata != NULL);
    if (is_whole && from->n_children > 0) {
        out->children = calloc((size_t)from->n_children, sizeof(struct ArrowSchema *));
        is_whole = out->children != NULL;
    }
    for (int64_t i = 0; is_whole && i < from->n_children; i++) {
        out->n_children = i + 1;
        is_whole = copy_part(from->children[i], &out->children[i]);
    }
    if (is_whole && from->dictionary != NULL) {
        is_whole = copy_part(from->dictionary, &out->dictionary);
    }
    if (!is_whole) {
        release_copy(out);
    }
    return is_whole;
}

static char *put_text(char *at, const char *text)
{
    const int32_t length = (int32_t)strlen(text);

    memcpy(at, &length, sizeof length);
    memcpy(at + sizeof length, text, (size_t)length);
    return at + sizeof length + length;
}

bool pystoa_schema_note(struct ArrowSchema *schema, const char *key, const char *value)
{
    const int32_t n = pairs_of(schema).n + 1;
    const size_t old = schema->metadata != NULL ? metadata_size(schema) - sizeof n : 0;
    char *const longer = malloc(3 * sizeof n + old + strlen(key) + strlen(value));

    if (longer == NULL) {
        return false;
    }
    memcpy(longer, &n, sizeof n);
    if (old > 0) {
        memcpy(longer + sizeof n, schema->metadata + sizeof n, old);
    }
    (void)put_text(put_text(longer + sizeof n + old, key), value);
    free((void *)(uintptr_t)schema->metadata);
    schema->metadata = longer;
    return true;
}

static void free_capsule(PyObject *capsule)
{
    struct ArrowSchema *const schema = PyCapsule_GetPointer(capsule, "arrow_schema");

    if (schema != NULL && schema->release != NULL) {
        schema->release(schema);
    }
    free(schema);
}

PyObject *pystoa_schema_capsule(const struct ArrowSchema *schema)
{
    struct ArrowSchema *const copy = calloc(1, sizeof *copy);

    if (copy == NULL || !pystoa_schema_copy(schema, copy)) {
        free(copy);
        return PyErr_NoMemory();
    }
    PyObject *const capsule = PyCapsule_New(copy, "arrow_schema", free_capsule);
    if (capsule == NULL) {
        copy->release(copy);
        free(copy);
    }
    return capsule;
}

/* --- types in words --------------------------------------------------------------------------- */

static const char *unit_of(char letter)
{
    return letter == 's' ? "s" : letter == 'm' ? "ms" : letter == 'u' ? "us" : "ns";
}

static PyObject *list_type(const struct ArrowSchema *schema, const char *count)
{
    PyObject *const item = pystoa_schema_type(schema->children[0]);
    PyObject *const type = item == NULL    ? NULL
                           : count != NULL ? PyUnicode_FromFormat("list<%U>[%s]", item, count)
                                           : PyUnicode_FromFormat("list<%U>", item);

    Py_XDECREF(item);
    return type;
}

static PyObject *struct_type(const struct ArrowSchema *schema)
{
    PyObject *all = PyUnicode_FromString("struct<");

    for (int64_t i = 0; all != NULL && i < schema->n_children; i++) {
        PyObject *const type = pystoa_schema_type(schema->children[i]);
        PyObject *const longer = type == NULL
                                     ? NULL
                                     : PyUnicode_FromFormat("%U%s%s: %U%s", all, i > 0 ? ", " : "",
                                                            schema->children[i]->name, type,
                                                            i + 1 == schema->n_children ? ">" : "");

        Py_XDECREF(type);
        Py_DECREF(all);
        all = longer;
    }
    return all;
}

PyObject *pystoa_schema_type(const struct ArrowSchema *schema)
{
    static const struct {
        const char *format;
        const char *name;
    } plain[] = {{"n", "null"},    {"b", "bool"},   {"c", "int8"},    {"s", "int16"},
                 {"i", "int32"},   {"l", "int64"},  {"C", "uint8"},   {"S", "uint16"},
                 {"I", "uint32"},  {"L", "uint64"}, {"e", "float16"}, {"f", "float32"},
                 {"g", "float64"}, {"u", "string"}, {"U", "string"},  {"z", "binary"},
                 {"Z", "binary"},  {"tdD", "date"}};
    const char *const format = schema->format;

    if (schema->dictionary != NULL) {
        PyObject *const labels = pystoa_schema_type(schema->dictionary);
        PyObject *const type = labels != NULL ? PyUnicode_FromFormat("category<%U>", labels) : NULL;
        Py_XDECREF(labels);
        return type;
    }
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        if (strcmp(format, plain[i].format) == 0) {
            return PyUnicode_FromString(plain[i].name);
        }
    }
    if (strncmp(format, "ts", 2) == 0) {
        const char *const zone = format + 4;
        return PyUnicode_FromFormat("timestamp[%s%s%s]", unit_of(format[2]),
                                    *zone != '\0' ? ", " : "", zone);
    }
    if (strncmp(format, "tD", 2) == 0) {
        return PyUnicode_FromFormat("duration[%s]", unit_of(format[2]));
    }
    if (strncmp(format, "tt", 2) == 0) {
        return PyUnicode_FromFormat("time[%s]", unit_of(format[2]));
    }
    if (strncmp(format, "d:", 2) == 0) {
        return PyUnicode_FromFormat("decimal[%s]", format + 2);
    }
    if (strncmp(format, "w:", 2) == 0) {
        return PyUnicode_FromFormat("binary[%s]", format + 2);
    }
    if (strcmp(format, "+l") == 0 || strcmp(format, "+L") == 0) {
        return list_type(schema, NULL);
    }
    if (strncmp(format, "+w:", 3) == 0) {
        return list_type(schema, format + 3);
    }
    return strcmp(format, "+s") == 0 ? struct_type(schema) : PyUnicode_FromString(format);
}

/* --- the Python type -------------------------------------------------------------------------- */

PyObject *pystoa_schema_new(const pystoa_state *state, struct ArrowSchema *schema)
{
    schema_object *const self = PyObject_New(schema_object, state->schema);

    if (self == NULL) {
        schema->release(schema);
        return NULL;
    }
    self->own = *schema;
    self->is = &self->own;
    self->parent = NULL;
    schema->release = NULL;
    return (PyObject *)self;
}

static PyObject *part_of(schema_object *parent, const struct ArrowSchema *part)
{
    schema_object *const self =
        PyObject_New(schema_object, pystoa_state_of((PyObject *)parent)->schema);

    if (self != NULL) {
        self->own = (struct ArrowSchema){.release = NULL};
        self->is = part;
        self->parent = Py_NewRef((PyObject *)parent);
    }
    return (PyObject *)self;
}

static void dealloc(PyObject *object)
{
    schema_object *const self = (schema_object *)object;

    if (self->own.release != NULL) {
        self->own.release(&self->own);
    }
    Py_XDECREF(self->parent);
    pystoa_object_free(object);
}

static Py_ssize_t length(PyObject *self)
{
    return (Py_ssize_t)((schema_object *)self)->is->n_children;
}

static PyObject *item(PyObject *object, Py_ssize_t i)
{
    schema_object *const self = (schema_object *)object;

    if (i < 0 || i >= self->is->n_children) {
        PyErr_SetString(PyExc_IndexError, "there is no such field");
        return NULL;
    }
    return part_of(self, self->is->children[i]);
}

static PyObject *subscript(PyObject *object, PyObject *key)
{
    schema_object *const self = (schema_object *)object;

    if (PyUnicode_Check(key)) {
        const char *const name = pystoa_text(key);

        for (int64_t i = 0; name != NULL && i < self->is->n_children; i++) {
            if (strcmp(name, self->is->children[i]->name) == 0) {
                return part_of(self, self->is->children[i]);
            }
        }
        if (name == NULL) {
            return NULL;
        }
        PyErr_SetObject(PyExc_KeyError, key);
        return NULL;
    }
    const Py_ssize_t i = PyNumber_AsSsize_t(key, PyExc_IndexError);
    return i == -1 && PyErr_Occurred() ? NULL : item(object, i < 0 ? i + length(object) : i);
}

static PyObject *get_name(PyObject *self, void *unused)
{
    (void)unused;
    return pystoa_str(((schema_object *)self)->is->name);
}

static PyObject *get_names(PyObject *object, void *unused)
{
    const struct ArrowSchema *const is = ((schema_object *)object)->is;
    PyObject *const names = PyList_New((Py_ssize_t)is->n_children);

    (void)unused;
    for (int64_t i = 0; names != NULL && i < is->n_children; i++) {
        PyObject *const name = pystoa_str(is->children[i]->name);
        if (name == NULL || PyList_SetItem(names, (Py_ssize_t)i, name) < 0) {
            Py_DECREF(names);
            return NULL;
        }
    }
    return names;
}

static PyObject *get_type(PyObject *self, void *unused)
{
    (void)unused;
    return pystoa_schema_type(((schema_object *)self)->is);
}

static PyObject *get_format(PyObject *self, void *unused)
{
    (void)unused;
    return pystoa_str(((schema_object *)self)->is->format);
}

static PyObject *get_dictionary(PyObject *object, void *unused)
{
    schema_object *const self = (schema_object *)object;

    (void)unused;
    return self->is->dictionary != NULL ? part_of(self, self->is->dictionary) : Py_NewRef(Py_None);
}

static PyObject *get_flag(PyObject *self, void *flag)
{
    return PyBool_FromLong((long)(((schema_object *)self)->is->flags & (int64_t)(intptr_t)flag));
}

static PyObject *get_text(PyObject *self, void *key)
{
    return pystoa_schema_metadata(((schema_object *)self)->is, key);
}

static PyObject *get_metadata(PyObject *self, void *unused)
{
    (void)unused;
    return all_metadata(((schema_object *)self)->is);
}

static PyObject *capsule(PyObject *self, PyObject *unused)
{
    (void)unused;
    return pystoa_schema_capsule(((schema_object *)self)->is);
}

static PyObject *repr(PyObject *object)
{
    return PyObject_CallMethod(pystoa_state_of(object)->values, "schema_repr", "O", object);
}

static PyGetSetDef members[] = {
    {"name", get_name, NULL, "The name of the field.", NULL},
    {"names", get_names, NULL, "The names of the fields inside, in order.", NULL},
    {"type", get_type, NULL, "The type in words, such as 'float64'.", NULL},
    {"format", get_format, NULL, "The type as a format of the Arrow C data interface.", NULL},
    {"nullable", get_flag, NULL, "Whether values may be missing.",
     (void *)(intptr_t)ARROW_FLAG_NULLABLE},
    {"ordered", get_flag, NULL, "Whether the order of categories has a meaning.",
     (void *)(intptr_t)ARROW_FLAG_DICTIONARY_ORDERED},
    {"dictionary", get_dictionary, NULL, "The type of the labels of categories, or None.", NULL},
    {"units", get_text, NULL, "The units of the values, or None.", (void *)(uintptr_t) "units"},
    {"description", get_text, NULL, "What the values are, or None.",
     (void *)(uintptr_t) "description"},
    {"metadata", get_metadata, NULL, "All metadata of the field, as a dict of str.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef methods[] = {
    {"__arrow_c_schema__", capsule, METH_NOARGS, "The schema as an Arrow PyCapsule."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, "A field, or the fields of a table. Arrow libraries take it as it is."},
    {Py_tp_dealloc, dealloc},
    {Py_tp_repr, repr},
    {Py_tp_getset, members},
    {Py_tp_methods, methods},
    {Py_sq_length, length},
    {Py_sq_item, item},
    {Py_mp_length, length},
    {Py_mp_subscript, subscript},
    {0, NULL},
};

PyType_Spec pystoa_schema_spec = {
    "pystoa.Schema", sizeof(schema_object), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE, slots};
