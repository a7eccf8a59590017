/* 64 bytes of CSV text in vectors, for the loops of scan_body.h. Include it after one of
 * core/simd_<set>.h. */
#ifndef STOA_LAYOUT_CSV_SCAN_VECTORS_H
#define STOA_LAYOUT_CSV_SCAN_VECTORS_H

#include <stdint.h>

typedef const char *word64;

static inline word64 load(const char *text)
{
    return text;
}

#define X(k) simd_load(*word + (k)*SIMD_BYTES)

static inline uint64_t equal(const word64 *word, char c)
{
    const simd wanted = simd_splat_8(c);

#define IS_WANTED(k) simd_equal_8(X(k), wanted)
    return SIMD_BITS_8(IS_WANTED);
}

static inline uint64_t high(const word64 *word)
{
#define IS_HIGH(k) simd_negative_8(X(k))
    return SIMD_BITS_8(IS_HIGH);
}

#include "layout/csv/scan_body.h"

#endif
