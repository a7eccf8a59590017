#include "reader.h"

#include "array.h"
#include "call.h"
#include "schema.h"

typedef struct reader_object {
    PyObject_HEAD pystoa_run *run; /* NULL when it is closed */
    struct ArrowSchema schema;
} reader_object;

PyObject *pystoa_reader_new(const pystoa_state *state, pystoa_run *run)
{
    reader_object *const self = PyObject_New(reader_object, state->reader);
    stoa_error err = STOA_ERROR_INIT;
    stoa_status status;

    if (self == NULL) {
        pystoa_run_close(run);
        return NULL;
    }
    self->run = run;
    PyThreadState *const python = PyEval_SaveThread();
    status = pystoa_run_schema(run, &self->schema, &err);
    PyEval_RestoreThread(python);
    if (status != STOA_OK) {
        Py_DECREF(self);
        return pystoa_raise(state, &err);
    }
    return (PyObject *)self;
}

static void end(reader_object *self)
{
    pystoa_run *const run = self->run;

    self->run = NULL;
    pystoa_run_close(run);
}

static void dealloc(PyObject *object)
{
    reader_object *const self = (reader_object *)object;

    end(self);
    if (self->schema.release != NULL) {
        self->schema.release(&self->schema);
    }
    pystoa_object_free(object);
}

static PyObject *next(PyObject *object)
{
    reader_object *const self = (reader_object *)object;
    const pystoa_state *const state = pystoa_state_of(object);
    struct ArrowArray batch = {.release = NULL};
    struct ArrowSchema schema;
    stoa_error err = STOA_ERROR_INIT;
    stoa_status status = STOA_OK;

    if (self->run == NULL) {
        return NULL;
    }
    PyThreadState *const python = PyEval_SaveThread();
    status = pystoa_run_next(self->run, &batch, &err);
    PyEval_RestoreThread(python);
    if (status != STOA_OK || batch.release == NULL) {
        end(self);
        return status != STOA_OK ? pystoa_raise(state, &err) : NULL;
    }
    if (!pystoa_schema_copy(&self->schema, &schema)) {
        batch.release(&batch);
        return PyErr_NoMemory();
    }
    return pystoa_array_new(state, &schema, &batch);
}

static PyObject *close_it(PyObject *self, PyObject *unused)
{
    (void)unused;
    end((reader_object *)self);
    Py_RETURN_NONE;
}

static PyObject *enter(PyObject *self, PyObject *unused)
{
    (void)unused;
    return Py_NewRef(self);
}

static PyObject *leave(PyObject *self, PyObject *arguments)
{
    (void)arguments;
    return close_it(self, NULL);
}

static PyObject *get_schema(PyObject *object, void *unused)
{
    struct ArrowSchema copy;

    (void)unused;
    return pystoa_schema_copy(&((reader_object *)object)->schema, &copy)
               ? pystoa_schema_new(pystoa_state_of(object), &copy)
               : PyErr_NoMemory();
}

static PyGetSetDef members[] = {
    {"schema", get_schema, NULL, "The columns of the result.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef methods[] = {
    {"close", close_it, METH_NOARGS, "End the query, and give up its file."},
    {"__enter__", enter, METH_NOARGS, NULL},
    {"__exit__", leave, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, "The batches of a result, each an Array. The file stays locked for reading until "
                "the last batch, or until the Reader is closed."},
    {Py_tp_dealloc, dealloc},
    {Py_tp_getset, members},
    {Py_tp_methods, methods},
    {Py_tp_iter, PyObject_SelfIter},
    {Py_tp_iternext, next},
    {0, NULL},
};

PyType_Spec pystoa_reader_spec = {
    "pystoa.Reader", sizeof(reader_object), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE, slots};
