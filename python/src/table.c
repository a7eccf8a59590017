#include "table.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "call.h"
#include "schema.h"

typedef struct table_object {
    PyObject_HEAD pystoa_handle *handle;
} table_object;

/* --- opening and closing ---------------------------------------------------------------------- */

/* The names of a set, as bytes; the array borrows them from the tuple. */
static const char **names_of(PyObject *files, size_t *n)
{
    const char **const names = calloc((size_t)PyTuple_Size(files) + 1, sizeof(char *));

    *n = 0;
    for (Py_ssize_t i = 0; names != NULL && i < PyTuple_Size(files); i++) {
        names[*n] = PyBytes_AsString(PyTuple_GetItem(files, i));
        if (names[(*n)++] == NULL) {
            free(names);
            return NULL;
        }
    }
    if (names == NULL) {
        PyErr_NoMemory();
    }
    return names;
}

static int init(PyObject *object, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"path",    "object", "files", "follow_external",
                            "by_name", "strict", "map",   NULL};
    table_object *const self = (table_object *)object;
    PyObject *text = NULL;
    PyObject *path = NULL;
    PyObject *files = NULL;
    int follow = 0;
    int by_name = 0;
    int strict = 0;
    int map = 0;
    pystoa_handle *handle = NULL;
    stoa_error err = STOA_ERROR_INIT;
    stoa_status status;

    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O&|OO!pppp", names,
                                     PyUnicode_FSConverter, &path, &text, &PyTuple_Type, &files,
                                     &follow, &by_name, &strict, &map)) {
        return -1;
    }
    pystoa_place place = {.path = PyBytes_AsString(path),
                          .follow_external = follow != 0,
                          .by_name = by_name != 0,
                          .strict = strict != 0,
                          .map = map != 0};
    place.object = pystoa_text_or_null(text);
    place.files = files != NULL && !PyErr_Occurred() ? names_of(files, &place.n_files) : NULL;
    if (PyErr_Occurred()) {
        Py_DECREF(path);
        return -1;
    }
    PyThreadState *const python = PyEval_SaveThread();
    status = pystoa_handle_open(&place, pystoa_patience(), &handle, &err);
    PyEval_RestoreThread(python);
    free((void *)(uintptr_t)place.files);
    Py_DECREF(path);
    if (status != STOA_OK) {
        (void)pystoa_raise(pystoa_state_of(object), &err);
        return -1;
    }
    pystoa_handle *const old = self->handle;
    self->handle = handle;
    pystoa_handle_release(old);
    return 0;
}

static void dealloc(PyObject *object)
{
    pystoa_handle *const handle = ((table_object *)object)->handle;

    PyThreadState *const python = PyEval_SaveThread();
    pystoa_handle_release(handle);
    PyEval_RestoreThread(python);
    pystoa_object_free(object);
}

pystoa_handle *pystoa_table_handle(const pystoa_state *state, PyObject *object)
{
    if (!PyObject_TypeCheck(object, state->table)) {
        PyErr_Format(PyExc_TypeError, "expected a Table, not %R", (PyObject *)Py_TYPE(object));
        return NULL;
    }
    pystoa_handle *const handle = ((table_object *)object)->handle;
    if (handle == NULL) {
        PyErr_SetString(PyExc_ValueError, "the table is not open");
    }
    return handle;
}

static PyObject *close_it(PyObject *object, PyObject *unused)
{
    pystoa_handle *const handle = ((table_object *)object)->handle;

    (void)unused;
    if (handle != NULL) {
        PyThreadState *const python = PyEval_SaveThread();
        pystoa_handle_close(handle);
        PyEval_RestoreThread(python);
    }
    Py_RETURN_NONE;
}

static PyObject *get_closed(PyObject *object, void *unused)
{
    const pystoa_handle *const handle = ((table_object *)object)->handle;

    (void)unused;
    return PyBool_FromLong(handle == NULL || pystoa_handle_is_closed(handle));
}

