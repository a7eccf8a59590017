#include "input.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "call.h"
#include "schema.h"

/* --- a dict of columns ------------------------------------------------------------------------ */

/* pystoa._values makes of each column a tuple (name, format, values, valid): values are a buffer,
 * or a list of str and None for texts; valid is a buffer of bools, or None. */
typedef struct arrays {
    atomic_size_t n_refs; /* the stream's, and that of each batch */
    stoa_column_array *columns;
    size_t n;
    Py_buffer *views; /* two for each column; obj == NULL: none */
    const char ***texts;
    PyObject *keeps;
} arrays;

/* Any thread may release the last batch. NULL is allowed. */
static void arrays_release(arrays *a)
{
    if (a == NULL || --a->n_refs > 0) {
        return;
    }
    const PyGILState_STATE state = PyGILState_Ensure();
    for (size_t i = 0; i < a->n; i++) {
        PyBuffer_Release(&a->views[2 * i]);
        PyBuffer_Release(&a->views[2 * i + 1]);
        free((void *)(uintptr_t)a->texts[i]);
    }
    free(a->columns);
    free(a->views);
    free((void *)a->texts);
    Py_XDECREF(a->keeps);
    free(a);
    PyGILState_Release(state);
}

/* A batch that keeps the arrays it points into. */
typedef struct kept {
    void (*release)(struct ArrowArray *);
    void *private_data;
    arrays *arrays;
} kept;

static void release_kept(struct ArrowArray *batch)
{
    kept *const k = batch->private_data;

    batch->release = k->release;
    batch->private_data = k->private_data;
    batch->release(batch);
    arrays_release(k->arrays);
    free(k);
}

static bool keep(struct ArrowArray *batch, arrays *a)
{
    kept *const k = malloc(sizeof *k);

    if (k == NULL) {
        batch->release(batch);
        return false;
    }
    *k = (kept){batch->release, batch->private_data, a};
    a->n_refs++;
    batch->release = release_kept;
    batch->private_data = k;
    return true;
}

static bool take_texts(PyObject *list, stoa_column_array *column, const char ***texts)
{
    const Py_ssize_t n = PyList_Size(list);

    *texts = calloc((size_t)n + 1, sizeof(char *));
    if (*texts == NULL) {
        PyErr_NoMemory();
        return false;
    }
    for (Py_ssize_t i = 0; i < n; i++) {
        (*texts)[i] = pystoa_text_or_null(PyList_GetItem(list, i));
        if (PyErr_Occurred()) {
            return false;
        }
    }
    column->values = *texts;
    column->n_rows = (uint64_t)n;
    return true;
}

static bool take_column(PyObject *tuple, stoa_column_array *column, Py_buffer *views,
                        const char ***texts)
{
    PyObject *values;
    PyObject *valid;

    if (!PyArg_ParseTuple(tuple, "ssOO", &column->name, &column->format, &values, &valid)) {
        return false;
    }
    if (PyList_Check(values)) {
        return take_texts(values, column, texts);
    }
    if (PyObject_GetBuffer(values, &views[0], PyBUF_FORMAT | PyBUF_C_CONTIGUOUS) < 0) {
        return false;
    }
    column->values = views[0].buf;
    column->n_rows = views[0].itemsize > 0 ? (uint64_t)(views[0].len / views[0].itemsize) : 0;
    if (valid != Py_None) {
        if (PyObject_GetBuffer(valid, &views[1], PyBUF_SIMPLE) < 0) {
            return false;
        }
        if ((uint64_t)views[1].len != column->n_rows) {
            PyErr_Format(PyExc_ValueError,
                         "column '%s' has another number of valid flags than of "
                         "values",
                         column->name);
            return false;
        }
        column->valid = views[1].buf;
    }
    return true;
}

/* A stream that borrows from `*out_arrays`, which is yours, also after a failure. */
static bool stream_of_dict(const pystoa_state *state, PyObject *dict, arrays **out_arrays,
                           struct ArrowArrayStream *out)
{
    PyObject *const columns = PyObject_CallMethod(state->values, "columns", "O", dict);
    arrays *const a = columns != NULL ? calloc(1, sizeof *a) : NULL;
    stoa_error err = STOA_ERROR_INIT;

