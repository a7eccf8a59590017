/* Vectorized validity mask kernels, 64 elements at a time. Include it after one of
 * core/simd_<set>.h. */
#ifndef STOA_COLUMN_VALIDITY_BODY_H
#define STOA_COLUMN_VALIDITY_BODY_H

#include <string.h>

#include "column/read/validity_loops.h"

/* Store the elements that are not marked as n bits. Returns the number of marked ones. */
static inline uint64_t put_word(uint64_t marked, uint64_t n, uint8_t *bits)
{
    const uint64_t within = n >= 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1;
    const uint64_t word = ~marked & within;

    memcpy(bits, &word, n >= 64 ? sizeof word : (size_t)((n + 7) >> 3));
    return (uint64_t)__builtin_popcountll(marked & within);
}

/* Define a kernel. BITS(TRUTH) gives the marked ones of 64 elements at `values`. An incomplete last
 * block is copied first. */
#define DEFINE_MARK(name, parameters, before, type, BITS, TRUTH)                                   \
    static uint64_t name parameters                                                                \
    {                                                                                              \
        const type *values = elements;                                                             \
        uint64_t n_marked = 0;                                                                     \
        before;                                                                                    \
        for (; n >= 64; n -= 64, values += 64, bits += 8) {                                        \
            n_marked += put_word(BITS(TRUTH), 64, bits);                                           \
        }                                                                                          \
        if (n > 0) {                                                                               \
            type rest[64] = {0};                                                                   \
            memcpy(rest, values, n * sizeof *rest);                                                \
            values = rest;                                                                         \
            n_marked += put_word(BITS(TRUTH), n, bits);                                            \
        }                                                                                          \
        return n_marked;                                                                           \
    }

#define X(k) simd_load((const uint8_t *)values + (size_t)(k)*SIMD_BYTES)
#define UNEQUAL (const void *elements, uint64_t n, uint64_t marker, uint8_t *bits)
#define NUMBERS (const void *elements, uint64_t n, uint8_t *bits)

#define EQUAL_8(k) simd_equal_8(X(k), wanted)
#define EQUAL_16(k) simd_equal_16(X(k), wanted)
#define EQUAL_32(k) simd_equal_32(X(k), wanted)
#define EQUAL_64(k) simd_equal_64(X(k), wanted)
#define EQUAL_TO(vector) const simd wanted = vector
DEFINE_MARK(unequal_1, UNEQUAL, EQUAL_TO(simd_splat_8(marker)), uint8_t, SIMD_BITS_8, EQUAL_8)
DEFINE_MARK(unequal_2, UNEQUAL, EQUAL_TO(simd_splat_16(marker)), uint16_t, SIMD_BITS_16, EQUAL_16)
DEFINE_MARK(unequal_4, UNEQUAL, EQUAL_TO(simd_splat_32(marker)), uint32_t, SIMD_BITS_32, EQUAL_32)
DEFINE_MARK(unequal_8, UNEQUAL, EQUAL_TO(simd_splat_64(marker)), uint64_t, SIMD_BITS_64, EQUAL_64)

/* Without the sign bit, numbers are at most infinity, and NaNs are above it. */
#define SIZE(k) simd_and(X(k), without_sign)
#define NUMBER_16(k) simd_at_most_16(SIZE(k), infinite)
#define NUMBER_32(k) simd_at_most_32(SIZE(k), infinite)
#define NAN_64(k) simd_above_64(SIZE(k), infinite)
#define NO_NUMBERS_16(TRUTH) ~SIMD_BITS_16(TRUTH)
#define NO_NUMBERS_32(TRUTH) ~SIMD_BITS_32(TRUTH)
#define NAN_OVER(magnitude, infinity)                                                              \
    const simd without_sign = magnitude;                                                           \
    const simd infinite = infinity
DEFINE_MARK(numbers_2, NUMBERS, NAN_OVER(simd_splat_16(0x7fff), simd_splat_16(0x7c00)), uint16_t,
            NO_NUMBERS_16, NUMBER_16)
DEFINE_MARK(numbers_4, NUMBERS, NAN_OVER(simd_splat_32(INT32_MAX), simd_splat_32(0x7f800000)),
            uint32_t, NO_NUMBERS_32, NUMBER_32)
DEFINE_MARK(numbers_8, NUMBERS,
            NAN_OVER(simd_splat_64(INT64_MAX), simd_splat_64(0x7ff0000000000000)), uint64_t,
            SIMD_BITS_64, NAN_64)

DEFINE_BELOW(below_1, uint8_t)
DEFINE_BELOW(below_2, uint16_t)
DEFINE_BELOW(below_4, uint32_t)
DEFINE_BELOW(below_8, uint64_t)

#endif
