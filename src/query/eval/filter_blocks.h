/*
 * Vector tests of 64 values, for the loops of filter_body.h. Include after one of
 * core/simd_<set>.h.
 */
#ifndef STOA_QUERY_FILTER_BLOCKS_H
#define STOA_QUERY_FILTER_BLOCKS_H

#include <string.h>

#include "core/memory.h"
#include "query/eval/filter.h"

/* The k-th vector of the block. */
#define X(k) simd_load(values + (size_t)(k)*SIMD_BYTES)
/* Bit i of byte i. */
#define POWERS UINT64_C(0x8040201008040201)

#define DEFINE_BLOCK(name, size, LOW, SPAN, TRUTH)                                                 \
    static inline uint64_t name(const uint8_t *values, const stoa_bounds *b)                       \
    {                                                                                              \
        const simd low = simd_splat_##size(LOW);                                                   \
        const simd span = simd_splat_##size(SPAN);                                                 \
        return SIMD_BITS_##size(TRUTH);                                                            \
    }

#define WITHIN_8(k) simd_at_most_8(simd_sub_8(X(k), low), span)
#define WITHIN_16(k) simd_at_most_16(simd_sub_16(X(k), low), span)
#define WITHIN_32(k) simd_at_most_32(simd_sub_32(X(k), low), span)
DEFINE_BLOCK(block_8, 8, b->low, b->span, WITHIN_8)
DEFINE_BLOCK(block_16, 16, b->low, b->span, WITHIN_16)
DEFINE_BLOCK(block_32, 32, b->low, b->span, WITHIN_32)

/* Only signed comparison is available, so both sides are shifted by half the range. */
#define HALF_RANGE (UINT64_C(1) << 63)
#define BEYOND_64(k) simd_above_64(simd_sub_64(X(k), low), span)
DEFINE_BLOCK(beyond_64, 64, b->low ^ HALF_RANGE, b->span ^ HALF_RANGE, BEYOND_64)

static inline uint64_t block_64(const uint8_t *values, const stoa_bounds *b)
{
    return ~beyond_64(values, b);
}

static inline simd f16_keys(simd x)
{
    return simd_xor(x, simd_right_16(simd_signs_16(x), 1));
}

#define WITHIN_F16(k) simd_at_most_16(simd_sub_16(f16_keys(X(k)), low), span)
DEFINE_BLOCK(block_f16, 16, b->low, b->span, WITHIN_F16)

static inline uint64_t block_f32(const uint8_t *values, const stoa_bounds *b)
{
    const simd least = simd_splat_f32((float)b->least);
    const simd greatest = simd_splat_f32((float)b->greatest);

#define WITHIN_F32(k) simd_between_f32(X(k), least, greatest)
    return SIMD_BITS_32(WITHIN_F32);
}

static inline uint64_t block_f64(const uint8_t *values, const stoa_bounds *b)
{
    const simd least = simd_splat_f64(b->least);
    const simd greatest = simd_splat_f64(b->greatest);

#define WITHIN_F64(k) simd_between_f64(X(k), least, greatest)
    return SIMD_BITS_64(WITHIN_F64);
}

/* Find the byte of the table that holds a value's bit, and test the bit. */
static inline simd_truth_8 in_table(simd x, const uint8_t *table)
{
    const simd place = simd_and(simd_right_16(x, 3), simd_splat_8(31));
    const simd bit = simd_look_up(simd_splat_64(POWERS), simd_and(x, simd_splat_8(7)));

    return simd_has_8(simd_look_up_32(table, place), bit);
}

static inline uint64_t block_table(const uint8_t *values, const uint8_t *table)
{
#define IN_TABLE(k) in_table(X(k), table)
    return SIMD_BITS_8(IN_TABLE);
}

/* Whether bits of a table of 128 bytes are set. */
static inline simd_truth_8 in_sieve_table(const uint8_t *table, simd byte, simd bit)
{
    const simd power = simd_look_up(simd_splat_64(POWERS), simd_and(bit, simd_splat_8(7)));

    return simd_has_8(simd_look_up_128(table, byte), power);
}

/* Test as many values as a vector has bytes, by their hashes. */
static inline simd_truth_8 in_sieve(const stoa_sieve *sieve, const simd hashes[4])
{
    simd high;
    simd low;

    simd_upper_bytes(hashes, &high, &low);
    const simd_truth_8 both = in_sieve_table(sieve->tables[0], high, low) &
                              in_sieve_table(sieve->tables[1], low, simd_right_16(high, 5));
    return simd_in_order(both);
}

static inline simd_truth_8 in_sieve_32(const uint8_t *values, const stoa_sieve *sieve)
{
    const simd factor = simd_splat_32(STOA_SIEVE_FACTOR);
    simd hashes[4];

    for (int i = 0; i < 4; i++) {
        hashes[i] = simd_mul_32(X(i), factor);
    }
    return in_sieve(sieve, hashes);
}

static inline simd_truth_8 in_sieve_64(const uint8_t *values, const stoa_sieve *sieve)
{
    const simd factor = simd_splat_32(STOA_SIEVE_FACTOR);
    simd hashes[4];

    for (int i = 0; i < 4; i++) {
        hashes[i] = simd_mul_32(simd_fold_64(X(2 * i), X(2 * i + 1)), factor);
    }
    return in_sieve(sieve, hashes);
}

static inline uint64_t block_sieve_32(const uint8_t *values, const stoa_sieve *sieve)
{
#define IN_SIEVE_32(k) in_sieve_32(values + (size_t)(k)*4 * SIMD_BYTES, sieve)
    return SIMD_BITS_8(IN_SIEVE_32);
}

static inline uint64_t block_sieve_64(const uint8_t *values, const stoa_sieve *sieve)
{
#define IN_SIEVE_64(k) in_sieve_64(values + (size_t)(k)*8 * SIMD_BYTES, sieve)
    return SIMD_BITS_8(IN_SIEVE_64);
}

static inline uint64_t pack_flags(const uint8_t values[64])
{
    const simd one = simd_splat_8(1);

#define IS_SET(k) simd_has_8(X(k), one)
    return SIMD_BITS_8(IS_SET);
}

#include "query/eval/filter_body.h"

#endif
