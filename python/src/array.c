#include "array.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "call.h"
#include "schema.h"
#include "value.h"

/* What the library returned, shared by its Arrays and by what other libraries took of them. These
 * may release it from any thread, so that it counts for itself. */
typedef struct memory {
    atomic_size_t n_refs;
    struct ArrowSchema schema;
    struct ArrowArray array;
} memory;

typedef struct array_object {
    PyObject_HEAD memory *memory;
    const struct ArrowSchema *schema; /* a part of memory->schema */
    struct ArrowArray is;   /* a part of memory->array, from an offset and of a length of its own.
                               Never released. */
    const void *buffers[2]; /* of an Array of offsets: the members of `is` point here */
    struct ArrowSchema own; /* of an Array of offsets */
} array_object;

static memory *share(memory *m)
{
    m->n_refs++;
    return m;
}

static void unshare(memory *m)
{
    if (--m->n_refs == 0) {
        m->array.release(&m->array);
        m->schema.release(&m->schema);
        free(m);
    }
}

/* --- for other libraries ---------------------------------------------------------------------- */

/* A part that another library holds: its children are parts of their own, which may be moved. */
typedef struct exported {
    memory *memory;
    struct ArrowArray *children;
    struct ArrowArray **pointers;
    struct ArrowArray dictionary;
} exported;

static void release_part(struct ArrowArray *array)
{
    exported *const p = array->private_data;

    for (int64_t i = 0; i < array->n_children; i++) {
        if (p->children[i].release != NULL) {
            p->children[i].release(&p->children[i]);
        }
    }
    if (p->dictionary.release != NULL) {
        p->dictionary.release(&p->dictionary);
    }
    unshare(p->memory);
    free(p->children);
    free(p->pointers);
    free(p);
    array->release = NULL;
}

static bool export_part(memory *m, const struct ArrowArray *from, struct ArrowArray *out)
{
    const size_t n = (size_t)from->n_children;
    exported *const p = calloc(1, sizeof *p);

    *out = (struct ArrowArray){.release = NULL};
    if (p == NULL) {
        return false;
    }
    p->children = calloc(n + 1, sizeof *p->children);
    p->pointers = calloc(n + 1, sizeof(struct ArrowArray *));
    if (p->children == NULL || p->pointers == NULL) {
        free(p->children);
        free(p->pointers);
        free(p);
        return false;
    }
    p->memory = share(m);
    *out = *from;
    out->n_children = 0;
    out->children = p->pointers;
    out->dictionary = NULL;
    out->release = release_part;
    out->private_data = p;
    bool is_whole = true;
    for (size_t i = 0; i < n && is_whole; i++) {
        p->pointers[i] = &p->children[i];
        out->n_children = (int64_t)i + 1;
        is_whole = export_part(m, from->children[i], &p->children[i]);
    }
    if (is_whole && from->dictionary != NULL) {
        out->dictionary = &p->dictionary;
        is_whole = export_part(m, from->dictionary, &p->dictionary);
    }
    if (!is_whole) {
        release_part(out);
    }
    return is_whole;
}

static void free_capsule(PyObject *capsule)
{
    struct ArrowArray *const array = PyCapsule_GetPointer(capsule, "arrow_array");

    if (array != NULL && array->release != NULL) {
        array->release(array);
    }
    free(array);
}

static PyObject *capsules(PyObject *object, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"requested_schema", NULL};
    const array_object *const self = (array_object *)object;
    PyObject *requested = NULL;

    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "|O", names, &requested)) {
        return NULL;
    }
    if (self->schema == &self->own) { /* whose memory is the Python object's */
        PyErr_SetString(PyExc_TypeError, "offsets are for the buffer protocol only");
        return NULL;
    }
    struct ArrowArray *const array = calloc(1, sizeof *array);
    if (array == NULL || !export_part(self->memory, &self->is, array)) {
        free(array);
        return PyErr_NoMemory();
    }
    PyObject *const capsule = PyCapsule_New(array, "arrow_array", free_capsule);
    if (capsule == NULL) {
        array->release(array);
        free(array);
        return NULL;
    }
    PyObject *const schema = pystoa_schema_capsule(self->schema);
    PyObject *const both = schema != NULL ? PyTuple_Pack(2, schema, capsule) : NULL;
    Py_XDECREF(schema);
    Py_DECREF(capsule);
    return both;
}

