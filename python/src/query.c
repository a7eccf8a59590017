/* The Python type Query: texts and parameters for a table. Each use of it runs a query anew. */
#include <stddef.h>
#include <stdlib.h>

#include "call.h"
#include "parameters.h"
#include "reader.h"
#include "run.h"
#include "schema.h"
#include "table.h"

typedef struct query_object {
    PyObject_HEAD PyObject *table;
    /* Texts, or None. */
    PyObject *where;
    PyObject *columns;
    PyObject *aggregates;
    PyObject *by;
    PyObject *sort;
    PyObject *having;
    PyObject *parameters; /* a list, a dict or None */
    PyObject *progress;   /* a callable, or None */
    long long limit;      /* negative: all rows */
    uint64_t memory;
    uint64_t first_row;
    uint64_t n_rows; /* 0: all from first_row on */
    uint64_t offset;
    uint64_t sample; /* 0: all */
    uint64_t seed;
    unsigned threads;
    int row_numbers;
    int distinct;
    pystoa_indexes indexes;
} query_object;

static PyObject **references(query_object *self, size_t i)
{
    PyObject **const all[] = {&self->table,      &self->where, &self->columns,
                              &self->aggregates, &self->by,    &self->parameters,
                              &self->progress,   &self->sort,  &self->having};

    return i < sizeof all / sizeof *all ? all[i] : NULL;
}

static bool indexes_of(const char *word, pystoa_indexes *out)
{
    static const char *const words[] = {"trusted", "all", "none"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (PyOS_stricmp(word, words[i]) == 0) {
            *out = (pystoa_indexes)i;
            return true;
        }
    }
    PyErr_Format(PyExc_ValueError, "indexes is 'trusted', 'all' or 'none', not '%s'", word);
    return false;
}

static int init(PyObject *object, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {
        "table",  "where",   "columns", "aggregates", "by",          "sort",     "parameters",
        "limit",  "indexes", "threads", "memory",     "row_numbers", "progress", "first_row",
        "n_rows", "having",  "offset",  "distinct",   "sample",      "seed",     NULL};
    query_object *const self = (query_object *)object;
    query_object is = {.where = Py_None,
                       .columns = Py_None,
                       .aggregates = Py_None,
                       .by = Py_None,
                       .sort = Py_None,
                       .having = Py_None,
                       .parameters = Py_None,
                       .progress = Py_None,
                       .limit = -1};
    const char *indexes = "trusted";

    if (!PyArg_ParseTupleAndKeywords(
            arguments, keywords, "O|OOOOOOLsO&O&pOO&O&OO&pO&O&", names, &is.table, &is.where,
            &is.columns, &is.aggregates, &is.by, &is.sort, &is.parameters, &is.limit, &indexes,
            pystoa_small_count, &is.threads, pystoa_count, &is.memory, &is.row_numbers,
            &is.progress, pystoa_count, &is.first_row, pystoa_count, &is.n_rows, &is.having,
            pystoa_count, &is.offset, &is.distinct, pystoa_count, &is.sample, pystoa_count,
            &is.seed) ||
        !indexes_of(indexes, &is.indexes) ||
        pystoa_table_handle(pystoa_state_of(object), is.table) == NULL) {
        return -1;
    }
    for (size_t i = 0; references(self, i) != NULL; i++) {
        PyObject *const old = *references(self, i);
        *references(self, i) = Py_NewRef(*references(&is, i));
        Py_XDECREF(old);
    }
    self->limit = is.limit;
    self->memory = is.memory;
    self->first_row = is.first_row;
    self->n_rows = is.n_rows;
    self->offset = is.offset;
    self->sample = is.sample;
    self->seed = is.seed;
    self->distinct = is.distinct;
    self->threads = is.threads;
    self->row_numbers = is.row_numbers;
    self->indexes = is.indexes;
    return 0;
}

static int traverse(PyObject *object, visitproc visit, void *arg)
{
    query_object *const self = (query_object *)object;

    Py_VISIT(Py_TYPE(object));
    for (size_t i = 0; references(self, i) != NULL; i++) {
        Py_VISIT(*references(self, i));
    }
    return 0;
}

static int clear(PyObject *object)
{
    query_object *const self = (query_object *)object;

    for (size_t i = 0; references(self, i) != NULL; i++) {
        Py_CLEAR(*references(self, i));
    }
    return 0;
}

static void dealloc(PyObject *object)
{
    PyObject_GC_UnTrack(object);
    (void)clear(object);
    pystoa_object_free(object);
}

/* --- running ---------------------------------------------------------------------------------- */