static PyObject *get_running(PyObject *object, void *unused)
{
    const pystoa_handle *const handle = ((table_object *)object)->handle;

    (void)unused;
    return PyLong_FromSize_t(handle != NULL ? pystoa_handle_n_runs(handle) : 0);
}

/* --- uses ------------------------------------------------------------------------------------- */

/* Use the table as the file has it now; NULL with an exception. */
static stoa_table *enter(PyObject *object)
{
    const pystoa_state *const state = pystoa_state_of(object);
    pystoa_handle *const handle = pystoa_table_handle(state, object);
    stoa_table *table = NULL;
    stoa_error err = STOA_ERROR_INIT;
    stoa_status status;

    if (handle == NULL) {
        return NULL;
    }
    PyThreadState *const python = PyEval_SaveThread();
    status = pystoa_handle_enter(handle, &table, &err);
    if (status == STOA_OK) {
        status = stoa_table_use(table, NULL, &err);
        if (status != STOA_OK) {
            pystoa_handle_leave(handle);
        }
    }
    PyEval_RestoreThread(python);
    if (status != STOA_OK) {
        (void)pystoa_raise(state, &err);
        return NULL;
    }
    return table;
}

static void leave(PyObject *object, stoa_table *table)
{
    stoa_table_release(table);
    pystoa_handle_leave(((table_object *)object)->handle);
}

static Py_ssize_t length(PyObject *self)
{
    stoa_table *const table = enter(self);
    Py_ssize_t n = -1;

    if (table != NULL) {
        n = (Py_ssize_t)stoa_table_n_rows(table);
        leave(self, table);
    }
    return n;
}

static PyObject *get_text(PyObject *self, void *asks)
{
    stoa_table *const table = enter(self);
    PyObject *text = NULL;

    if (table != NULL) {
        text = pystoa_str(((const char *(*)(const stoa_table *))asks)(table));
        leave(self, table);
    }
    return text;
}

static const char *index_column_name(const stoa_table *table, size_t i)
{
    return stoa_column_name(stoa_table_index_column(table, i));
}

static const char *left_out_name(const stoa_table *table, size_t i)
{
    return stoa_table_left_out(table, i)->name;
}

/* What has names in a table. */
typedef struct named {
    size_t (*count)(const stoa_table *table);
    const char *(*name)(const stoa_table *table, size_t i);
} named;

static const named columns = {stoa_table_n_columns, stoa_table_column_name};
static const named index_columns = {stoa_table_n_index_columns, index_column_name};
static const named left_out = {stoa_table_n_left_out, left_out_name};

static PyObject *get_names(PyObject *self, void *what)
{
    const named *const of = what;
    stoa_table *const table = enter(self);
    const size_t n = table != NULL ? of->count(table) : 0;
    PyObject *list = table != NULL ? PyList_New((Py_ssize_t)n) : NULL;

    for (size_t i = 0; list != NULL && i < n; i++) {
        PyObject *const text = pystoa_str(of->name(table, i));
        if (text == NULL || PyList_SetItem(list, (Py_ssize_t)i, text) < 0) {
            Py_CLEAR(list);
        }
    }
    if (table != NULL) {
        leave(self, table);
    }
    return list;
}

static PyObject *get_schema(PyObject *self, void *unused)
{
    stoa_table *const table = enter(self);
    struct ArrowSchema stored = {.release = NULL};
    struct ArrowSchema schema = {.release = NULL};
    stoa_error err = STOA_ERROR_INIT;
    stoa_status status;

    (void)unused;
    if (table == NULL) {
        return NULL;
    }
    PyThreadState *const python = PyEval_SaveThread();
    status = stoa_table_schema(table, &stored, &err);
    leave(self, table);
    if (status == STOA_OK) {
        status = stoa_schema_cast(&stored, NULL, &schema, &err);
        stored.release(&stored);
    }
    PyEval_RestoreThread(python);
    const pystoa_state *const state = pystoa_state_of(self);
    return status == STOA_OK ? pystoa_schema_new(state, &schema) : pystoa_raise(state, &err);
}