static PyObject *schema_capsule(PyObject *self, PyObject *unused)
{
    (void)unused;
    return pystoa_schema_capsule(((array_object *)self)->schema);
}

/* --- making ----------------------------------------------------------------------------------- */

static array_object *make(const pystoa_state *state, memory *m, const struct ArrowSchema *schema,
                          const struct ArrowArray *array)
{
    array_object *const self = PyObject_New(array_object, state->array);

    if (self != NULL) {
        self->memory = share(m);
        self->schema = schema;
        self->is = *array;
        self->own = (struct ArrowSchema){.release = NULL};
    }
    return self;
}

PyObject *pystoa_array_new(const pystoa_state *state, struct ArrowSchema *schema,
                           struct ArrowArray *array)
{
    memory *const m = calloc(1, sizeof *m);

    if (m == NULL) {
        schema->release(schema);
        array->release(array);
        return PyErr_NoMemory();
    }
    *m = (memory){1, *schema, *array};
    schema->release = NULL;
    array->release = NULL;
    array_object *const self = make(state, m, &m->schema, &m->array);
    unshare(m);
    return (PyObject *)self;
}

static void dealloc(PyObject *object)
{
    unshare(((array_object *)object)->memory);
    pystoa_object_free(object);
}

/* Values [first, first + n) of an Array; how many are missing is not known of a part. */
static PyObject *slice(array_object *self, int64_t first, int64_t n)
{
    array_object *const part =
        make(pystoa_state_of((PyObject *)self), self->memory, self->schema, &self->is);

    if (part != NULL) {
        part->is.offset += first;
        part->is.length = n;
        part->is.null_count = self->is.null_count == 0 ? 0 : -1;
    }
    return (PyObject *)part;
}

/* A struct's child, of the struct's rows. */
static PyObject *child_at(array_object *self, int64_t i)
{
    array_object *const child = make(pystoa_state_of((PyObject *)self), self->memory,
                                     self->schema->children[i], self->is.children[i]);

    if (child != NULL) {
        child->is.offset += self->is.offset;
        if (child->is.length != self->is.length) {
            child->is.null_count = child->is.null_count == 0 ? 0 : -1;
        }
        child->is.length = self->is.length;
    }
    return (PyObject *)child;
}

/* --- values ----------------------------------------------------------------------------------- */

static bool is_struct(const array_object *self)
{
    return strcmp(self->schema->format, "+s") == 0;
}

static Py_ssize_t length(PyObject *self)
{
    return (Py_ssize_t)((array_object *)self)->is.length;
}

static PyObject *item(PyObject *object, Py_ssize_t i)
{
    array_object *const self = (array_object *)object;

    if (i < 0 || i >= self->is.length) {
        PyErr_SetString(PyExc_IndexError, "there is no such value");
        return NULL;
    }
    return pystoa_value(pystoa_state_of(object), self->schema, &self->is, i);
}

static PyObject *child_named(array_object *self, PyObject *key)
{
    const char *const name = pystoa_text(key);

    for (int64_t i = 0; name != NULL && is_struct(self) && i < self->schema->n_children; i++) {
        if (strcmp(self->schema->children[i]->name, name) == 0) {
            return child_at(self, i);
        }
    }
    if (name != NULL) {
        PyErr_SetObject(PyExc_KeyError, key);
    }
    return NULL;
}

