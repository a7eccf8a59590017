/* Exact order of numbers of different types (notes E4). No number is rounded to the other's
 * type. */
#ifndef STOA_QUERY_COMPARE_H
#define STOA_QUERY_COMPARE_H

#include <math.h>
#include <stdint.h>

#define STOA_UNORDERED 2 /* one of them is a NaN */

static inline int stoa_order_i64_f64(int64_t a, double b)
{
    if (isnan(b)) {
        return STOA_UNORDERED;
    }
    if (b >= 0x1p63) {
        return -1;
    }
    if (b < -0x1p63) {
        return 1;
    }
    const int64_t whole = (int64_t)b; /* rounds toward zero */
    if (a != whole) {
        return a < whole ? -1 : 1;
    }
    const double rest = b - (double)whole;
    return (rest < 0) - (rest > 0);
}

static inline int stoa_order_u64_f64(uint64_t a, double b)
{
    if (isnan(b)) {
        return STOA_UNORDERED;
    }
    if (b >= 0x1p64) {
        return -1;
    }
    if (b < 0) {
        return 1;
    }
    const uint64_t whole = (uint64_t)b;
    if (a != whole) {
        return a < whole ? -1 : 1;
    }
    return b > (double)whole ? -1 : 0;
}

static inline int stoa_order_i64_u64(int64_t a, uint64_t b)
{
    if (a < 0) {
        return -1;
    }
    return ((uint64_t)a > b) - ((uint64_t)a < b);
}

#endif
