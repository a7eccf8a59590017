/* Floats that are whole multiples of a power of ten, as scale-offset's codes. A value is
 * code / 10^decimals + least. As in libhdf5, the arithmetic is that of the values' type. */
#ifndef STOA_CODEC_DECIMALS_H
#define STOA_CODEC_DECIMALS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct stoa_decimals {
    uint32_t size;     /* bytes per value: 4 or 8 */
    uint32_t decimals; /* at most stoa_decimals_most() */
    uint32_t width;    /* bits per code: 1 .. 8 * size - 1 */
    bool swap;         /* values are not in native byte order; codes always are */
    bool has_fill;     /* its code is all ones */
    uint64_t fill;     /* the bits of values: the fill value, and what is added to each quotient */
    uint64_t least;
} stoa_decimals;

/* Up to here powers of ten are exact, so that every pow() gives the same. */
uint32_t stoa_decimals_most(uint32_t size);

/* Turn n codes into values in place. */
void stoa_decimals_decode(const stoa_decimals *form, uint64_t n, uint8_t *values);

/* The least of n values. NaN and the fill value do not count. Infinite if no value does. */
double stoa_decimals_least(const stoa_decimals *form, const uint8_t *values, uint64_t n);

/* Whether each of n values is the fill value, or comes back from a code bit for bit. Updates the
 * greatest code. NaN, -0.0 and values below `least` do not come back. */
bool stoa_decimals_fit(const stoa_decimals *form, const uint8_t *values, uint64_t n,
                       uint64_t *greatest);

/* The codes of n values that fit. */
void stoa_decimals_encode(const stoa_decimals *form, const uint8_t *values, uint64_t n,
                          uint8_t *codes);

#endif