static PyObject *subscript(PyObject *object, PyObject *key)
{
    array_object *const self = (array_object *)object;
    Py_ssize_t first;
    Py_ssize_t last;
    Py_ssize_t step;

    if (PyUnicode_Check(key)) {
        return child_named(self, key);
    }
    if (PySlice_Check(key)) {
        if (PySlice_Unpack(key, &first, &last, &step) < 0) {
            return NULL;
        }
        const Py_ssize_t n = PySlice_AdjustIndices(length(object), &first, &last, step);
        if (step != 1) {
            PyErr_SetString(PyExc_ValueError, "a slice of an Array has a step of 1; to_numpy() "
                                              "makes an array that has others");
            return NULL;
        }
        return slice(self, first, n);
    }
    const Py_ssize_t i = PyNumber_AsSsize_t(key, PyExc_IndexError);
    return i == -1 && PyErr_Occurred() ? NULL : item(object, i < 0 ? i + length(object) : i);
}

static PyObject *to_list(PyObject *object, PyObject *unused)
{
    const array_object *const self = (array_object *)object;

    (void)unused;
    return pystoa_value_list(pystoa_state_of(object), self->schema, &self->is);
}

static int64_t count_missing(const array_object *self)
{
    int64_t n = 0;

    if (self->schema->format[0] == 'n') {
        return self->is.length;
    }
    if (self->is.null_count >= 0) {
        return self->is.null_count;
    }
    for (int64_t i = 0; i < self->is.length; i++) {
        n += !pystoa_value_is_valid(&self->is, i);
    }
    return n;
}

/* A byte for each value: 1 where it is missing. None if none is. */
static PyObject *mask(PyObject *object, PyObject *unused)
{
    const array_object *const self = (array_object *)object;
    const bool is_null = self->schema->format[0] == 'n';

    (void)unused;
    if (count_missing(self) == 0) {
        Py_RETURN_NONE;
    }
    PyObject *const bytes = PyBytes_FromStringAndSize(NULL, length(object));
    char *const out = bytes != NULL ? PyBytes_AsString(bytes) : NULL;
    for (int64_t i = 0; out != NULL && i < self->is.length; i++) {
        out[i] = (char)(is_null || !pystoa_value_is_valid(&self->is, i));
    }
    return bytes;
}

/* A byte for each bool. */
static PyObject *bools(PyObject *object, PyObject *unused)
{
    const array_object *const self = (array_object *)object;

    (void)unused;
    if (strcmp(self->schema->format, "b") != 0) {
        PyErr_SetString(PyExc_TypeError, "these are no bools");
        return NULL;
    }
    PyObject *const bytes = PyBytes_FromStringAndSize(NULL, length(object));
    char *const out = bytes != NULL ? PyBytes_AsString(bytes) : NULL;
    const uint8_t *const bits = self->is.buffers[1];
    for (int64_t i = 0; out != NULL && i < self->is.length; i++) {
        const int64_t at = self->is.offset + i;
        out[i] = (char)(bits[at / 8] >> (at % 8) & 1);
    }
    return bytes;
}

/* The items of lists: those of these lists where each has the same number, else all that the
 * offsets count from. */
static PyObject *items(PyObject *object, PyObject *unused)
{
    array_object *const self = (array_object *)object;

    (void)unused;
    if (self->schema->format[0] != '+' || self->schema->n_children != 1 || is_struct(self)) {
        PyErr_SetString(PyExc_TypeError, "these are no lists");
        return NULL;
    }
    array_object *const all = make(pystoa_state_of(object), self->memory, self->schema->children[0],
                                   self->is.children[0]);
    if (all != NULL && self->schema->format[1] == 'w') {
        const long n = strtol(self->schema->format + 3, NULL, 10);
        PyObject *const part = slice(all, self->is.offset * n, self->is.length * n);
        Py_DECREF(all);
        return part;
    }
    return (PyObject *)all;
}

