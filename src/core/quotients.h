/*
 * Quotients by a constant, rounded down, without divisions: loops of them become vectors.
 *
 * Powers of two are shifted out of both numbers. The rest of the dividend is below 2^50 in
 * magnitude, so it is exact as a double. (odd - 1) / 2 is taken from it: then the nearest whole
 * number is the quotient that was rounded down. It is at least half a step of 1 / odd away from a
 * tie, and the product with the inverse is off by less.
 */
#ifndef STOA_CORE_QUOTIENTS_H
#define STOA_CORE_QUOTIENTS_H

#include <stdbool.h>

#include "core/float_bits.h"

/* Adding it to a whole number of at most 2^51 in magnitude puts that number into the low bits. */
#define STOA_WHOLE 0x1.8p52
#define STOA_WHOLE_BITS UINT64_C(0x4338000000000000)

typedef struct stoa_divisor {
    int64_t by; /* above 0 */
    int shift;
    uint64_t bias;   /* keeps dividends of the range nonnegative */
    uint64_t beyond; /* bits that no such sum has */
    double odd;      /* by >> shift */
    double inverse;  /* of odd */
    double half;     /* (odd - 1) / 2 */
    double zero;     /* 2^52, the shifted bias and `half` */
} stoa_divisor;

static inline stoa_divisor stoa_divisor_of(int64_t by)
{
    enum { BITS = 50 };
    const int shift = __builtin_ctzll((uint64_t)by);
    const int64_t odd = by >> shift;
    const double half = (double)(odd / 2);
    const int top = shift < 63 - BITS ? BITS + shift : 63;

    return (stoa_divisor){
        .by = by,
        .shift = shift,
        .bias = UINT64_C(1) << top,
        .beyond = odd >> BITS != 0 ? UINT64_MAX : ~(((UINT64_C(1) << top) - 1) << 1 | 1),
        .odd = (double)odd,
        .inverse = 1 / (double)odd,
        .half = half,
        .zero = 0x1p52 + (double)(UINT64_C(1) << (top - shift)) + half,
    };
}

/* Whether the quotients of some dividends are right. `bits` are all that their sums with the bias
 * have. */
static inline bool stoa_is_in_range(const stoa_divisor *divisor, uint64_t bits)
{
    return (bits & divisor->beyond) == 0;
}

/* The shifted dividend less `half`, and its nearest quotient plus STOA_WHOLE. The quotient of a
 * number beyond the range is never within those of the range: sums with the bits of 2^52 keep the
 * order of large numbers. */
static inline double stoa_whole_quotient(const stoa_divisor *divisor, int64_t x, double *dividend)
{
    const uint64_t sum = ((uint64_t)x + divisor->bias) >> divisor->shift;

    *dividend = stoa_f64_of_bits(sum + stoa_bits_of_f64(0x1p52)) - divisor->zero;
    return *dividend * divisor->inverse + STOA_WHOLE;
}

/* x / by, rounded down. If x is beyond the divisor's range: a number outside of the range's
 * quotients, or the first or last of them. */
static inline int64_t stoa_quotient(const stoa_divisor *divisor, int64_t x)
{
    double dividend;

    return (int64_t)(stoa_bits_of_f64(stoa_whole_quotient(divisor, x, &dividend)) -
                     STOA_WHOLE_BITS);
}

/* What the rounded-down quotient leaves of x, at least 0; any number as above. */
static inline int64_t stoa_floor_rest(const stoa_divisor *divisor, int64_t x)
{
    double dividend;
    const double quotient = stoa_whole_quotient(divisor, x, &dividend) - STOA_WHOLE;
    const uint64_t rest =
        stoa_bits_of_f64(dividend - quotient * divisor->odd + (STOA_WHOLE + divisor->half)) -
        STOA_WHOLE_BITS;
    const uint64_t low = (UINT64_C(1) << divisor->shift) - 1;

    return (int64_t)(rest << divisor->shift | ((uint64_t)x & low));
}

#endif