static void add_unreadable(void *list, const char *column, const stoa_error *why)
{
    const PyGILState_STATE state = PyGILState_Ensure();
    PyObject *const item =
        Py_BuildValue("NNN", pystoa_str(column), pystoa_str(why->where), pystoa_str(why->message));

    if (item != NULL) {
        (void)PyList_Append(list, item);
    }
    Py_XDECREF(item);
    PyGILState_Release(state);
}

/* The columns of a query of all of them, or None, and those that cannot be read. */
static PyObject *readable(PyObject *self, PyObject *unused)
{
    PyObject *const list = PyList_New(0);
    stoa_table *const table = list != NULL ? enter(self) : NULL;
    stoa_error err = STOA_ERROR_INIT;
    stoa_status status;
    char *good = NULL;
    size_t n = 0;

    (void)unused;
    if (table == NULL) {
        Py_XDECREF(list);
        return NULL;
    }
    PyThreadState *const python = PyEval_SaveThread();
    status = stoa_query_readable(table, add_unreadable, list, &good, &n, &err);
    leave(self, table);
    PyEval_RestoreThread(python);
    PyObject *const text = pystoa_str(good);
    stoa_free(good);
    if (status != STOA_OK || PyErr_Occurred()) {
        Py_DECREF(list);
        Py_XDECREF(text);
        return PyErr_Occurred() ? NULL : pystoa_raise(pystoa_state_of(self), &err);
    }
    return Py_BuildValue("NN", text, list);
}

static stoa_column *find(stoa_table *table, const char *name, stoa_error *err)
{
    stoa_column *const column = stoa_table_find(table, name);

    if (column == NULL) {
        (void)pystoa_fail(err, STOA_ENOTFOUND, "there is no column '%s'", name);
    }
    return column;
}

static void release_nothing(struct ArrowSchema *schema)
{
    schema->release = NULL;
}

/* Make of values what they were when they were written. */
static stoa_status cast(struct ArrowSchema *schema, struct ArrowArray *array, stoa_error *err)
{
    struct ArrowSchema *field = schema;
    struct ArrowArray *values = array;
    const struct ArrowSchema rows = {.format = "+s",
                                     .name = "",
                                     .n_children = 1,
                                     .children = &field,
                                     .release = release_nothing};
    struct ArrowArray batch = {.length = array->length, .n_children = 1, .children = &values};
    struct ArrowSchema made = {.release = NULL};
    stoa_status status = stoa_schema_cast(&rows, NULL, &made, err);

    if (status == STOA_OK) {
        status = stoa_batch_cast(&rows, &made, &batch, err);
    }
    if (status == STOA_OK) {
        schema->release(schema);
        *schema = *made.children[0];
        made.children[0]->release = NULL;
    }
    if (made.release != NULL) {
        made.release(&made);
    }
    return status;
}

static PyObject *read_column(PyObject *self, PyObject *arguments)
{
    const pystoa_state *const state = pystoa_state_of(self);
    const char *name;
    unsigned long long first;
    unsigned long long count;
    struct ArrowSchema schema = {.release = NULL};
    struct ArrowArray array = {.release = NULL};
    stoa_error err = STOA_ERROR_INIT;
    stoa_status status = STOA_ENOTFOUND;

    if (!PyArg_ParseTuple(arguments, "sKK", &name, &first, &count)) {
        return NULL;
    }
    stoa_table *const table = enter(self);
    if (table == NULL) {
        return NULL;
    }
    PyThreadState *const python = PyEval_SaveThread();
    stoa_column *const column = find(table, name, &err);
    if (column != NULL) {
        status = stoa_column_schema(column, &schema, &err);
    }
    if (status == STOA_OK) {
        status = stoa_column_read(column, first, count, &array, &err);
    }
    leave(self, table);
    if (status == STOA_OK) {
        status = cast(&schema, &array, &err);
    }
    PyEval_RestoreThread(python);
    if (status != STOA_OK) {
        if (array.release != NULL) {
            array.release(&array);
        }
        if (schema.release != NULL) {
            schema.release(&schema);
        }
        return pystoa_raise(state, &err);
    }
    return pystoa_array_new(state, &schema, &array);
}

