/* The function that makes a new table of rows that Python has. */
#include "call.h"
#include "input.h"
#include "session.h"
#include "strings.h"

typedef struct request {
    const char *path;
    const char *object;
    bool is_home; /* HEP001, not another layout */
    stoa_table_options table;
    stoa_layout_options other;
    pystoa_strings indexes;  /* columns and kinds */
    pystoa_strings missing;  /* columns and what stands for missing values */
    pystoa_strings fills;    /* the same, of HEP001 */
    pystoa_strings settings; /* keys and values */
    pystoa_strings labels;   /* columns that label rows */
} request;

static void clear(request *r)
{
    pystoa_strings_clear(&r->indexes);
    pystoa_strings_clear(&r->missing);
    pystoa_strings_clear(&r->fills);
    pystoa_strings_clear(&r->settings);
    pystoa_strings_clear(&r->labels);
}

/* HEP001 and the other layouts have options of their own; what one lacks is refused. */
static bool settle(request *r, const char *layout, const stoa_column_options *storage,
                   const stoa_listener *listener)
{
    r->is_home = layout == NULL || PyOS_stricmp(layout, "hep001") == 0;
    if (r->is_home && (r->missing.n > 0 || r->settings.n > 0)) {
        PyErr_SetString(PyExc_TypeError, "missing and settings are for other layouts: HEP001 holds "
                                         "missing values, and fills chooses what stands for them");
        return false;
    }
    if (!r->is_home && (r->indexes.n > 0 || r->fills.n > 0 || r->table.description != NULL)) {
        PyErr_SetString(PyExc_TypeError, "indexes, fills and description are for HEP001 only");
        return false;
    }
    r->table.columns = storage;
    r->table.n_columns = 1;
    r->table.index_columns = r->labels.items;
    r->table.n_index_columns = r->labels.n;
    r->table.indexes = (const void *)r->indexes.items;
    r->table.n_indexes = r->indexes.n;
    r->table.fills = (const void *)r->fills.items;
    r->table.n_fills = r->fills.n;
    r->table.listener = *listener;
    r->other.layout = layout;
    r->other.title = r->table.title;
    r->other.codec = storage->codec;
    r->other.chunk_rows = storage->chunk_rows;
    r->other.index_columns = r->labels.items;
    r->other.n_index_columns = r->labels.n;
    r->other.missing = (const void *)r->missing.items;
    r->other.n_missing = r->missing.n;
    r->other.settings = (const void *)r->settings.items;
    r->other.n_settings = r->settings.n;
    r->other.listener = *listener;
    r->other.replace = r->table.replace;
    return true;
}

static stoa_status write_rows(const request *r, struct ArrowArrayStream *stream, uint64_t *n_rows,
                              stoa_error *err)
{
    pystoa_session session = PYSTOA_SESSION_INIT;
    stoa_status status = pystoa_session_open_target(&session, r->path, err);

    if (status == STOA_OK) {
        const hid_t file = stoa_file_id(session.file);

        status = r->is_home ? stoa_table_write(file, r->object, stream, &r->table, n_rows, err)
                            : stoa_layout_write(file, r->object, stream, &r->other, n_rows, err);
    }
    if (status == STOA_OK) {
        status = pystoa_session_commit(&session, r->object, r->indexes.n > 0, err);
    }
    pystoa_session_close(&session);
    return status;
}

static PyObject *run(pystoa_state *state, const request *r, PyObject *data, PyObject *notes,
                     pystoa_call *call)
{
    pystoa_input input = PYSTOA_INPUT_INIT;
    uint64_t n_rows = 0;
    stoa_status status;

    if (!pystoa_input_open(state, data, notes, &input)) {
        return NULL;
    }
    PyThreadState *const python = PyEval_SaveThread();
    status = write_rows(r, &input.stream, &n_rows, &call->err);
    PyEval_RestoreThread(python);
    if (status != STOA_OK && !pystoa_input_raise(&input)) {
        (void)pystoa_raise(state, &call->err);
    }
    pystoa_input_close(&input);
    return status == STOA_OK ? PyLong_FromUnsignedLongLong(n_rows) : NULL;
}

static PyObject *write_table(PyObject *module, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"path",     "object",        "data",          "layout",     "notes",
                            "title",    "description",   "codec",         "chunk_rows", "replace",
                            "portable", "plain_strings", "index_columns", "indexes",    "fills",
                            "missing",  "settings",      "threads",       "progress",   NULL};
    request r = {.table = STOA_TABLE_OPTIONS_INIT, .other = STOA_LAYOUT_OPTIONS_INIT};
    stoa_column_options storage = {NULL, NULL, 0};
    pystoa_call call = PYSTOA_CALL_INIT;
    const char *layout = NULL;
    PyObject *path = NULL;
    PyObject *data;
    PyObject *notes = Py_None;
    PyObject *progress = Py_None;
    PyObject *labels = NULL;
    PyObject *indexes = NULL;
    PyObject *fills = NULL;
    PyObject *missing = NULL;
    PyObject *settings = NULL;
    int replace = 0;
    int portable = 0;
    int plain = 0;
    PyObject *result = NULL;

    if (!PyArg_ParseTupleAndKeywords(
            arguments, keywords, "O&sO|zOzzzO&pppOOOOOO&O", names, PyUnicode_FSConverter, &path,
            &r.object, &data, &layout, &notes, &r.table.title, &r.table.description, &storage.codec,
            pystoa_count, &storage.chunk_rows, &replace, &portable, &plain, &labels, &indexes,
            &fills, &missing, &settings, pystoa_small_count, &r.table.threads, &progress)) {
        return NULL;
    }
    r.path = PyBytes_AsString(path);
    r.table.replace = replace != 0;
    r.table.portable = portable != 0;
    r.table.plain_strings = plain != 0;
    r.other.threads = r.table.threads;
    call.progress = progress != Py_None ? progress : NULL;
    const stoa_listener listener = pystoa_listener(&call);
    if (pystoa_strings_of(labels, 1, &r.labels) && pystoa_strings_of(indexes, 2, &r.indexes) &&
        pystoa_strings_of(fills, 2, &r.fills) && pystoa_strings_of(missing, 2, &r.missing) &&
        pystoa_strings_of(settings, 2, &r.settings) && settle(&r, layout, &storage, &listener)) {
        result = run(PyModule_GetState(module), &r, data, notes, &call);
    }
    clear(&r);
    Py_DECREF(path);
    return result;
}

PyMethodDef pystoa_write_functions[] = {
    {"write", (PyCFunction)(void (*)(void))write_table, METH_VARARGS | METH_KEYWORDS,
     "What pystoa.write() is made of: the number of rows written."},
    {NULL, NULL, 0, NULL},
};
