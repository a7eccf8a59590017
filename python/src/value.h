/* One value of an Arrow array as a Python object. */
#ifndef PYSTOA_VALUE_H
#define PYSTOA_VALUE_H

#include "module.h"

/* Whether value i, counted from the array's offset, is there. */
bool pystoa_value_is_valid(const struct ArrowArray *array, int64_t i);

/* None, bool, int, float, str, bytes, datetime's types, Decimal, a list or a dict; a label for a
 * code. */
PyObject *pystoa_value(const pystoa_state *state, const struct ArrowSchema *schema,
                       const struct ArrowArray *array, int64_t i);

/* A list of all values. Texts that repeat are one object, as far as they are met again soon. */
PyObject *pystoa_value_list(const pystoa_state *state, const struct ArrowSchema *schema,
                            const struct ArrowArray *array);

#endif