static PyObject *storage(PyObject *self, PyObject *arguments)
{
    const char *name;
    stoa_column_storage is = STOA_COLUMN_STORAGE_INIT;
    stoa_error err = STOA_ERROR_INIT;
    stoa_status status = STOA_ENOTFOUND;

    if (!PyArg_ParseTuple(arguments, "s", &name)) {
        return NULL;
    }
    stoa_table *const table = enter(self);
    if (table == NULL) {
        return NULL;
    }
    PyThreadState *const python = PyEval_SaveThread();
    const stoa_column *const column = find(table, name, &err);
    if (column != NULL) {
        status = stoa_column_storage_of(column, &is, &err);
    }
    leave(self, table);
    PyEval_RestoreThread(python);
    if (status != STOA_OK) {
        return pystoa_raise(pystoa_state_of(self), &err);
    }
    return Py_BuildValue("{s:s,s:s,s:s,s:K,s:K,s:K,s:K}", "datatype", is.datatype, "layout",
                         is.layout, "filters", is.filters, "chunk_rows",
                         (unsigned long long)is.chunk_rows, "extent", (unsigned long long)is.extent,
                         "stored_bytes", (unsigned long long)is.n_stored_bytes, "raw_bytes",
                         (unsigned long long)is.n_raw_bytes);
}

/* --- attributes ------------------------------------------------------------------------------- */

static bool add_attribute(void *list, const stoa_attribute *attribute)
{
    const PyGILState_STATE state = PyGILState_Ensure();
    PyObject *const item =
        Py_BuildValue("NNO", pystoa_str(attribute->name), pystoa_str(attribute->value),
                      attribute->is_text ? Py_True : Py_False);
    const bool is_added = item != NULL && PyList_Append(list, item) == 0;

    Py_XDECREF(item);
    PyGILState_Release(state);
    return is_added;
}

static PyObject *attributes(PyObject *self, PyObject *column)
{
    const char *const name = pystoa_text_or_null(column);
    PyObject *const list = name != NULL || column == Py_None ? PyList_New(0) : NULL;
    stoa_table *const table = list != NULL ? enter(self) : NULL;
    stoa_error err = STOA_ERROR_INIT;
    stoa_status status;

    if (table == NULL) {
        Py_XDECREF(list);
        return NULL;
    }
    PyThreadState *const python = PyEval_SaveThread();
    status = stoa_attribute_visit(table, name, add_attribute, list, &err);
    leave(self, table);
    PyEval_RestoreThread(python);
    if (status != STOA_OK || PyErr_Occurred()) {
        Py_DECREF(list);
        return pystoa_raise(pystoa_state_of(self), &err);
    }
    return list;
}

/* --- indexes ---------------------------------------------------------------------------------- */

static bool add_index(void *list, const stoa_index_info *info)
{
    const PyGILState_STATE state = PyGILState_Ensure();
    PyObject *const index = Py_BuildValue(
        "{s:N,s:N,s:N,s:N,s:K,s:K,s:O,s:O,s:N}", "column", pystoa_str(info->column), "kind",
        pystoa_str(info->kind), "path", pystoa_str(info->path), "description",
        pystoa_str(info->description), "entries", (unsigned long long)info->n_entries, "bytes",
        (unsigned long long)info->n_bytes, "usable", info->usable ? Py_True : Py_False, "stale",
        info->stale ? Py_True : Py_False, "problem", pystoa_str(info->problem));
    const bool is_added = index != NULL && PyList_Append(list, index) == 0;

    Py_XDECREF(index);
    PyGILState_Release(state);
    return is_added;
}

