/* Arithmetic on numbers as stored in a file, in either byte order. */
#ifndef STOA_SPARSE_NUMBERS_H
#define STOA_SPARSE_NUMBERS_H

#include "core/error.h"
#include "hdf/hdf5.h"
#include "sparse/format/format.h"

typedef struct stoa_number_form {
    stoa_number_class class;
    size_t size;     /* 1, 2, 4 or 8 bytes; 4 or 8 for floats */
    bool is_swapped; /* not in native byte order */
    unsigned lanes;  /* 2 for a compound of real and imaginary part */
} stoa_number_form;

/* @return STOA_ETYPE for any other type than integers of 8 to 64 bits, floats of 32 or 64 bits, and
 *         compounds of two such floats, which are complex numbers */
stoa_status stoa_number_form_of(hid_t type, stoa_number_form *form, stoa_error *err);

/* *to += *value; integer overflow wraps around. */
void stoa_number_add(const stoa_number_form *form, uint8_t *to, const uint8_t *value);

/* Convert to double, rounded to nearest. One lane only. */
void stoa_number_widen(const stoa_number_form *form, const uint8_t *values, size_t n,
                       double *doubles);

#endif