    *out_arrays = a;
    if (a == NULL) {
        Py_XDECREF(columns);
        return false;
    }
    const size_t n = (size_t)PyList_Size(columns);
    a->n_refs = 1;
    a->keeps = columns;
    a->columns = calloc(n + 1, sizeof *a->columns);
    a->views = calloc(2 * n + 1, sizeof *a->views);
    a->texts = calloc(n + 1, sizeof(char **));
    if (a->columns == NULL || a->views == NULL || a->texts == NULL) {
        PyErr_NoMemory();
        return false;
    }
    while (a->n < n) {
        const size_t i = a->n++; /* what it holds is released, also if it is not whole */
        if (!take_column(PyList_GetItem(columns, (Py_ssize_t)i), &a->columns[i], &a->views[2 * i],
                         &a->texts[i])) {
            return false;
        }
    }
    if (stoa_stream_of_arrays(a->columns, a->n, out, &err) != STOA_OK) {
        (void)pystoa_raise(state, &err);
        return false;
    }
    return true;
}

/* --- one batch -------------------------------------------------------------------------------- */

typedef struct one_batch {
    struct ArrowSchema schema;
    struct ArrowArray array;
} one_batch;

static int one_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    return pystoa_schema_copy(&((one_batch *)stream->private_data)->schema, out) ? 0 : ENOMEM;
}

static int one_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    one_batch *const one = stream->private_data;

    *out = one->array; /* moved; the second time nothing is left */
    one->array.release = NULL;
    return 0;
}

static const char *one_error(struct ArrowArrayStream *stream)
{
    (void)stream;
    return NULL;
}

static void one_release(struct ArrowArrayStream *stream)
{
    one_batch *const one = stream->private_data;

    if (one->array.release != NULL) {
        one->array.release(&one->array);
    }
    one->schema.release(&one->schema);
    free(one);
    stream->release = NULL;
}

static bool stream_of_batch(PyObject *pair, struct ArrowArrayStream *out)
{
    PyObject *schema_capsule;
    PyObject *array_capsule;

    if (!PyArg_ParseTuple(pair, "OO", &schema_capsule, &array_capsule)) {
        return false;
    }
    struct ArrowSchema *const schema = PyCapsule_GetPointer(schema_capsule, "arrow_schema");
    struct ArrowArray *const array =
        schema != NULL ? PyCapsule_GetPointer(array_capsule, "arrow_array") : NULL;
    one_batch *const one = array != NULL ? malloc(sizeof *one) : NULL;
    if (one == NULL) {
        if (!PyErr_Occurred()) {
            PyErr_NoMemory();
        }
        return false;
    }
    *one = (one_batch){*schema, *array};
    schema->release = NULL;
    array->release = NULL;
    *out = (struct ArrowArrayStream){one_schema, one_next, one_error, one_release, one};
    return true;
}

/* --- all that has rows ------------------------------------------------------------------------ */

static bool stream_of_capsule(PyObject *capsule, struct ArrowArrayStream *out)
{
    struct ArrowArrayStream *const stream = PyCapsule_GetPointer(capsule, "arrow_array_stream");

    if (stream == NULL) {
        return false;
    }
    *out = *stream;
    stream->release = NULL;
    return true;
}

/* The result of a method without arguments; NULL without an exception if there is no such method.
 */
static PyObject *ask(PyObject *object, const char *method)
{
    PyObject *const bound = PyObject_GetAttrString(object, method);

    if (bound == NULL && PyErr_ExceptionMatches(PyExc_AttributeError)) {
        PyErr_Clear();
    }
    PyObject *const result = bound != NULL ? PyObject_CallNoArgs(bound) : NULL;
    Py_XDECREF(bound);
    return result;
}

/* 1: a stream was made; 0: it is nothing that has rows; -1: an exception. */
static int stream_of(const pystoa_state *state, PyObject *data, arrays **a,
                     struct ArrowArrayStream *out)
{
    PyObject *found = ask(data, "__arrow_c_stream__");
    bool is_made = false;

