/* Arrow arrays, and the Python type Array: values of a column, or a batch of rows. */
#ifndef PYSTOA_ARRAY_H
#define PYSTOA_ARRAY_H

#include "module.h"

/* An Array, which takes over `schema` and `array`, also if it fails. */
PyObject *pystoa_array_new(const pystoa_state *state, struct ArrowSchema *schema,
                           struct ArrowArray *array);

#endif
