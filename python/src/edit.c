/* Functions that change a table in a file: all of it or nothing. */
#include <string.h>

#include "call.h"
#include "input.h"
#include "parameters.h"
#include "session.h"
#include "strings.h"

/* One edit. The members behind `options` are those that it needs. */
typedef struct edit edit;
typedef stoa_status deed(edit *e, stoa_table *table, stoa_error *err);

struct edit {
    PyObject *path; /* bytes */
    const char *object;
    int is_safe; /* on a copy of the file, which replaces it */
    pystoa_call call;
    stoa_edit_options options;
    pystoa_input input;
    pystoa_parameters parameters;
    pystoa_strings texts;
    const char *where;
    const char *column;
    const char *kind;
    const char *value;
    unsigned long long number;
    uint64_t n;  /* rows that were changed */
    bool trusts; /* the edit made all usable indexes of the table */
};

#define EDIT_INIT                                                                                  \
    {                                                                                              \
        .call = PYSTOA_CALL_INIT, .options = STOA_EDIT_OPTIONS_INIT, .input = PYSTOA_INPUT_INIT    \
    }

static bool is_home(const stoa_table *table)
{
    return strcmp(stoa_table_layout(table), "hep001") == 0;
}

static stoa_status append_rows(edit *e, stoa_table *table, stoa_error *err)
{
    return is_home(table) ? stoa_table_append(table, &e->input.stream, &e->options, &e->n, err)
                          : stoa_layout_append(table, &e->input.stream, &e->options, &e->n, err);
}

static stoa_status perform(edit *e, deed *does, stoa_error *err)
{
    const stoa_file_mode mode = e->is_safe ? STOA_FILE_SAFE : STOA_FILE_EDIT;
    pystoa_session session = PYSTOA_SESSION_INIT;
    stoa_table *table = NULL;
    stoa_status status = pystoa_session_open(&session, PyBytes_AsString(e->path), mode, err);

    if (status == STOA_OK) {
        status = stoa_table_open(stoa_file_id(session.file), e->object, &table, err);
    }
    if (status == STOA_OK && does == append_rows && stoa_layout_has_files(table)) {
        stoa_table_close(table); /* its layout opens the files itself */
        pystoa_session_close(&session);
        return stoa_layout_append_files(PyBytes_AsString(e->path), e->object, &e->input.stream,
                                        &e->options, e->is_safe != 0, NULL, &e->n, err);
    }
    if (status == STOA_OK) {
        status = does(e, table, err);
    }
    stoa_table_close(table);
    if (status == STOA_OK) {
        status = pystoa_session_commit(&session, e->object, e->trusts, err);
    }
    pystoa_session_close(&session);
    return status;
}

static void clear(edit *e)
{
    pystoa_input_close(&e->input);
    pystoa_parameters_clear(&e->parameters);
    pystoa_strings_clear(&e->texts);
    Py_CLEAR(e->path);
}

/* Perform the edit and clear it; false with an exception. */
static bool finish(const pystoa_state *state, edit *e, PyObject *progress, deed *does)
{
    stoa_status status;

    e->call.progress = progress != Py_None ? progress : NULL;
    e->options.listener = pystoa_listener(&e->call);
    e->options.parameters = e->parameters.items;
    e->options.n_parameters = e->parameters.n;
    PyThreadState *const python = PyEval_SaveThread();
    status = perform(e, does, &e->call.err);
    PyEval_RestoreThread(python);
    if (status != STOA_OK && (e->input.stream.release == NULL || !pystoa_input_raise(&e->input))) {
        (void)pystoa_raise(state, &e->call.err);
    }
    clear(e);
    return status == STOA_OK;
}

/* --- rows ------------------------------------------------------------------------------------- */

static PyObject *append(PyObject *module, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"path",    "object",   "data", "missing", "drop_indexes",
                            "threads", "progress", "safe", NULL};
    pystoa_state *const state = PyModule_GetState(module);
    edit e = EDIT_INIT;
    PyObject *data;
    PyObject *missing = NULL;
    PyObject *progress = Py_None;
    int drops = 0;

    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O&sO|OpO&Op", names,
                                     PyUnicode_FSConverter, &e.path, &e.object, &data, &missing,
                                     &drops, pystoa_small_count, &e.options.threads, &progress,
                                     &e.is_safe)) {
        return NULL;
    }
    if (!pystoa_strings_of(missing, 2, &e.texts) ||
        !pystoa_input_open(state, data, Py_None, &e.input)) {
        clear(&e);
        return NULL;
    }
    e.options.missing = (const void *)e.texts.items;
    e.options.n_missing = e.texts.n;
    e.options.drop_indexes = drops != 0;
    return finish(state, &e, progress, append_rows) ? PyLong_FromUnsignedLongLong(e.n) : NULL;
}

static stoa_status update_rows(edit *e, stoa_table *table, stoa_error *err)
{
    return stoa_table_update(table, e->where, (const void *)e->texts.items, e->texts.n, &e->options,
                             &e->n, err);
}

