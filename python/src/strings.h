/* Lists of texts that an option of the library takes. */
#ifndef PYSTOA_STRINGS_H
#define PYSTOA_STRINGS_H

#include "module.h"

/* Texts in rows of `width`, such as pairs; a text may be NULL. They borrow from `keeps`. */
typedef struct pystoa_strings {
    const char **items;
    size_t n; /* rows */
    PyObject *keeps;
} pystoa_strings;

/**
 * @param from  None or NULL, or a sequence: of str if `width` is 1, else of tuples
 * @param[out] out  yours, cleared by pystoa_strings_clear(), also after a failure
 * @return false with an exception
 */
bool pystoa_strings_of(PyObject *from, Py_ssize_t width, pystoa_strings *out);
void pystoa_strings_clear(pystoa_strings *strings);

#endif
