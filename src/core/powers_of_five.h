/* Powers of five to 128 bits, for conversions between binary and decimal floating point. */
#ifndef STOA_CORE_POWERS_OF_FIVE_H
#define STOA_CORE_POWERS_OF_FIVE_H

#include <stdint.h>

/* From the least double to the greatest, and 19 digits more for texts that are read. */
#define STOA_LEAST_POWER (-342)
#define STOA_GREATEST_POWER 324

typedef struct stoa_wide {
    uint64_t high;
    uint64_t low;
} stoa_wide;

/* The first 128 bits of 5^power, the top bit set and the rest cut off. 5^0 to 5^55 are exact. */
stoa_wide stoa_power_of_five(int power);

/* The 128 bits of a product. */
static inline stoa_wide stoa_multiply(uint64_t a, uint64_t b)
{
#if defined(__SIZEOF_INT128__)
    __extension__ typedef unsigned __int128 wide;
    const wide product = (wide)a * b;

    return (stoa_wide){(uint64_t)(product >> 64), (uint64_t)product};
#else
    const uint64_t low = (a & UINT32_MAX) * (b & UINT32_MAX);
    const uint64_t left = (a >> 32) * (b & UINT32_MAX) + (low >> 32);
    const uint64_t right = (a & UINT32_MAX) * (b >> 32) + (left & UINT32_MAX);

    return (stoa_wide){(a >> 32) * (b >> 32) + (left >> 32) + (right >> 32),
                       right << 32 | (low & UINT32_MAX)};
#endif
}

#endif
