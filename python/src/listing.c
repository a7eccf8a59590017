/* Functions that look at a whole file: what is in it, and whether it keeps HEP001. */
#include <hdf5.h>

#include "call.h"

/* What a visitor of the library fills. It is called without the GIL. */
typedef struct listing {
    PyObject *list;
    PyObject *other; /* a second list, or NULL */
} listing;

/* Append what the visitor made; false with an exception, which ends the walk. */
static bool append(PyObject *list, PyObject *item)
{
    const bool is_added = item != NULL && PyList_Append(list, item) == 0;

    Py_XDECREF(item);
    return is_added;
}

static bool add_table(void *context, const stoa_object *object)
{
    const listing *const all = context;
    const PyGILState_STATE state = PyGILState_Ensure();
    const bool is_added =
        append(all->list,
               Py_BuildValue("{s:N,s:N,s:N,s:K,s:K,s:K,s:N}", "path", pystoa_str(object->path),
                             "layout", pystoa_str(object->layout), "kind", pystoa_str(object->kind),
                             "rows", (unsigned long long)object->n_rows, "columns",
                             (unsigned long long)object->n_columns, "bytes",
                             (unsigned long long)object->n_bytes, "left_out",
                             pystoa_str(object->left_out)));

    PyGILState_Release(state);
    return is_added;
}

static bool add_array(void *context, const stoa_array_object *array)
{
    const listing *const all = context;
    const PyGILState_STATE state = PyGILState_Ensure();
    PyObject *const shape = PyTuple_New((Py_ssize_t)array->rank);
    bool is_added = shape != NULL;

    for (unsigned i = 0; is_added && i < array->rank; i++) {
        PyObject *const extent = PyLong_FromUnsignedLongLong(array->extent[i]);
        is_added = extent != NULL && PyTuple_SetItem(shape, (Py_ssize_t)i, extent) == 0;
    }
    if (is_added) {
        is_added =
            append(all->other,
                   Py_BuildValue("{s:N,s:N,s:N,s:O,s:K}", "path", pystoa_str(array->path), "layout",
                                 pystoa_str(array->layout), "kind", pystoa_str(array->kind),
                                 "shape", shape, "bytes", (unsigned long long)array->n_bytes));
    }
    Py_XDECREF(shape);
    PyGILState_Release(state);
    return is_added;
}

/* An object that cannot be opened is listed with the reason. */
static void add_unopened(void *context, const char *path, const char *why)
{
    const listing *const all = context;
    const PyGILState_STATE state = PyGILState_Ensure();

    (void)append(all->list, Py_BuildValue("{s:N,s:s,s:N}", "path", pystoa_str(path), "kind",
                                          "unreadable", "problem", pystoa_str(why)));
    PyGILState_Release(state);
}

static stoa_status open_for_reading(const char *path, int follows, stoa_file **file,
                                    stoa_error *err)
{
    stoa_file_options options = STOA_FILE_OPTIONS_INIT;
    const stoa_file_patience patience = pystoa_patience();

    options.patience = &patience;
    options.follow_external = follows != 0;
    return stoa_file_open_with(path, STOA_FILE_READ, &options, file, err);
}

/* Fail unless there is such a file, and it is one of HDF5. */
static PyObject *probe(PyObject *module, PyObject *arguments)
{
    PyObject *path = NULL;
    int follows = 0;
    stoa_error err = STOA_ERROR_INIT;
    stoa_file *file = NULL;
    stoa_status status;

    if (!PyArg_ParseTuple(arguments, "O&p", PyUnicode_FSConverter, &path, &follows)) {
        return NULL;
    }
    const char *const name = PyBytes_AsString(path);
    PyThreadState *const python = PyEval_SaveThread();
    status = open_for_reading(name, follows, &file, &err);
    stoa_file_close(file);
    PyEval_RestoreThread(python);
    Py_DECREF(path);
    return status == STOA_OK ? Py_NewRef(Py_None) : pystoa_raise(PyModule_GetState(module), &err);
}

static PyObject *objects(PyObject *module, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"path", "follow_external", NULL};
    PyObject *path = NULL;
    int follows = 0;
    stoa_layout_visitors visitors = STOA_LAYOUT_VISITORS_INIT;
    stoa_error err = STOA_ERROR_INIT;
    stoa_file *file = NULL;
    stoa_status status;

    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O&|p", names, PyUnicode_FSConverter,
                                     &path, &follows)) {
        return NULL;
    }
    const char *const name = PyBytes_AsString(path);
    listing all = {PyList_New(0), PyList_New(0)};
    visitors.table = add_table;
    visitors.array = add_array;
    visitors.unopened = add_unopened;
    PyThreadState *const python = PyEval_SaveThread();
    status = open_for_reading(name, follows, &file, &err);
    if (status == STOA_OK) {
        status = stoa_layout_visit_all(stoa_file_id(file), &visitors, &all, &err);
    }
    stoa_file_close(file);
    PyEval_RestoreThread(python);
    Py_DECREF(path);
    PyObject *const both = status == STOA_OK && PyErr_Occurred() == NULL
                               ? PyTuple_Pack(2, all.list, all.other)
                               : pystoa_raise(PyModule_GetState(module), &err);
    Py_XDECREF(all.list);
    Py_XDECREF(all.other);
    return both;
}