static PyObject *update(PyObject *module, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"path",         "object",   "where", "assignments", "parameters",
                            "drop_indexes", "progress", "safe",  NULL};
    pystoa_state *const state = PyModule_GetState(module);
    edit e = EDIT_INIT;
    PyObject *assignments;
    PyObject *parameters = NULL;
    PyObject *progress = Py_None;
    int drops = 0;

    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O&szO|OpOp", names,
                                     PyUnicode_FSConverter, &e.path, &e.object, &e.where,
                                     &assignments, &parameters, &drops, &progress, &e.is_safe)) {
        return NULL;
    }
    if (!pystoa_strings_of(assignments, 2, &e.texts) ||
        !pystoa_parameters_of(state, parameters, &e.parameters)) {
        clear(&e);
        return NULL;
    }
    e.options.drop_indexes = drops != 0;
    return finish(state, &e, progress, update_rows) ? PyLong_FromUnsignedLongLong(e.n) : NULL;
}

static stoa_status delete_rows(edit *e, stoa_table *table, stoa_error *err)
{
    return stoa_table_delete(table, e->where, &e->options, &e->n, err);
}

static PyObject *delete (PyObject *module, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"path",         "object",   "where", "parameters",
                            "drop_indexes", "progress", "safe",  NULL};
    pystoa_state *const state = PyModule_GetState(module);
    edit e = EDIT_INIT;
    PyObject *parameters = NULL;
    PyObject *progress = Py_None;
    int drops = 0;

    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O&ss|OpOp", names, PyUnicode_FSConverter,
                                     &e.path, &e.object, &e.where, &parameters, &drops, &progress,
                                     &e.is_safe)) {
        return NULL;
    }
    if (!pystoa_parameters_of(state, parameters, &e.parameters)) {
        clear(&e);
        return NULL;
    }
    e.options.drop_indexes = drops != 0;
    return finish(state, &e, progress, delete_rows) ? PyLong_FromUnsignedLongLong(e.n) : NULL;
}

/* --- indexes ---------------------------------------------------------------------------------- */

static bool count_usable(void *n, const stoa_index_info *info)
{
    *(size_t *)n += info->usable;
    return true;
}

/* Trust is of a whole table: an index that was there already rules it out, unless it was trusted.
 */
static stoa_status build_index(edit *e, stoa_table *table, stoa_error *err)
{
    stoa_index_options options = STOA_INDEX_OPTIONS_INIT;
    size_t n_usable = 0;
    stoa_status status = stoa_index_visit(table, count_usable, &n_usable, err);

    options.listener = e->options.listener;
    if (status == STOA_OK && e->kind == NULL) {
        status = stoa_index_advise(table, e->column, &e->kind, err);
        if (status == STOA_OK && e->kind == NULL) {
            status =
                pystoa_fail(err, STOA_ETYPE, "no index is of use for the type of '%s'", e->column);
        }
    }
    e->trusts = n_usable == 0;
    return status == STOA_OK ? stoa_index_add(table, e->column, e->kind, &options, err) : status;
}

static PyObject *add_index(PyObject *module, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"path", "object", "column", "kind", "progress", "safe", NULL};
    edit e = EDIT_INIT;
    PyObject *progress = Py_None;

    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O&ss|zOp", names, PyUnicode_FSConverter,
                                     &e.path, &e.object, &e.column, &e.kind, &progress,
                                     &e.is_safe)) {
        return NULL;
    }
    return finish(PyModule_GetState(module), &e, progress, build_index) ? pystoa_str(e.kind) : NULL;
}

static stoa_status remove_index(edit *e, stoa_table *table, stoa_error *err)
{
    return stoa_index_drop(table, e->column, e->kind, err);
}

static PyObject *drop_index(PyObject *module, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"path", "object", "column", "kind", "safe", NULL};
    edit e = EDIT_INIT;

    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O&ss|zp", names, PyUnicode_FSConverter,
                                     &e.path, &e.object, &e.column, &e.kind, &e.is_safe)) {
        return NULL;
    }
    return finish(PyModule_GetState(module), &e, Py_None, remove_index) ? Py_NewRef(Py_None) : NULL;
}

/* --- attributes ------------------------------------------------------------------------------- */

static stoa_status set_attribute(edit *e, stoa_table *table, stoa_error *err)
{
    return stoa_table_annotate(table, e->column, e->kind, e->value, err);
}

static PyObject *annotate(PyObject *module, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"path", "object", "column", "attribute", "value", "safe", NULL};
    edit e = EDIT_INIT;

    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O&szsz|p", names, PyUnicode_FSConverter,
                                     &e.path, &e.object, &e.column, &e.kind, &e.value,
                                     &e.is_safe)) {
        return NULL;
    }
    return finish(PyModule_GetState(module), &e, Py_None, set_attribute) ? Py_NewRef(Py_None)
                                                                         : NULL;
}

#define FUNCTION(name, does)                                                                       \
    {                                                                                              \
#name, (PyCFunction)(void (*)(void))name, METH_VARARGS | METH_KEYWORDS, does               \
    }

PyMethodDef pystoa_edit_functions[] = {
    FUNCTION(append, "Add rows: how many."),
    FUNCTION(update, "Change cells in place: in how many rows."),
    FUNCTION(delete, "Remove rows: how many."),
    FUNCTION(add_index, "Build a search index: its kind."),
    FUNCTION(drop_index, "Remove search indexes."),
    FUNCTION(annotate, "Set or remove an attribute of the table or a column."),
    {NULL, NULL, 0, NULL},
};
