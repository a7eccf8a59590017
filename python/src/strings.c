#include "strings.h"

#include <stdlib.h>

#include "call.h"

static bool take(PyObject *row, Py_ssize_t width, const char **items)
{
    if (width == 1) {
        items[0] = pystoa_text(row);
        return items[0] != NULL;
    }
    if (!PyTuple_Check(row) || PyTuple_Size(row) != width) {
        PyErr_Format(PyExc_TypeError, "expected a tuple of %zd texts, not %R", width, row);
        return false;
    }
    for (Py_ssize_t i = 0; i < width; i++) {
        items[i] = pystoa_text_or_null(PyTuple_GetItem(row, i));
        if (PyErr_Occurred()) {
            return false;
        }
    }
    return true;
}

bool pystoa_strings_of(PyObject *from, Py_ssize_t width, pystoa_strings *out)
{
    *out = (pystoa_strings){NULL, 0, NULL};
    if (from == NULL || from == Py_None) {
        return true;
    }
    if (PyUnicode_Check(from)) {
        PyErr_SetString(PyExc_TypeError, "expected a list of texts, not one text");
        return false;
    }
    out->keeps = PySequence_Tuple(from);
    if (out->keeps == NULL) {
        return false;
    }
    const Py_ssize_t n = PyTuple_Size(out->keeps);
    out->items = calloc((size_t)(n * width) + 1, sizeof(char *));
    if (out->items == NULL) {
        PyErr_NoMemory();
        return false;
    }
    for (Py_ssize_t i = 0; i < n; i++) {
        if (!take(PyTuple_GetItem(out->keeps, i), width, &out->items[i * width])) {
            return false;
        }
        out->n++;
    }
    return true;
}

void pystoa_strings_clear(pystoa_strings *strings)
{
    free((void *)(uintptr_t)strings->items);
    Py_XDECREF(strings->keeps);
    *strings = (pystoa_strings){NULL, 0, NULL};
}
