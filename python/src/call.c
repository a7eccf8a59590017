#include "call.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* --- Ctrl-C and progress ---------------------------------------------------------------------- */

static uint64_t now(void)
{
    struct timespec time = {0};

    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* Python's handlers run in its main thread only; elsewhere this finds nothing. A thread that Python
 * does not know is not asked, since another that holds the GIL may wait for it. */
static bool is_interrupted(void *unused)
{
    (void)unused;
    if (PyGILState_GetThisThreadState() == NULL) {
        return false;
    }
    const PyGILState_STATE state = PyGILState_Ensure();
    const bool found = PyErr_Occurred() != NULL || PyErr_CheckSignals() != 0;
    PyGILState_Release(state);
    return found;
}

static bool report(PyObject *progress, const stoa_progress *is)
{
    const PyGILState_STATE state = PyGILState_Ensure();
    PyObject *const result =
        PyObject_CallFunction(progress, "sKK", is->stage, (unsigned long long)is->rows,
                              (unsigned long long)is->total_rows);

    Py_XDECREF(result);
    PyGILState_Release(state);
    return result != NULL;
}

static bool listen(void *context, const stoa_progress *progress)
{
    enum { PAUSE = 20000000 }; /* nanoseconds */
    pystoa_call *const call = context;
    const uint64_t time = now();

    if (time - call->looked < PAUSE) {
        return true;
    }
    call->looked = time;
    return !is_interrupted(NULL) &&
           (call->progress == NULL || PyGILState_GetThisThreadState() == NULL ||
            report(call->progress, progress));
}

stoa_listener pystoa_listener(pystoa_call *call)
{
    return (stoa_listener){listen, call};
}

stoa_file_patience pystoa_patience(void)
{
    stoa_file_patience patience = STOA_FILE_PATIENCE_INIT;

    patience.stop = is_interrupted;
    return patience;
}

/* --- errors ----------------------------------------------------------------------------------- */

PyObject *pystoa_raise(const pystoa_state *state, const stoa_error *err)
{
    if (PyErr_Occurred() != NULL) {
        return NULL;
    }
    PyObject *const where = PyUnicode_DecodeFSDefault(err->where);
    PyObject *const message =
        PyUnicode_DecodeUTF8(err->message, (Py_ssize_t)strlen(err->message), "replace");
    PyObject *const error =
        where != NULL && message != NULL
            ? PyObject_CallMethod(state->errors, "make", "iOO", (int)err->status, where, message)
            : NULL;

    if (error != NULL) {
        PyErr_SetObject((PyObject *)Py_TYPE(error), error);
    }
    Py_XDECREF(error);
    Py_XDECREF(message);
    Py_XDECREF(where);
    return NULL;
}

stoa_status pystoa_fail(stoa_error *err, stoa_status status, const char *format, ...)
{
    va_list values;

    *err = (stoa_error)STOA_ERROR_INIT;
    err->status = status;
    va_start(values, format);
    (void)vsnprintf(err->message, sizeof err->message, format, values);
    va_end(values);
    return status;
}

/* --- the GIL ---------------------------------------------------------------------------------- */

pystoa_gil pystoa_gil_leave(void)
{
    pystoa_gil gil = {.is_known = PyGILState_GetThisThreadState() != NULL};

    if (gil.is_known) { /* only what is held can be given up */
        gil.state = PyGILState_Ensure();
        gil.thread = PyEval_SaveThread();
    }
    return gil;
}

void pystoa_gil_return(pystoa_gil gil)
{
    if (gil.is_known) {
        PyEval_RestoreThread(gil.thread);
        PyGILState_Release(gil.state);
    }
}

/* --- text ------------------------------------------------------------------------------------- */

static bool count_of(PyObject *number, uint64_t most, uint64_t *out)
{
    *out = PyLong_AsUnsignedLongLong(number);
    const bool is_number = PyErr_Occurred() == NULL;

    if (is_number ? *out > most : PyErr_ExceptionMatches(PyExc_OverflowError) != 0) {
        PyErr_Clear();
        PyErr_Format(PyExc_ValueError, "a count is a number from 0 to %llu, not %R",
                     (unsigned long long)most, number);
    }
    return PyErr_Occurred() == NULL;
}

int pystoa_count(PyObject *number, void *out)
{
    return count_of(number, UINT64_MAX, out);
}

int pystoa_small_count(PyObject *number, void *out)
{
    uint64_t count = 0;
    const bool is = count_of(number, UINT_MAX, &count);

    *(unsigned *)out = (unsigned)count;
    return is;
}

PyObject *pystoa_path(PyObject *path)
{
    PyObject *bytes = NULL;

    return PyUnicode_FSConverter(path, &bytes) != 0 ? bytes : NULL;
}

const char *pystoa_text(PyObject *text)
{
    Py_ssize_t length = 0;

    if (!PyUnicode_Check(text)) {
        PyErr_Format(PyExc_TypeError, "expected a str, not %R", (PyObject *)Py_TYPE(text));
        return NULL;
    }
    const char *const utf8 = PyUnicode_AsUTF8AndSize(text, &length);
    if (utf8 != NULL && strlen(utf8) != (size_t)length) {
        PyErr_SetString(PyExc_ValueError, "a text with a NUL character is no name or expression");
        return NULL;
    }
    return utf8;
}

const char *pystoa_text_or_null(PyObject *text)
{
    return text == NULL || text == Py_None ? NULL : pystoa_text(text);
}

PyObject *pystoa_str(const char *text)
{
    if (text == NULL) {
        Py_RETURN_NONE;
    }
    return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "surrogateescape");
}