static bool texts_of(const query_object *self, stoa_query_options *options)
{
    struct {
        PyObject *from;
        const char **to;
    } const texts[] = {{self->where, &options->where},
                       {self->columns, &options->columns},
                       {self->aggregates, &options->aggregates},
                       {self->by, &options->by},
                       {self->sort, &options->sort},
                       {self->having, &options->having}};

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        *texts[i].to = pystoa_text_or_null(texts[i].from);
        if (PyErr_Occurred()) {
            return false;
        }
    }
    return true;
}

static pystoa_run *plan(PyObject *object)
{
    const pystoa_state *const state = pystoa_state_of(object);
    query_object *const self = (query_object *)object;
    stoa_query_options options = STOA_QUERY_OPTIONS_INIT;
    pystoa_parameters parameters = {NULL, 0, NULL};
    pystoa_run *run = NULL;
    stoa_error err = STOA_ERROR_INIT;
    stoa_status status;

    if (self->table == NULL) {
        PyErr_SetString(PyExc_ValueError, "the query has no table");
        return NULL;
    }
    pystoa_handle *const handle = pystoa_table_handle(state, self->table);
    if (handle == NULL || !texts_of(self, &options) ||
        !pystoa_parameters_of(state, self->parameters, &parameters)) {
        pystoa_parameters_clear(&parameters);
        return NULL;
    }
    options.limit = self->limit;
    options.memory = self->memory;
    options.first_row = self->first_row;
    options.n_rows = self->n_rows;
    options.threads = self->threads;
    options.offset = self->offset;
    options.sample = self->sample;
    options.seed = self->seed;
    options.distinct = self->distinct != 0;
    options.row_numbers = self->row_numbers != 0;
    options.parameters = parameters.items;
    options.n_parameters = parameters.n;
    PyObject *const progress = self->progress != Py_None ? Py_NewRef(self->progress) : NULL;
    PyThreadState *const python = PyEval_SaveThread();
    status = pystoa_run_open(handle, options, self->indexes, progress, &run, &err);
    PyEval_RestoreThread(python);
    pystoa_parameters_clear(&parameters);
    if (status != STOA_OK) {
        (void)pystoa_raise(state, &err);
    }
    return run;
}

static pystoa_run *start(PyObject *object, const struct ArrowSchema *requested)
{
    pystoa_run *const run = plan(object);
    stoa_error err = STOA_ERROR_INIT;
    stoa_status status;

    if (run == NULL) {
        return NULL;
    }
    PyThreadState *const python = PyEval_SaveThread();
    status = pystoa_run_begin(run, requested, &err);
    PyEval_RestoreThread(python);
    if (status != STOA_OK) {
        pystoa_run_close(run);
        (void)pystoa_raise(pystoa_state_of(object), &err);
        return NULL;
    }
    return run;
}

static PyObject *reader(PyObject *self, PyObject *unused)
{
    pystoa_run *const run = start(self, NULL);

    (void)unused;
    return run != NULL ? pystoa_reader_new(pystoa_state_of(self), run) : NULL;
}

static PyObject *get_schema(PyObject *self, void *unused)
{
    pystoa_run *const run = start(self, NULL);
    const pystoa_state *const state = pystoa_state_of(self);
    struct ArrowSchema schema = {.release = NULL};
    stoa_error err = STOA_ERROR_INIT;
    stoa_status status;

    (void)unused;
    if (run == NULL) {
        return NULL;
    }
    PyThreadState *const python = PyEval_SaveThread();
    status = pystoa_run_schema(run, &schema, &err);
    pystoa_run_close(run);
    PyEval_RestoreThread(python);
    return status == STOA_OK ? pystoa_schema_new(state, &schema) : pystoa_raise(state, &err);
}

static PyObject *schema_capsule(PyObject *self, PyObject *unused)
{
    PyObject *const schema = get_schema(self, NULL);

    (void)unused;
    if (schema == NULL) {
        return NULL;
    }
    PyObject *const capsule = PyObject_CallMethod(schema, "__arrow_c_schema__", NULL);
    Py_DECREF(schema);
    return capsule;
}

static void free_capsule(PyObject *capsule)
{
    struct ArrowArrayStream *const stream = PyCapsule_GetPointer(capsule, "arrow_array_stream");

    if (stream != NULL && stream->release != NULL) {
        stream->release(stream);
    }
    free(stream);
}

static PyObject *stream_capsule(PyObject *self, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"requested_schema", NULL};
    PyObject *requested = NULL;

    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "|O", names, &requested)) {
        return NULL;
    }
    const struct ArrowSchema *const wanted = requested != NULL && requested != Py_None
                                                 ? PyCapsule_GetPointer(requested, "arrow_schema")
                                                 : NULL;
    if (PyErr_Occurred()) {
        return NULL;
    }
    struct ArrowArrayStream *const stream = calloc(1, sizeof *stream);
    if (stream == NULL) {
        return PyErr_NoMemory();
    }
    pystoa_run *const run = start(self, wanted);
    if (run == NULL) {
        free(stream);
        return NULL;
    }
    pystoa_run_export(run, stream);
    PyObject *const capsule = PyCapsule_New(stream, "arrow_array_stream", free_capsule);
    if (capsule == NULL) {
        stream->release(stream);
        free(stream);
    }
    return capsule;
}

