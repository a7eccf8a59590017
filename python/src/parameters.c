#include "parameters.h"

#include <stdlib.h>
#include <string.h>

#include "call.h"

/* Python's own values; false if it is another. */
static bool plain(PyObject *value, stoa_parameter *out, bool *failed)
{
    Py_ssize_t length = 0;

    *failed = false;
    if (value == Py_None) {
        out->kind = STOA_VALUE_NULL;
    } else if (PyBool_Check(value)) {
        out->kind = STOA_VALUE_BOOL;
        out->as.boolean = value == Py_True;
    } else if (PyLong_Check(value)) {
        int is_large = 0;
        out->kind = STOA_VALUE_INT64;
        out->as.int64 = PyLong_AsLongLongAndOverflow(value, &is_large);
        if (is_large > 0) {
            out->kind = STOA_VALUE_UINT64;
            out->as.uint64 = PyLong_AsUnsignedLongLong(value);
        }
        *failed = is_large < 0 || PyErr_Occurred() != NULL;
        if (*failed) {
            PyErr_Clear();
            PyErr_Format(PyExc_OverflowError, "%R is no parameter: it needs more than 64 bits",
                         value);
        }
    } else if (PyFloat_Check(value)) {
        out->kind = STOA_VALUE_FLOAT64;
        out->as.float64 = PyFloat_AsDouble(value);
    } else if (PyUnicode_Check(value)) {
        out->kind = STOA_VALUE_TEXT;
        out->as.text = PyUnicode_AsUTF8AndSize(value, &length);
        *failed = out->as.text == NULL;
    } else if (PyBytes_Check(value)) {
        out->kind = STOA_VALUE_BYTES;
        out->as.bytes = PyBytes_AsString(value);
        length = PyBytes_Size(value);
    } else {
        return false;
    }
    out->length = (size_t)length;
    return true;
}

/* A pair of ticks and a unit, "D", "s", "ms", "us" or "ns", after the word "timestamp" or
 * "duration", as pystoa._values makes it of a time. */
static bool time_of(PyObject *triple, stoa_parameter *out)
{
    static const char *const units[] = {"D", "s", "ms", "us", "ns"};
    const char *kind;
    const char *unit;
    long long ticks;

    if (!PyArg_ParseTuple(triple, "ssL", &kind, &unit, &ticks)) {
        return false;
    }
    out->kind = strcmp(kind, "timestamp") == 0 ? STOA_VALUE_TIMESTAMP : STOA_VALUE_DURATION;
    out->as.int64 = ticks;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (strcmp(unit, units[i]) == 0) {
            out->unit = (stoa_time_unit)i;
        }
    }
    return true;
}

/* `keeps` takes a reference to what the parameter borrows from. */
static bool convert(const pystoa_state *state, PyObject *value, PyObject *keeps,
                    stoa_parameter *out)
{
    bool failed;

    if (plain(value, out, &failed)) {
        return !failed && PyList_Append(keeps, value) == 0;
    }
    PyObject *const other = PyObject_CallMethod(state->values, "parameter", "(O)", value);
    if (other == NULL) {
        return false;
    }
    const bool is_converted =
        PyTuple_Check(other) ? time_of(other, out) : plain(other, out, &failed) && !failed;
    if (!is_converted && !PyErr_Occurred()) {
        PyErr_Format(PyExc_TypeError, "%R is no value of a parameter", value);
    }
    const bool is_kept = is_converted && PyList_Append(keeps, other) == 0;
    Py_DECREF(other);
    return is_kept;
}

static bool named(const pystoa_state *state, PyObject *from, pystoa_parameters *out)
{
    PyObject *key;
    PyObject *value;
    Py_ssize_t at = 0;

    while (PyDict_Next(from, &at, &key, &value)) {
        stoa_parameter *const parameter = &out->items[out->n++];

        parameter->name = pystoa_text(key);
        if (parameter->name == NULL || PyList_Append(out->keeps, key) < 0 ||
            !convert(state, value, out->keeps, parameter)) {
            return false;
        }
    }
    return true;
}

static bool numbered(const pystoa_state *state, PyObject *from, pystoa_parameters *out)
{
    const Py_ssize_t n = PyTuple_Size(from);

    for (Py_ssize_t i = 0; i < n; i++) {
        if (!convert(state, PyTuple_GetItem(from, i), out->keeps, &out->items[out->n++])) {
            return false;
        }
    }
    return true;
}

bool pystoa_parameters_of(const pystoa_state *state, PyObject *from, pystoa_parameters *out)
{
    PyObject *all = NULL;
    bool is_done = false;

    *out = (pystoa_parameters){NULL, 0, NULL};
    if (from == NULL || from == Py_None) {
        return true;
    }
    if (PyUnicode_Check(from) || PyBytes_Check(from)) {
        PyErr_SetString(PyExc_TypeError, "params is a list of values, or a dict; not one text");
        return false;
    }
    /* Copies, which nothing changes meanwhile. */
    all = PyDict_Check(from) ? PyDict_Copy(from) : PySequence_Tuple(from);
    if (all == NULL) {
        return false;
    }
    out->keeps = PyList_New(0);
    out->items = calloc((size_t)PyObject_Size(all) + 1, sizeof *out->items);
    if (out->items == NULL) {
        PyErr_NoMemory();
    } else if (out->keeps != NULL) {
        is_done = PyDict_Check(all) ? named(state, all, out) : numbered(state, all, out);
    }
    Py_DECREF(all);
    return is_done;
}

void pystoa_parameters_clear(pystoa_parameters *parameters)
{
    free(parameters->items);
    Py_XDECREF(parameters->keeps);
    *parameters = (pystoa_parameters){NULL, 0, NULL};
}
