/* What the files behind relayout.h share. */
#ifndef STOA_SPARSE_RELAYOUT_PARTS_H
#define STOA_SPARSE_RELAYOUT_PARTS_H

#include "hdf/types.h"
#include "sparse/relayout.h"

/* One value, to be told from others: bit by bit (0.0 is not -0.0), but every NaN is NaN, and an
 * empty string of variable length stands for none at all (NULL), too. */
typedef struct stoa_one_value {
    stoa_element element;
    uint8_t *bytes; /* element.size, as in memory; NULL: there is none */
} stoa_one_value;

#define STOA_ONE_VALUE_INIT                                                                        \
    {                                                                                              \
        .element = {.mem_type = H5I_INVALID_HID }                                                  \
    }

/* @return STOA_EINVAL where the text is no value of the type; STOA_ETYPE where elements have no
 *         text */
stoa_status stoa_one_value_of(const char *text, hid_t type, stoa_one_value *value, stoa_error *err);
void stoa_one_value_clear(stoa_one_value *value);
/* A string or sequence of variable length without anything in it. */
bool stoa_one_value_is_empty(const stoa_one_value *value);
/* Which of n elements of `type` it is: a byte each, 0 or 1. */
stoa_status stoa_one_value_find(const stoa_one_value *value, hid_t type, uint64_t n,
                                const void *elements, uint8_t *is_it, stoa_error *err);

/* Every element of `source` into `copy`, sparse or dense as these are. */
stoa_status stoa_relayout_fill(const stoa_relayouts *all, const stoa_relayout *one, hid_t source,
                               hid_t copy, stoa_error *err);

#endif
