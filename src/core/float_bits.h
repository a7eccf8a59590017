/* Floats as their bits, and back. */
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

#endif
