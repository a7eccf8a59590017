/* What Python has, as a stream of rows for the library. */
#ifndef PYSTOA_INPUT_H
#define PYSTOA_INPUT_H

#include "module.h"

typedef struct pystoa_input {
    struct ArrowArrayStream stream;
} pystoa_input;

#define PYSTOA_INPUT_INIT                                                                          \
    {                                                                                              \
        {                                                                                          \
            .release = NULL                                                                        \
        }                                                                                          \
    }

/**
 * @param data   an object with __arrow_c_stream__ or __arrow_c_array__, a dict of columns, or an
 *               iterable of these, which are batches
 * @param notes  None, or {column: {key: text}}: metadata of the columns, such as their units
 * @return false with an exception
 */
bool pystoa_input_open(pystoa_state *state, PyObject *data, PyObject *notes, pystoa_input *input);

/* After a call that failed: raise again what `data` raised meanwhile. False if it raised nothing.
 */
bool pystoa_input_raise(pystoa_input *input);

/* With the GIL. */
void pystoa_input_close(pystoa_input *input);

#endif
