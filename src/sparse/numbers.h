/* Numbers as they lie in a file, of either byte order: what it takes to add them up. */
#ifndef STOA_SPARSE_NUMBERS_H
#define STOA_SPARSE_NUMBERS_H

#include "core/error.h"
#include "hdf/hdf5.h"
#include "sparse/format.h"

typedef struct stoa_number_form {
    stoa_number_class class;
    size_t size;     /* 1, 2, 4 or 8 bytes; of floats 4 or 8 */
    bool is_swapped; /* not this processor's byte order */
    unsigned lanes;  /* 2: a compound of real and imaginary part */
} stoa_number_form;

/* STOA_ETYPE for anything but integers of 8 to 64 bits, floats of 32 and 64, and complex numbers
 * that are compounds of two such floats. */
stoa_status stoa_number_form_of(hid_t type, stoa_number_form *form, stoa_error *err);

/* *to += *value; integers wrap around. */
void stoa_number_add(const stoa_number_form *form, uint8_t *to, const uint8_t *value);

/* As doubles, rounded to nearest where these are too short; one lane. */
void stoa_number_widen(const stoa_number_form *form, const uint8_t *values, size_t n,
                       double *doubles);

#endif
