/* A call of the library: without the GIL, ended by Ctrl-C, its failure raised as an exception. */
#ifndef PYSTOA_CALL_H
#define PYSTOA_CALL_H

#include "module.h"

typedef struct pystoa_call {
    stoa_error err;
    PyObject *progress; /* called as progress(stage, rows, total_rows); borrowed; NULL: none */
    uint64_t looked;    /* when signals and progress had their last turn, in nanoseconds */
} pystoa_call;

#define PYSTOA_CALL_INIT                                                                           \
    {                                                                                              \
        STOA_ERROR_INIT, NULL, 0                                                                   \
    }

/* A listener for the options of a long call. It looks for Ctrl-C and reports progress, at most
 * twenty times a second. If either raises, the exception stays set in this thread, and the library
 * is told to stop. */
stoa_listener pystoa_listener(pystoa_call *call);

/* The same for waits: stops them on Ctrl-C. */
stoa_file_patience pystoa_patience(void);

/* Raise the failure of a call, or leave the exception that a callback raised. Always NULL. */
PyObject *pystoa_raise(const pystoa_state *state, const stoa_error *err);

/* Fill `err`, as the library does. */
stoa_status pystoa_fail(stoa_error *err, stoa_status status, const char *format, ...)
    STOA_PRINTF(3, 4);

/* A function of the Arrow C interface is called by threads that hold the GIL, by those that do not,
 * and by those that Python does not know. Locks are only waited for without the GIL. */
typedef struct pystoa_gil {
    bool is_known; /* Python knows this thread */
    PyGILState_STATE state;
    PyThreadState *thread;
} pystoa_gil;
pystoa_gil pystoa_gil_leave(void);
void pystoa_gil_return(pystoa_gil gil);

/* Converters of arguments (O&): a number to a uint64_t, or to an unsigned. */
int pystoa_count(PyObject *number, void *out);
int pystoa_small_count(PyObject *number, void *out);

/* The name of a file as the system has it: a new bytes object; NULL with an exception. */
PyObject *pystoa_path(PyObject *path);
/* UTF-8 of a str without NULs; borrowed from it; NULL with an exception. */
const char *pystoa_text(PyObject *text);
/* The same, or NULL without an exception where `text` is None or NULL: see PyErr_Occurred(). */
const char *pystoa_text_or_null(PyObject *text);

/* Text of the library, which should be UTF-8, and None for NULL. */
PyObject *pystoa_str(const char *text);

#endif