static PyObject *explain(PyObject *self, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"run", NULL};
    const pystoa_state *const state = pystoa_state_of(self);
    int is_run = 0;
    char *text = NULL;
    stoa_error err = STOA_ERROR_INIT;
    stoa_status status = STOA_OK;

    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "|p", names, &is_run)) {
        return NULL;
    }
    pystoa_run *const run = is_run ? start(self, NULL) : plan(self);
    if (run == NULL) {
        return NULL;
    }
    pystoa_run_keep_plan(run);
    PyThreadState *const python = PyEval_SaveThread();
    if (is_run) {
        status = pystoa_run_drain(run, &err);
    }
    if (status == STOA_OK) {
        status = pystoa_run_explain(run, &text, &err);
    }
    pystoa_run_close(run);
    PyEval_RestoreThread(python);
    PyObject *const result = status == STOA_OK ? pystoa_str(text) : pystoa_raise(state, &err);
    stoa_free(text);
    return result;
}

static bool add_range(void *list, uint64_t first, uint64_t count)
{
    const PyGILState_STATE state = PyGILState_Ensure();
    PyObject *const range =
        Py_BuildValue("KK", (unsigned long long)first, (unsigned long long)count);
    const bool is_added = range != NULL && PyList_Append(list, range) == 0;

    Py_XDECREF(range);
    PyGILState_Release(state);
    return is_added;
}

static PyObject *candidates(PyObject *self, PyObject *unused)
{
    const pystoa_state *const state = pystoa_state_of(self);
    PyObject *const list = PyList_New(0);
    pystoa_run *const run = list != NULL ? plan(self) : NULL;
    stoa_error err = STOA_ERROR_INIT;
    stoa_status status;

    (void)unused;
    if (run == NULL) {
        Py_XDECREF(list);
        return NULL;
    }
    PyThreadState *const python = PyEval_SaveThread();
    status = pystoa_run_candidates(run, add_range, list, &err);
    pystoa_run_close(run);
    PyEval_RestoreThread(python);
    if (status != STOA_OK) {
        Py_DECREF(list);
        return pystoa_raise(state, &err);
    }
    return list;
}

static PyObject *get_hint(PyObject *self, void *unused)
{
    pystoa_run *const run = plan(self);

    (void)unused;
    if (run == NULL) {
        return NULL;
    }
    PyObject *const hint = pystoa_str(pystoa_run_hint(run));
    pystoa_run_close(run);
    return hint;
}

/* --- the type --------------------------------------------------------------------------------- */

static PyObject *get_table(PyObject *self, void *unused)
{
    PyObject *const table = ((query_object *)self)->table;

    (void)unused;
    return Py_NewRef(table != NULL ? table : Py_None);
}

static PyGetSetDef members[] = {
    {"table", get_table, NULL, "The table that is asked.", NULL},
    {"schema", get_schema, NULL, "The columns of the result.", NULL},
    {"hint", get_hint, NULL, "Why the indexes of the table are not used, or ''.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef methods[] = {
    {"_reader", reader, METH_NOARGS, "Run the query: a Reader of batches."},
    {"explain", (PyCFunction)(void (*)(void))explain, METH_VARARGS | METH_KEYWORDS,
     "explain(run=False)\n--\n\nThe plan as text. With run=True the query is run, and the plan "
     "says what was skipped."},
    {"_candidates", candidates, METH_NOARGS,
     "The rows that indexes leave for the filter, as tuples of a first row and a number of rows."},
    {"__arrow_c_schema__", schema_capsule, METH_NOARGS, "The columns as an Arrow PyCapsule."},
    {"__arrow_c_stream__", (PyCFunction)(void (*)(void))stream_capsule,
     METH_VARARGS | METH_KEYWORDS, "Run the query: the result as an Arrow PyCapsule."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, "What the class pystoa.Query is made of."},
    {Py_tp_init, init},
    {Py_tp_traverse, traverse},
    {Py_tp_clear, clear},
    {Py_tp_dealloc, dealloc},
    {Py_tp_getset, members},
    {Py_tp_methods, methods},
    {0, NULL},
};

PyType_Spec pystoa_query_spec = {"pystoa._pystoa.Query", sizeof(query_object), 0,
                                 Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
                                 slots};
