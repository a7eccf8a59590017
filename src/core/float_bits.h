/* Floats as their bits, and back; and integers as floats. */
#ifndef STOA_CORE_FLOAT_BITS_H
#define STOA_CORE_FLOAT_BITS_H

#include <stdint.h>
#include <string.h>

static inline double stoa_f64_of_bits(uint64_t bits)
{
    double value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint64_t stoa_bits_of_f64(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline float stoa_f32_of_bits(uint32_t bits)
{
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint32_t stoa_bits_of_f32(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* (double)x, without an instruction that vectors lack before AVX-512. The upper half of x is exact
 * as a multiple of 2^32, and so is the difference: only the sum is rounded. */
static inline double stoa_f64_of_u64(uint64_t x)
{
    const double upper = stoa_f64_of_bits(x >> 32 | stoa_bits_of_f64(0x1p84));
    const double lower = stoa_f64_of_bits((x & UINT32_MAX) | stoa_bits_of_f64(0x1p52));

    return upper - (0x1p84 + 0x1p52) + lower;
}

static inline double stoa_f64_of_i64(int64_t x)
{
    const uint64_t moved = (uint64_t)x ^ UINT64_C(1) << 63;
    const double upper = stoa_f64_of_bits(moved >> 32 | stoa_bits_of_f64(0x1p84));
    const double lower = stoa_f64_of_bits((moved & UINT32_MAX) | stoa_bits_of_f64(0x1p52));

    return upper - (0x1p84 + 0x1p63 + 0x1p52) + lower;
}

#endif
