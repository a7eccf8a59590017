#include "value.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "call.h"

bool pystoa_value_is_valid(const struct ArrowArray *array, int64_t i)
{
    const uint8_t *const bits = array->n_buffers > 0 ? array->buffers[0] : NULL;
    const int64_t at = array->offset + i;

    return bits == NULL || (bits[at / 8] >> (at % 8) & 1) != 0;
}

static bool is_wide(const struct ArrowSchema *schema)
{
    return strchr("UZL", schema->format[strlen(schema->format) - 1]) != NULL;
}

static int64_t offset_at(const struct ArrowSchema *schema, const struct ArrowArray *array,
                         int64_t i)
{
    const int64_t at = array->offset + i;

    return is_wide(schema) ? ((const int64_t *)array->buffers[1])[at]
                           : ((const int32_t *)array->buffers[1])[at];
}

/* A float of 16 bits: 1 of sign, 5 of exponent, 10 of fraction. */
static double half(uint16_t bits)
{
    const int exponent = bits >> 10 & 31;
    const int fraction = bits & 1023;
    const double size = exponent == 0    ? ldexp(fraction, -24)
                        : exponent == 31 ? (fraction != 0 ? NAN : INFINITY)
                                         : ldexp(fraction + 1024, exponent - 25);

    return (bits & 0x8000) != 0 ? -size : size;
}

/* Integers and floats; NULL without an exception for other types. */
static PyObject *number(const char *format, const void *values, int64_t at)
{
    switch (format[0]) {
    case 'c':
        return PyLong_FromLong(((const int8_t *)values)[at]);
    case 'C':
        return PyLong_FromLong(((const uint8_t *)values)[at]);
    case 's':
        return PyLong_FromLong(((const int16_t *)values)[at]);
    case 'S':
        return PyLong_FromLong(((const uint16_t *)values)[at]);
    case 'i':
        return PyLong_FromLong(((const int32_t *)values)[at]);
    case 'I':
        return PyLong_FromUnsignedLong(((const uint32_t *)values)[at]);
    case 'l':
        return PyLong_FromLongLong(((const int64_t *)values)[at]);
    case 'L':
        return PyLong_FromUnsignedLongLong(((const uint64_t *)values)[at]);
    case 'e':
        return PyFloat_FromDouble(half(((const uint16_t *)values)[at]));
    case 'f':
        return PyFloat_FromDouble((double)((const float *)values)[at]);
    case 'g':
        return PyFloat_FromDouble(((const double *)values)[at]);
    default:
        return NULL;
    }
}

static const char *data_at(const struct ArrowSchema *schema, const struct ArrowArray *array,
                           int64_t i, Py_ssize_t *size)
{
    const int64_t begin = offset_at(schema, array, i);

    *size = (Py_ssize_t)(offset_at(schema, array, i + 1) - begin);
    return *size > 0 ? (const char *)array->buffers[2] + begin : "";
}

static PyObject *bytes_at(const struct ArrowSchema *schema, const struct ArrowArray *array,
                          int64_t i)
{
    Py_ssize_t size = 0;
    const char *const data = data_at(schema, array, i, &size);

    return schema->format[0] == 'u' || schema->format[0] == 'U'
               ? PyUnicode_DecodeUTF8(data, size, "surrogateescape")
               : PyBytes_FromStringAndSize(data, size);
}

static PyObject *list_of(const pystoa_state *state, const struct ArrowSchema *schema,
                         const struct ArrowArray *array, int64_t first, int64_t n)
{
    PyObject *const list = PyList_New((Py_ssize_t)n);

    for (int64_t i = 0; list != NULL && i < n; i++) {
        PyObject *const value = pystoa_value(state, schema, array, first + i);

        if (value == NULL || PyList_SetItem(list, (Py_ssize_t)i, value) < 0) {
            Py_DECREF(list);
            return NULL;
        }
    }
    return list;
}

static PyObject *dict_of(const pystoa_state *state, const struct ArrowSchema *schema,
                         const struct ArrowArray *array, int64_t i)
{
    PyObject *const dict = PyDict_New();

    for (int64_t child = 0; dict != NULL && child < schema->n_children; child++) {
        PyObject *const name = pystoa_str(schema->children[child]->name);
        PyObject *const value =
            pystoa_value(state, schema->children[child], array->children[child], array->offset + i);
        const bool is_set = name != NULL && value != NULL && PyDict_SetItem(dict, name, value) == 0;

        Py_XDECREF(name);
        Py_XDECREF(value);
        if (!is_set) {
            Py_DECREF(dict);
            return NULL;
        }
    }
    return dict;
}

static PyObject *label(const pystoa_state *state, const struct ArrowSchema *schema,
                       const struct ArrowArray *array, int64_t i)
{
    PyObject *const number_of = number(schema->format, array->buffers[1], array->offset + i);
    const long long code = number_of != NULL ? PyLong_AsLongLong(number_of) : -1;

    Py_XDECREF(number_of);
    PyErr_Clear();
    if (code < 0 || code >= array->dictionary->length) {
        PyErr_SetString(PyExc_ValueError, "a code is not one of a category");
        return NULL;
    }
    return pystoa_value(state, schema->dictionary, array->dictionary, code);
}

