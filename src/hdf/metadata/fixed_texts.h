/* Fixed-length strings as Arrow utf8: padding removed (notes C7), stored back to back. */
#ifndef STOA_HDF_FIXED_TEXTS_H
#define STOA_HDF_FIXED_TEXTS_H

#include "hdf/metadata/types.h"

/* stoa_fixed_texts_decode() may write this many bytes past the end of the strings. */
#define STOA_TEXTS_SLACK 16

/* Strings of `size` bytes, as a dataset stores them. */
typedef struct stoa_fixed_texts {
    const uint8_t *elements;
    int64_t n;
    size_t size;
    H5T_str_t padding;
    const uint8_t *missing; /* bit set: the string becomes empty; NULL: no missing strings */
} stoa_fixed_texts;

/* Whether no string has padding, so they are already back to back. Always false for NULLTERM. */
bool stoa_fixed_texts_are_full(const stoa_fixed_texts *texts);
/*
 * Store the strings back to back.
 *
 * @param bytes    room for n * size + STOA_TEXTS_SLACK
 * @param offsets  n + 1
 * @return false if the strings exceed INT32_MAX bytes; the offsets are invalid then
 */
bool stoa_fixed_texts_decode(const stoa_fixed_texts *texts, uint8_t *bytes, int32_t *offsets);

#endif
