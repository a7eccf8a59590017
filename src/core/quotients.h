/*
 * Quotients by a constant, rounded down, without divisions: loops of them become vectors.
 *
 * Powers of two are shifted out of both numbers. The rest of the dividend, which is at most 2^50 in
 * magnitude, is exact as a double. Its product with the inverse is off by less than half a step of
 * 1 / odd. The quotient is moved down by half a whole and up by half a step. So the nearest whole
 * number is the quotient that was rounded down, and is never a tie.
 */
#ifndef STOA_CORE_QUOTIENTS_H
#define STOA_CORE_QUOTIENTS_H

#include <stdbool.h>
#include <stdint.h>

/* Adding it to a whole number of at most 2^51 in magnitude puts that number into the low bits. */
#define STOA_WHOLE 0x1.8p52
#define STOA_WHOLE_BITS INT64_C(0x4338000000000000)

typedef union stoa_double_bits {
    double f64;
    int64_t i64;
} stoa_double_bits;

typedef struct stoa_divisor {
    int64_t by; /* above 0 */
    int shift;
    double inverse; /* of by >> shift */
    double down;
    int64_t least; /* quotients of dividends in [least, greatest] are right */
    int64_t greatest;
} stoa_divisor;

static inline stoa_divisor stoa_divisor_of(int64_t by)
{
    enum { BITS = 50 };
    const int shift = __builtin_ctzll((uint64_t)by);
    const int64_t odd = by >> shift;
    const int64_t most = shift < 63 - BITS ? INT64_C(1) << (BITS + shift) : INT64_MAX;

    return (stoa_divisor){
        .by = by,
        .shift = shift,
        .inverse = 1 / (double)odd,
        .down = 0.5 - 0.5 / (double)odd,
        .least = odd >> BITS != 0 ? INT64_MAX : -most,
        .greatest = odd >> BITS != 0 ? INT64_MIN : most,
    };
}

/* x / by, rounded down; any number if x is beyond the divisor's range. */
static inline int64_t stoa_quotient(const stoa_divisor *divisor, int64_t x)
{
    const stoa_double_bits dividend = {
        .i64 = (int64_t)((uint64_t)(x >> divisor->shift) + (uint64_t)STOA_WHOLE_BITS)};
    const double quotient = (dividend.f64 - STOA_WHOLE) * divisor->inverse;
    const stoa_double_bits whole = {.f64 = quotient - divisor->down + STOA_WHOLE};

    return (int64_t)((uint64_t)whole.i64 - (uint64_t)STOA_WHOLE_BITS);
}

/* Widen a range to the values of a loop. */
#define STOA_WIDEN(x, least, greatest)                                                             \
    do {                                                                                           \
        least = (x) < least ? (x) : least;                                                         \
        greatest = (x) > greatest ? (x) : greatest;                                                \
    } while (0)

/* Whether the quotients of all dividends in [least, greatest] are right. */
static inline bool stoa_is_in_range(const stoa_divisor *divisor, int64_t least, int64_t greatest)
{
    return least >= divisor->least && greatest <= divisor->greatest;
}

#endif