static PyObject *indexes(PyObject *self, PyObject *unused)
{
    PyObject *const list = PyList_New(0);
    stoa_table *const table = list != NULL ? enter(self) : NULL;
    stoa_error err = STOA_ERROR_INIT;
    stoa_status status;

    (void)unused;
    if (table == NULL) {
        Py_XDECREF(list);
        return NULL;
    }
    PyThreadState *const python = PyEval_SaveThread();
    status = stoa_index_visit(table, add_index, list, &err);
    leave(self, table);
    PyEval_RestoreThread(python);
    if (status != STOA_OK || PyErr_Occurred()) {
        Py_DECREF(list);
        return pystoa_raise(pystoa_state_of(self), &err);
    }
    return list;
}

static PyObject *get_trust(PyObject *self, void *unused)
{
    static const char *const words[] = {"none", "holds", "changed", "touched"};
    stoa_table *const table = enter(self);
    stoa_trust trust;

    (void)unused;
    if (table == NULL) {
        return NULL;
    }
    PyThreadState *const python = PyEval_SaveThread();
    trust = pystoa_handle_trust(((table_object *)self)->handle);
    leave(self, table);
    PyEval_RestoreThread(python);
    return PyUnicode_FromString(words[trust]);
}

/* --- the type --------------------------------------------------------------------------------- */

static PyGetSetDef members[] = {
    {"closed", get_closed, NULL, "Whether close() was called.", NULL},
    {"object", get_text, NULL, "The path of the table in its file.", (void *)stoa_table_path},
    {"layout", get_text, NULL, "The layout, such as 'hep001'.", (void *)stoa_table_layout},
    {"title", get_text, NULL, "The title, or None.", (void *)stoa_table_title},
    {"description", get_text, NULL, "What the table holds, or None.",
     (void *)stoa_table_description},
    {"columns", get_names, NULL, "The names of the columns, in order.",
     (void *)(uintptr_t)&columns},
    {"index_columns", get_names, NULL, "The columns that label rows, outermost first.",
     (void *)(uintptr_t)&index_columns},
    {"left_out", get_names, NULL, "Objects in the table that Stoa does not know.",
     (void *)(uintptr_t)&left_out},
    {"schema", get_schema, NULL, "Names, types and units of the columns.", NULL},
    {"_trust", get_trust, NULL, "Whether indexes are trusted: none, holds, changed or touched.",
     NULL},
    {"_running", get_running, NULL, "The number of results that are not read to their end.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef methods[] = {
    {"close", close_it, METH_NOARGS, "Close the table. Results that are being read stay readable."},
    {"_read", read_column, METH_VARARGS, "_read(column, first, count): an Array of these rows."},
    {"_storage", storage, METH_VARARGS, "_storage(column): how it is stored, as a dict."},
    {"_attributes", attributes, METH_O,
     "_attributes(column): names, values and whether they are texts; None: of the table."},
    {"_readable", readable, METH_NOARGS,
     "The columns for a query of all, None if that is all; and those that cannot be read."},
    {"_indexes", indexes, METH_NOARGS, "The search indexes, a dict for each."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc,
     "Table(path, object=None, files=(), follow_external=False, by_name=False, strict=False, "
     "map=False)\n--\n\n"
     "What the class pystoa.Table is made of."},
    {Py_tp_init, init},
    {Py_tp_dealloc, dealloc},
    {Py_tp_getset, members},
    {Py_tp_methods, methods},
    {Py_sq_length, length},
    {0, NULL},
};

PyType_Spec pystoa_table_spec = {"pystoa._pystoa.Table", sizeof(table_object), 0,
                                 Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