/* The name of the first file of a set that `path` stands for, or None if it names a file. */
static PyObject *find_file(PyObject *module, PyObject *path)
{
    PyObject *const bytes = pystoa_path(path);
    stoa_error err = STOA_ERROR_INIT;
    char *found = NULL;
    stoa_status status;

    if (bytes == NULL) {
        return NULL;
    }
    const char *const name = PyBytes_AsString(bytes);
    PyThreadState *const python = PyEval_SaveThread();
    status = stoa_layout_find_file(name, &found, &err);
    PyEval_RestoreThread(python);
    Py_DECREF(bytes);
    PyObject *const result = status != STOA_OK ? pystoa_raise(PyModule_GetState(module), &err)
                             : found != NULL   ? PyUnicode_DecodeFSDefault(found)
                                               : Py_NewRef(Py_None);
    stoa_free(found);
    return result;
}

/* --- check ------------------------------------------------------------------------------------ */

static bool add_finding(void *context, const stoa_finding *finding)
{
    const listing *const all = context;
    const PyGILState_STATE state = PyGILState_Ensure();
    const bool is_added = append(
        all->list,
        Py_BuildValue("{s:N,s:s,s:s,s:s,s:N,s:O,s:N,s:s}", "path", pystoa_str(finding->path),
                      "level", finding->level, "section", finding->section, "rule", finding->rule,
                      "message", pystoa_str(finding->message), "refuses",
                      finding->refuses ? Py_True : Py_False, "column", pystoa_str(finding->column),
                      "revision", stoa_revision_name(finding->revision)));

    PyGILState_Release(state);
    return is_added;
}

static PyObject *check(PyObject *module, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"path", "object", "strict", "indexes", "threads", "progress", NULL};
    PyObject *path = NULL;
    PyObject *progress = Py_None;
    const char *object = NULL;
    int strict = 0;
    int indexes = 0;
    stoa_check_options options = STOA_CHECK_OPTIONS_INIT;
    pystoa_call call = PYSTOA_CALL_INIT;
    stoa_file *file = NULL;
    stoa_status status;

    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O&|zppO&O", names, PyUnicode_FSConverter,
                                     &path, &object, &strict, &indexes, pystoa_small_count,
                                     &options.threads, &progress)) {
        return NULL;
    }
    const char *const name = PyBytes_AsString(path);
    listing all = {PyList_New(0), NULL};
    options.strict = strict != 0;
    options.indexes = indexes != 0;
    call.progress = progress != Py_None ? progress : NULL;
    options.listener = pystoa_listener(&call);
    PyThreadState *const python = PyEval_SaveThread();
    status = open_for_reading(name, 0, &file, &call.err);
    if (status == STOA_OK) {
        status = stoa_check(stoa_file_id(file), object, &options, add_finding, &all, NULL, NULL,
                            &call.err);
    }
    stoa_file_close(file);
    PyEval_RestoreThread(python);
    Py_DECREF(path);
    if (status != STOA_OK || PyErr_Occurred() != NULL) {
        Py_XDECREF(all.list);
        return pystoa_raise(PyModule_GetState(module), &call.err);
    }
    return all.list;
}

/* For tests: what is open in this module's libhdf5. */
static PyObject *open_ids(PyObject *module, PyObject *unused)
{
    ssize_t n;

    (void)module;
    (void)unused;
    PyThreadState *const python = PyEval_SaveThread();
    stoa_hdf5_lock();
    n = H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL);
    stoa_hdf5_unlock();
    PyEval_RestoreThread(python);
    return PyLong_FromSsize_t((Py_ssize_t)n);
}

PyMethodDef pystoa_listing_functions[] = {
    {"_open_ids", open_ids, METH_NOARGS, "The number of open HDF5 objects."},
    {"probe", probe, METH_VARARGS,
     "probe(path, follow_external): fail unless it is a file of HDF5."},
    {"objects", (PyCFunction)(void (*)(void))objects, METH_VARARGS | METH_KEYWORDS,
     "The tables and the sparse arrays of a file: two lists of dicts."},
    {"find_file", find_file, METH_O, "The first file of a set that a name stands for, or None."},
    {"check", (PyCFunction)(void (*)(void))check, METH_VARARGS | METH_KEYWORDS,
     "What breaks HEP001 in a table, or in all of a file: a list of dicts."},
    {NULL, NULL, 0, NULL},
};
