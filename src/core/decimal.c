/*
 * Decimal numbers of up to twenty digits as doubles.
 *
 * Eisel and Lemire's algorithm (D. Lemire, "Number Parsing at a Gigabyte per Second", 2021): a
 * product with a power of five to 128 bits has all bits that rounding needs. That this holds for
 * each 64-bit integer, so that no other way is needed, is shown by N. Mushtak and D. Lemire, "Fast
 * Number Parsing Without Fallback", 2023.
 */
#include <math.h>

#include "core/float_bits.h"
#include "core/powers_of_five.h"
#include "core/text.h"

enum {
    FRACTION_BITS = 52,
    BIAS = 1023,
    KEPT_BITS = FRACTION_BITS + 3, /* the leading bits, one to round by, and one that may be 0 */
    CUT_BITS = 64 - KEPT_BITS,
    INFINITE = 2047
};

/* The power of two that 5^power is at least, and 10^power has beside it. */
static int exponent_of(int power)
{
    return ((152170 + 65536) * power >> 16) + 63;
}

static double of_bits(uint64_t fraction, int biased)
{
    return stoa_f64_of_bits((uint64_t)biased << FRACTION_BITS | fraction);
}

/* The first 128 bits of the product, of which the lowest may be too low. */
static stoa_wide product_of(uint64_t integer, int power)
{
    stoa_wide five = stoa_power_of_five(power);

    if (power < 0 && power >= -27) {
        five.low++; /* quotients that are exact must not be below themselves */
    }
    stoa_wide product = stoa_multiply(integer, five.high);
    if ((product.high & (UINT64_MAX >> KEPT_BITS)) == UINT64_MAX >> KEPT_BITS) {
        const uint64_t more = stoa_multiply(integer, five.low).high;
        product.low += more;
        product.high += product.low < more;
    }
    return product;
}

double stoa_decimal_f64(uint64_t integer, int exponent)
{
    if (integer == 0 || exponent < STOA_LEAST_POWER) {
        return 0.0;
    }
    if (exponent > 308) {
        return HUGE_VAL;
    }
    const int shift = __builtin_clzll(integer);
    const stoa_wide product = product_of(integer << shift, exponent);
    const int upper = (int)(product.high >> 63);
    uint64_t bits = product.high >> (upper + CUT_BITS);
    int biased = exponent_of(exponent) + upper - shift + BIAS;

    if (biased <= 0) { /* below the normal range; no tie is possible here */
        bits = biased < -62 ? 0 : bits >> (1 - biased);
        bits = (bits + (bits & 1)) >> 1;
        return of_bits(bits, 0); /* 2^52 is the least normal number */
    }
    /* Halfway between two doubles, which only few powers make possible: to even. */
    if (product.low <= 1 && exponent >= -4 && exponent <= 23 && (bits & 3) == 1 &&
        bits << (upper + CUT_BITS) == product.high) {
        bits &= ~UINT64_C(1);
    }
    bits = (bits + (bits & 1)) >> 1;
    if (bits >> (FRACTION_BITS + 1) != 0) {
        bits >>= 1;
        biased++;
    }
    return biased >= INFINITE ? HUGE_VAL : of_bits(bits & ~(UINT64_C(1) << FRACTION_BITS), biased);
}