/* Where each list begins, and behind the last one where it ends. */
static PyObject *offsets(PyObject *object, PyObject *unused)
{
    array_object *const self = (array_object *)object;
    const char *const format = self->schema->format;

    (void)unused;
    if (strchr("uUzZ", format[0]) == NULL && strcmp(format, "+l") != 0 &&
        strcmp(format, "+L") != 0) {
        PyErr_SetString(PyExc_TypeError, "these are no texts and no lists of variable length");
        return NULL;
    }
    array_object *const made = make(pystoa_state_of(object), self->memory, self->schema, &self->is);
    if (made != NULL) {
        const bool is_wide = strchr("UZL", format[strlen(format) - 1]) != NULL;
        made->buffers[0] = NULL;
        made->buffers[1] = self->is.buffers[1];
        made->own = (struct ArrowSchema){.format = is_wide ? "l" : "i", .name = ""};
        made->schema = &made->own;
        made->is = (struct ArrowArray){.length = self->is.length + 1,
                                       .offset = self->is.offset,
                                       .n_buffers = 2,
                                       .buffers = made->buffers};
    }
    return (PyObject *)made;
}

static PyObject *get_dictionary(PyObject *object, void *unused)
{
    array_object *const self = (array_object *)object;

    (void)unused;
    if (self->schema->dictionary == NULL) {
        Py_RETURN_NONE;
    }
    return (PyObject *)make(pystoa_state_of(object), self->memory, self->schema->dictionary,
                            self->is.dictionary);
}

static PyObject *get_null_count(PyObject *self, void *unused)
{
    (void)unused;
    return PyLong_FromLongLong(count_missing((array_object *)self));
}

static PyObject *get_schema(PyObject *object, void *unused)
{
    const array_object *const self = (array_object *)object;
    struct ArrowSchema copy;

    (void)unused;
    return pystoa_schema_copy(self->schema, &copy)
               ? pystoa_schema_new(pystoa_state_of(object), &copy)
               : PyErr_NoMemory();
}

static PyObject *get_type(PyObject *self, void *unused)
{
    (void)unused;
    return pystoa_schema_type(((array_object *)self)->schema);
}

static PyObject *get_format(PyObject *self, void *unused)
{
    (void)unused;
    return pystoa_str(((array_object *)self)->schema->format);
}

static PyObject *to_numpy(PyObject *object, PyObject *unused)
{
    (void)unused;
    return PyObject_CallMethod(pystoa_state_of(object)->values, "to_numpy", "O", object);
}

static PyObject *repr(PyObject *object)
{
    return PyObject_CallMethod(pystoa_state_of(object)->values, "array_repr", "O", object);
}

/* --- the buffer protocol ---------------------------------------------------------------------- */

/* Bytes of a value, and its format in the words of struct; NULL if it is no number or time. */
static const char *buffer_format(const char *format, Py_ssize_t *width)
{
    static const struct {
        const char *arrow;
        const char *python;
        Py_ssize_t width;
    } known[] = {{"c", "b", 1}, {"C", "B", 1}, {"s", "h", 2}, {"S", "H", 2},
                 {"i", "i", 4}, {"I", "I", 4}, {"l", "q", 8}, {"L", "Q", 8},
                 {"e", "e", 2}, {"f", "f", 4}, {"g", "d", 8}, {"tdD", "i", 4}};

    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(format, known[i].arrow) == 0) {
            *width = known[i].width;
            return known[i].python;
        }
    }
    *width = strncmp(format, "w:", 2) == 0 ? strtol(format + 2, NULL, 10) : 8;
    return strncmp(format, "w:", 2) == 0                                    ? ""
           : strncmp(format, "ts", 2) == 0 || strncmp(format, "tD", 2) == 0 ? "q"
                                                                            : NULL;
}

/* Shape and stride of a view, and the format of opaque bytes, which has their number. */
typedef struct buffer_parts {
    Py_ssize_t shape[1];
    Py_ssize_t strides[1];
    char format[24];
} buffer_parts;