static PyObject *decimal_of(const pystoa_state *state, const char *format,
                            const struct ArrowArray *array, int64_t at)
{
    const char *const comma = strchr(format, ',');
    const char *const second = comma != NULL ? strchr(comma + 1, ',') : NULL;
    const Py_ssize_t width = second != NULL ? strtol(second + 1, NULL, 10) / 8 : 16;
    const int scale = comma != NULL ? (int)strtol(comma + 1, NULL, 10) : 0;

    PyObject *const bytes =
        PyBytes_FromStringAndSize((const char *)array->buffers[1] + at * width, width);
    PyObject *const made =
        bytes != NULL ? PyObject_CallMethod(state->values, "decimal", "iO", scale, bytes) : NULL;

    Py_XDECREF(bytes);
    return made;
}

PyObject *pystoa_value(const pystoa_state *state, const struct ArrowSchema *schema,
                       const struct ArrowArray *array, int64_t i)
{
    const char *const format = schema->format;
    const int64_t at = array->offset + i;

    if (format[0] == 'n' || !pystoa_value_is_valid(array, i)) {
        Py_RETURN_NONE;
    }
    if (schema->dictionary != NULL) {
        return label(state, schema, array, i);
    }
    switch (format[0]) {
    case 'b':
        return PyBool_FromLong(((const uint8_t *)array->buffers[1])[at / 8] >> (at % 8) & 1);
    case 'u':
    case 'U':
    case 'z':
    case 'Z':
        return bytes_at(schema, array, i);
    case 'w': {
        const long width = strtol(format + 2, NULL, 10);
        return PyBytes_FromStringAndSize((const char *)array->buffers[1] + at * width, width);
    }
    case 't': {
        const bool is_short =
            strcmp(format, "tdD") == 0 || strcmp(format, "tts") == 0 || strcmp(format, "ttm") == 0;
        const long long ticks = is_short ? ((const int32_t *)array->buffers[1])[at]
                                         : ((const int64_t *)array->buffers[1])[at];
        return PyObject_CallMethod(state->values, "time", "sL", format, ticks);
    }
    case 'd':
        return decimal_of(state, format, array, at);
    case '+':
        if (format[1] == 's') {
            return dict_of(state, schema, array, i);
        }
        if (format[1] == 'w') {
            const long n = strtol(format + 3, NULL, 10);
            return list_of(state, schema->children[0], array->children[0], at * n, n);
        }
        if (format[1] == 'l' || format[1] == 'L') {
            const int64_t begin = offset_at(schema, array, i);
            return list_of(state, schema->children[0], array->children[0], begin,
                           offset_at(schema, array, i + 1) - begin);
        }
        break;
    default: {
        PyObject *const found = number(format, array->buffers[1], at);
        if (found != NULL || PyErr_Occurred()) {
            return found;
        }
    }
    }
    PyErr_Format(PyExc_TypeError, "values of the Arrow format '%s' have no Python type", format);
    return NULL;
}

/* --- lists ------------------------------------------------------------------------------------ */

/* A text that was met. The bytes are the array's. */
typedef struct met {
    const char *bytes;
    Py_ssize_t size;
    PyObject *text; /* borrowed from the list */
} met;

enum { N_MET = 1024, LONGEST_MET = 64 };

static size_t place_of(const char *bytes, Py_ssize_t size)
{
    uint64_t hash = 14695981039346656037u; /* FNV-1a */

    for (Py_ssize_t i = 0; i < size; i++) {
        hash = (hash ^ (uint8_t)bytes[i]) * 1099511628211u;
    }
    return (size_t)((hash ^ hash >> 32) % N_MET);
}

static PyObject *text_at(const struct ArrowSchema *schema, const struct ArrowArray *array,
                         int64_t i, met *known)
{
    Py_ssize_t size = 0;
    const char *const bytes = data_at(schema, array, i, &size);
    met *const place = size <= LONGEST_MET ? &known[place_of(bytes, size)] : NULL;

    if (place != NULL && place->text != NULL && place->size == size &&
        memcmp(place->bytes, bytes, (size_t)size) == 0) {
        return Py_NewRef(place->text);
    }
    PyObject *const text = PyUnicode_DecodeUTF8(bytes, size, "surrogateescape");
    if (place != NULL) {
        *place = (met){bytes, size, text};
    }
    return text;
}

PyObject *pystoa_value_list(const pystoa_state *state, const struct ArrowSchema *schema,
                            const struct ArrowArray *array)
{
    const bool are_texts = schema->dictionary == NULL && strchr("uU", schema->format[0]) != NULL;
    met *const known = are_texts ? calloc(N_MET, sizeof *known) : NULL;
    PyObject *list = PyList_New((Py_ssize_t)array->length);

    for (int64_t i = 0; list != NULL && i < array->length; i++) {
        PyObject *const value = known != NULL && pystoa_value_is_valid(array, i)
                                    ? text_at(schema, array, i, known)
                                    : pystoa_value(state, schema, array, i);
        if (value == NULL || PyList_SetItem(list, (Py_ssize_t)i, value) < 0) {
            Py_CLEAR(list);
        }
    }
    free(known);
    return list;
}
