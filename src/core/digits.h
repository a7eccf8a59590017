/* Eight decimal digits at once, as the bytes of a word, the first digit lowest. */
#ifndef STOA_CORE_DIGITS_H
#define STOA_CORE_DIGITS_H

#include <stdint.h>
#include <string.h>

#define STOA_EIGHT_ZEROS UINT64_C(0x3030303030303030)

/* The digits of a number below 10^8, with leading zeros, by halves: of four, of two, of one. Each
 * quotient is a product and a shift, exact for numbers of that size. */
static inline uint64_t stoa_eight_digits(uint32_t value)
{
    const uint64_t fours = value / 10000 + ((uint64_t)(value % 10000) << 32);
    const uint64_t hundreds = (fours * 10486 >> 20) & UINT64_C(0x0000007f0000007f);
    const uint64_t pairs = hundreds + ((fours - hundreds * 100) << 16);
    const uint64_t tens = (pairs * 103 >> 10) & UINT64_C(0x000f000f000f000f);

    return tens + ((pairs - tens * 10) << 8);
}

/* Write the bytes of a word, the lowest first. */
static inline void stoa_put_word(uint64_t word, char *out)
{
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    memcpy(out, &word, sizeof word);
}

#endif
