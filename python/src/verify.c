/* Functions that compare indexes with their columns, and repair them. Queries use the indexes of a
 * table afterwards, if they are right (docs/indexes.md#trust). */
#include <stdlib.h>
#include <string.h>

#include "call.h"
#include "session.h"

typedef struct request {
    const char *path;
    const char *object;
    stoa_index_options options;
    PyObject *list;
    char **columns; /* those that have an index that is not stale, each once */
    size_t n_columns;
    bool is_full; /* memory ran out */
    bool is_wrong;
} request;

static bool add(PyObject *list, PyObject *item)
{
    const bool is_added = item != NULL && PyList_Append(list, item) == 0;

    Py_XDECREF(item);
    return is_added;
}

/* --- compare ---------------------------------------------------------------------------------- */

/* Indexes are visited in the order of their columns. */
static bool note_column(void *context, const stoa_index_info *info)
{
    request *const r = context;
    char **longer;

    if (info->stale ||
        (r->n_columns > 0 && strcmp(r->columns[r->n_columns - 1], info->column) == 0)) {
        return true;
    }
    longer = realloc(r->columns, (r->n_columns + 1) * sizeof *longer);
    if (longer == NULL) {
        r->is_full = true;
        return false;
    }
    r->columns = longer;
    longer[r->n_columns] = strdup(info->column);
    r->is_full = longer[r->n_columns] == NULL;
    r->n_columns += !r->is_full;
    return !r->is_full;
}

/* A wrong index is an answer: the call succeeds, and `err` has the place. */
static stoa_status compare_one(request *r, const stoa_table *table, const char *column,
                               stoa_error *err)
{
    bool same = false;
    const stoa_status status = stoa_index_verify_with(table, column, NULL, &r->options, &same, err);

    if (status != STOA_OK) {
        return status;
    }
    r->is_wrong = r->is_wrong || !same;
    const PyGILState_STATE state = PyGILState_Ensure();
    (void)add(r->list, Py_BuildValue("NON", pystoa_str(column), same ? Py_True : Py_False,
                                     pystoa_str(same ? "" : err->message)));
    PyGILState_Release(state);
    *err = (stoa_error)STOA_ERROR_INIT;
    return STOA_OK;
}

static stoa_status trust(const request *r, const stoa_table *table, const char *stamp,
                         stoa_error *err)
{
    uint64_t generation = 0;
    const bool has = stoa_trust_generation(stoa_table_id(table), r->object, &generation);

    return stoa_trust_record(r->path, r->object, has ? &generation : NULL, stamp, err);
}

static stoa_status compare_all(request *r, const stoa_table *table, stoa_error *err)
{
    char *stamp = NULL;
    stoa_status status = stoa_index_visit(table, note_column, r, err);

    if (status == STOA_OK && r->is_full) {
        status = pystoa_fail(err, STOA_ENOMEM, "memory ran out");
    }
    if (status == STOA_OK && r->n_columns > 0) {
        status = stoa_trust_stamp(r->path, &stamp, err); /* the state that is compared */
    }
    for (size_t i = 0; status == STOA_OK && i < r->n_columns; i++) {
        status = compare_one(r, table, r->columns[i], err);
    }
    if (status == STOA_OK && r->n_columns > 0 && !r->is_wrong) {
        status = trust(r, table, stamp, err);
    }
    stoa_free(stamp);
    return status;
}

/* Edits wait until the comparison is over. */
static stoa_status compare(request *r, stoa_error *err)
{
    stoa_file_options options = STOA_FILE_OPTIONS_INIT;
    const stoa_file_patience patience = pystoa_patience();
    stoa_file *file = NULL;
    stoa_table *table = NULL;
    stoa_status status;

    options.patience = &patience;
    options.holds_edits = true;
    status = stoa_file_open_with(r->path, STOA_FILE_READ, &options, &file, err);
    if (status == STOA_OK) {
        status = stoa_table_open(stoa_file_id(file), r->object, &table, err);
    }
    if (status == STOA_OK) {
        status = compare_all(r, table, err);
    }
    stoa_table_close(table);
    stoa_file_close(file);
    return status;
}

