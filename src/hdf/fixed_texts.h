/* Fixed-length strings as Arrow utf8: without their padding (notes C7), back to back. */
#ifndef STOA_HDF_FIXED_TEXTS_H
#define STOA_HDF_FIXED_TEXTS_H

#include "hdf/types.h"

/* Room behind the bytes that stoa_fixed_texts_take() may write to. */
#define STOA_TEXTS_SLACK 16

/* Strings of `size` bytes as a dataset has them. */
typedef struct stoa_fixed_texts {
    const uint8_t *elements;
    int64_t n;
    size_t size;
    H5T_str_t padding;
    const uint8_t *missing; /* bit set: taken as empty; NULL: none is */
} stoa_fixed_texts;

/* Whether none has padding, so that they are back to back where they lie. NULLTERM: never said. */
bool stoa_fixed_texts_are_full(const stoa_fixed_texts *texts);
/*
 * Take them one after the other.
 *
 * @param bytes    room for n * size + STOA_TEXTS_SLACK
 * @param offsets  n + 1
 * @return false where they are more than INT32_MAX bytes: then the offsets are not to be used
 */
bool stoa_fixed_texts_take(const stoa_fixed_texts *texts, uint8_t *bytes, int32_t *offsets);

#endif
