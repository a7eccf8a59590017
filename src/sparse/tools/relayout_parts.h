/* Internals behind relayout.h. */
#ifndef STOA_SPARSE_RELAYOUT_PARTS_H
#define STOA_SPARSE_RELAYOUT_PARTS_H

#include "hdf/metadata/types.h"
#include "sparse/tools/relayout.h"

/* A value to compare elements with. The comparison is bitwise (0.0 differs from -0.0), but all NaN
 * are equal. An empty variable-length string also matches NULL. */
typedef struct stoa_one_value {
    stoa_element element;
    uint8_t *bytes; /* element.size bytes, in the memory type; NULL if there is no value */
} stoa_one_value;

#define STOA_ONE_VALUE_INIT                                                                        \
    {                                                                                              \
        .element = {.mem_type = H5I_INVALID_HID }                                                  \
    }

/* @return STOA_EINVAL if the text is not a value of the type; STOA_ETYPE if the type has no text
 *         form */
stoa_status stoa_one_value_of(const char *text, hid_t type, stoa_one_value *value, stoa_error *err);
void stoa_one_value_clear(stoa_one_value *value);
/* Whether it is an empty variable-length string or sequence. */
bool stoa_one_value_is_empty(const stoa_one_value *value);
/* Compare n elements of `type` with the value; one byte each, 0 or 1. */
stoa_status stoa_one_value_find(const stoa_one_value *value, hid_t type, uint64_t n,
                                const void *elements, uint8_t *is_it, stoa_error *err);

/* Copy every element of `source` into `copy`; each may be sparse or dense. */
stoa_status stoa_relayout_fill(const stoa_relayouts *all, const stoa_relayout *one, hid_t source,
                               hid_t copy, stoa_error *err);

#endif