    *a = NULL;
    out->release = NULL;
    if (found != NULL) {
        is_made = stream_of_capsule(found, out);
    } else if (!PyErr_Occurred() && (found = ask(data, "__arrow_c_array__")) != NULL) {
        is_made = stream_of_batch(found, out);
    } else if (!PyErr_Occurred() && PyDict_Check(data)) {
        is_made = stream_of_dict(state, data, a, out);
    }
    Py_XDECREF(found);
    return is_made ? 1 : PyErr_Occurred() ? -1 : 0;
}

/* --- the stream for the library --------------------------------------------------------------- */

typedef struct source {
    const pystoa_state *state;
    struct ArrowArrayStream current;
    arrays *arrays;            /* what `current` borrows from, or NULL */
    PyObject *iterator;        /* of more; NULL: `current` is all */
    struct ArrowSchema given;  /* as the first item has it */
    struct ArrowSchema schema; /* as the library takes it */
    PyObject *raised[3];       /* type, value and traceback of what Python raised */
    char message[1024];
} source;

static void end_current(source *s)
{
    if (s->current.release != NULL) {
        s->current.release(&s->current);
        s->current.release = NULL;
    }
    arrays_release(s->arrays);
    s->arrays = NULL;
}

/* 1: the next item of the iterator is `current`; 0: there is no more; -1: an exception. */
static int advance(source *s)
{
    PyObject *const item = s->iterator != NULL ? PyIter_Next(s->iterator) : NULL;
    int found = -1;

    if (item == NULL) {
        return PyErr_Occurred() ? -1 : 0;
    }
    found = stream_of(s->state, item, &s->arrays, &s->current);
    if (found == 0) {
        PyErr_Format(PyExc_TypeError, "%R is no batch of rows", (PyObject *)Py_TYPE(item));
        found = -1;
    }
    Py_DECREF(item);
    return found;
}

static int source_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    return pystoa_schema_copy(&((source *)stream->private_data)->schema, out) ? 0 : ENOMEM;
}

static int say(source *s, int error_number, const char *text)
{
    (void)snprintf(s->message, sizeof s->message, "%s",
                   text != NULL ? text : strerror(error_number));
    return error_number;
}

static bool is_same(const struct ArrowSchema *a, const struct ArrowSchema *b)
{
    bool same = strcmp(a->format, b->format) == 0 && a->n_children == b->n_children &&
                (a->dictionary == NULL) == (b->dictionary == NULL);

    for (int64_t i = 0; same && i < a->n_children; i++) {
        const char *const first = a->children[i]->name;
        const char *const second = b->children[i]->name;

        same = is_same(a->children[i], b->children[i]) &&
               strcmp(first != NULL ? first : "", second != NULL ? second : "") == 0;
    }
    return same && (a->dictionary == NULL || is_same(a->dictionary, b->dictionary));
}

/* A batch of the iterator must be one of the same table. */
static int compare(source *s)
{
    struct ArrowSchema schema = {.release = NULL};
    const int failed = s->current.get_schema(&s->current, &schema);

    if (failed) {
        return say(s, failed, s->current.get_last_error(&s->current));
    }
    const bool same = is_same(&schema, &s->given);
    schema.release(&schema);
    return same ? 0
                : say(s, EINVAL,
                      "a later batch has other columns, or columns of other types, than "
                      "the first one");
}

/* The next item; at the end `current` has release == NULL. */
static int go_on(source *s)
{
    const PyGILState_STATE state = PyGILState_Ensure();
    int found;

    end_current(s);
    found = advance(s);
    if (found < 0) {
        PyErr_Fetch(&s->raised[0], &s->raised[1], &s->raised[2]);
    }
    PyGILState_Release(state);
    return found < 0 ? say(s, EINVAL, "Python raised an exception") : found > 0 ? compare(s) : 0;
}

static int source_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    source *const s = stream->private_data;

    out->release = NULL;
    while (s->current.release != NULL) {
        const int failed = s->current.get_next(&s->current, out);
        if (failed) {
            return say(s, failed, s->current.get_last_error(&s->current));
        }
        if (out->release != NULL) {
            return s->arrays == NULL || keep(out, s->arrays) ? 0 : say(s, ENOMEM, NULL);
        }
        if (s->iterator == NULL) {
            break;
        }
        const int stopped = go_on(s);
        if (stopped) {
            return stopped;
        }
    }
    return 0;
}

static const char *source_error(struct ArrowArrayStream *stream)
{
    const source *const s = stream->private_data;

    return s->message[0] != '\0' ? s->message : NULL;
}