static int get_buffer(PyObject *object, Py_buffer *view, int flags)
{
    const array_object *const self = (array_object *)object;
    Py_ssize_t width = 0;
    const char *const format = buffer_format(self->schema->format, &width);

    view->obj = NULL;
    if (format == NULL || (flags & PyBUF_WRITABLE) == PyBUF_WRITABLE) {
        PyErr_SetString(PyExc_BufferError,
                        format == NULL
                            ? "values of this type lie not beside each other; to_numpy() "
                              "and to_list() give them"
                            : "an Array is not writable");
        return -1;
    }
    buffer_parts *const parts = malloc(sizeof *parts);
    if (parts == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    static const char nothing[1];
    const char *const values = self->is.length > 0 ? self->is.buffers[1] : nothing;
    (void)PyOS_snprintf(parts->format, sizeof parts->format, "%lds", (long)width);
    parts->shape[0] = (Py_ssize_t)self->is.length;
    parts->strides[0] = width;
    *view = (Py_buffer){
        .buf = (char *)(uintptr_t)values + (self->is.length > 0 ? self->is.offset * width : 0),
        .obj = Py_NewRef(object),
        .len = (Py_ssize_t)self->is.length * width,
        .itemsize = width,
        .readonly = 1,
        .ndim = 1,
        .format = (flags & PyBUF_FORMAT) == 0 ? NULL
                  : *format == '\0'           ? parts->format
                                              : (char *)(uintptr_t)format,
        .shape = (flags & PyBUF_ND) != 0 ? parts->shape : NULL,
        .strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? parts->strides : NULL,
        .internal = parts,
    };
    return 0;
}

static void release_buffer(PyObject *object, Py_buffer *view)
{
    (void)object;
    free(view->internal);
}

/* --- the type --------------------------------------------------------------------------------- */

static PyGetSetDef members[] = {
    {"schema", get_schema, NULL, "Name, type and metadata.", NULL},
    {"type", get_type, NULL, "The type in words, such as 'float64'.", NULL},
    {"format", get_format, NULL, "The type as a format of the Arrow C data interface.", NULL},
    {"dictionary", get_dictionary, NULL, "The labels of categories, or None.", NULL},
    {"null_count", get_null_count, NULL, "The number of missing values.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef methods[] = {
    {"to_list", to_list, METH_NOARGS, "The values as Python objects, None for missing ones."},
    {"to_numpy", to_numpy, METH_NOARGS, "The values as a NumPy array, masked if some are missing."},
    {"_mask", mask, METH_NOARGS, "A byte for each value, 1 where it is missing, or None."},
    {"_bools", bools, METH_NOARGS, "A byte for each bool."},
    {"_items", items, METH_NOARGS, "The items of lists."},
    {"_offsets", offsets, METH_NOARGS, "Where texts and lists begin."},
    {"__arrow_c_array__", (PyCFunction)(void (*)(void))capsules, METH_VARARGS | METH_KEYWORDS,
     "The array as a pair of Arrow PyCapsules."},
    {"__arrow_c_schema__", schema_capsule, METH_NOARGS, "The type as an Arrow PyCapsule."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, "Values of a column, or a batch of rows whose columns are found by name. Arrow "
                "libraries take it as it is; numbers and times also have the buffer protocol."},
    {Py_tp_dealloc, dealloc},
    {Py_tp_repr, repr},
    {Py_tp_getset, members},
    {Py_tp_methods, methods},
    {Py_sq_length, length},
    {Py_sq_item, item},
    {Py_mp_length, length},
    {Py_mp_subscript, subscript},
    {Py_bf_getbuffer, get_buffer},
    {Py_bf_releasebuffer, release_buffer},
    {0, NULL},
};

PyType_Spec pystoa_array_spec = {
    "pystoa.Array", sizeof(array_object), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE, slots};