/* --- repair ----------------------------------------------------------------------------------- */

static void add_repaired(void *context, const stoa_index_repaired *index)
{
    static const char *const words[] = {
        [STOA_REPAIR_NOTHING] = "right",   [STOA_REPAIR_TOKENS] = "renewed",
        [STOA_REPAIR_REBUILT] = "rebuilt", [STOA_REPAIR_DROPPED] = "dropped",
        [STOA_REPAIR_LEFT] = "left",
    };
    const request *const r = context;
    const PyGILState_STATE state = PyGILState_Ensure();

    (void)add(r->list, Py_BuildValue("NNsN", pystoa_str(index->column), pystoa_str(index->kind),
                                     words[index->done], pystoa_str(index->problem)));
    PyGILState_Release(state);
}

static stoa_status repair(request *r, stoa_error *err)
{
    pystoa_session session = PYSTOA_SESSION_INIT;
    stoa_table *table = NULL;
    stoa_status status = pystoa_session_open(&session, r->path, STOA_FILE_EDIT, err);

    if (status == STOA_OK) {
        status = stoa_table_open(stoa_file_id(session.file), r->object, &table, err);
    }
    if (status == STOA_OK) {
        status = stoa_index_repair_with(table, &r->options, add_repaired, r, err);
    }
    stoa_table_close(table);
    if (status == STOA_OK) {
        status = pystoa_session_commit(&session, r->object, true, err);
    }
    pystoa_session_close(&session);
    return status;
}

/* --- functions -------------------------------------------------------------------------------- */

static PyObject *run(PyObject *module, PyObject *arguments, PyObject *keywords,
                     stoa_status (*does)(request *r, stoa_error *err))
{
    static char *names[] = {"path", "object", "threads", "progress", NULL};
    request r = {.options = STOA_INDEX_OPTIONS_INIT};
    pystoa_call call = PYSTOA_CALL_INIT;
    PyObject *path = NULL;
    PyObject *progress = Py_None;
    stoa_status status;

    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O&s|O&O", names, PyUnicode_FSConverter,
                                     &path, &r.object, pystoa_small_count, &r.options.threads,
                                     &progress)) {
        return NULL;
    }
    r.list = PyList_New(0);
    if (r.list == NULL) {
        Py_DECREF(path);
        return NULL;
    }
    r.path = PyBytes_AsString(path);
    call.progress = progress != Py_None ? progress : NULL;
    r.options.listener = pystoa_listener(&call);
    PyThreadState *const python = PyEval_SaveThread();
    status = does(&r, &call.err);
    PyEval_RestoreThread(python);
    for (size_t i = 0; i < r.n_columns; i++) {
        free(r.columns[i]);
    }
    free(r.columns);
    Py_DECREF(path);
    if (status != STOA_OK || PyErr_Occurred() != NULL) {
        Py_DECREF(r.list);
        return pystoa_raise(PyModule_GetState(module), &call.err);
    }
    return r.list;
}

static PyObject *verify_indexes(PyObject *module, PyObject *arguments, PyObject *keywords)
{
    return run(module, arguments, keywords, compare);
}

static PyObject *repair_indexes(PyObject *module, PyObject *arguments, PyObject *keywords)
{
    return run(module, arguments, keywords, repair);
}

PyMethodDef pystoa_verify_functions[] = {
    {"verify_indexes", (PyCFunction)(void (*)(void))verify_indexes, METH_VARARGS | METH_KEYWORDS,
     "Compare indexes with their columns: tuples of a column, whether they are right, and a text."},
    {"repair_indexes", (PyCFunction)(void (*)(void))repair_indexes, METH_VARARGS | METH_KEYWORDS,
     "Repair indexes: tuples of a column, a kind, what was done, and what was wrong."},
    {NULL, NULL, 0, NULL},
};