/* The library does not release a stream that it borrows: pystoa_input_close() does, with the GIL.
 */
static void source_release(struct ArrowArrayStream *stream)
{
    source *const s = stream->private_data;

    end_current(s);
    if (s->given.release != NULL) {
        s->given.release(&s->given);
    }
    if (s->schema.release != NULL) {
        s->schema.release(&s->schema);
    }
    Py_XDECREF(s->iterator);
    for (size_t i = 0; i < 3; i++) {
        Py_XDECREF(s->raised[i]);
    }
    free(s);
    stream->release = NULL;
}

static bool note_field(struct ArrowSchema *field, PyObject *texts)
{
    PyObject *key;
    PyObject *value;
    Py_ssize_t at = 0;

    while (PyDict_Next(texts, &at, &key, &value)) {
        const char *const name = pystoa_text(key);
        const char *const text = name != NULL ? pystoa_text(value) : NULL;

        if (text == NULL || !pystoa_schema_note(field, name, text)) {
            return false;
        }
    }
    return true;
}

/* Add the notes to the fields. */
static bool note(source *s, PyObject *notes)
{
    PyObject *key;
    PyObject *texts;
    Py_ssize_t at = 0;

    while (notes != Py_None && PyDict_Next(notes, &at, &key, &texts)) {
        const char *const name = pystoa_text(key);
        stoa_error err = STOA_ERROR_INIT;
        int64_t i = 0;

        while (name != NULL && i < s->schema.n_children &&
               strcmp(s->schema.children[i]->name, name) != 0) {
            i++;
        }
        if (name == NULL) {
            return false;
        }
        if (i == s->schema.n_children) {
            (void)pystoa_fail(&err, STOA_ENOTFOUND, "there is no column '%s' to describe", name);
            (void)pystoa_raise(s->state, &err);
            return false;
        }
        if (!note_field(s->schema.children[i], texts)) {
            return false;
        }
    }
    return true;
}

/* The schema of the first item is that of all. */
static bool take_schema(source *s, PyObject *notes)
{
    stoa_error err = STOA_ERROR_INIT;
    int failed;

    PyThreadState *const python = PyEval_SaveThread();
    failed = s->current.get_schema(&s->current, &s->given);
    PyEval_RestoreThread(python);
    if (failed) {
        if (!PyErr_Occurred()) {
            const char *const text = s->current.get_last_error(&s->current);
            (void)pystoa_fail(&err, STOA_EINVAL, "%s", text != NULL ? text : strerror(failed));
            (void)pystoa_raise(s->state, &err);
        }
        return false;
    }
    if (!pystoa_schema_copy(&s->given, &s->schema)) {
        PyErr_NoMemory();
        return false;
    }
    return note(s, notes);
}

bool pystoa_input_open(pystoa_state *state, PyObject *data, PyObject *notes, pystoa_input *input)
{
    source *const s = calloc(1, sizeof *s);
    int found = -1;

    if (s == NULL) {
        PyErr_NoMemory();
        return false;
    }
    s->state = state;
    input->stream =
        (struct ArrowArrayStream){source_schema, source_next, source_error, source_release, s};
    found = stream_of(state, data, &s->arrays, &s->current);
    if (found == 0 && PyUnicode_Check(data)) {
        PyErr_SetString(PyExc_TypeError, "a text has no rows");
    } else if (found == 0) {
        s->iterator = PyObject_GetIter(data);
        found = s->iterator != NULL ? advance(s) : -1;
        if (found == 0) {
            PyErr_SetString(PyExc_ValueError, "an iterable without a batch has no columns");
        }
    }
    if (found <= 0 || !take_schema(s, notes)) {
        pystoa_input_close(input);
        return false;
    }
    return true;
}

bool pystoa_input_raise(pystoa_input *input)
{
    source *const s = input->stream.private_data;

    if (s->raised[0] == NULL) {
        return false;
    }
    PyErr_Restore(s->raised[0], s->raised[1], s->raised[2]);
    memset(s->raised, 0, sizeof s->raised);
    return true;
}

void pystoa_input_close(pystoa_input *input)
{
    if (input->stream.release != NULL) {
        input->stream.release(&input->stream);
    }
}
