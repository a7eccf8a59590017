/* The smaller of two counts, their order for qsort(), and their place in an order. */
#ifndef STOA_CORE_MIN_OF_H
#define STOA_CORE_MIN_OF_H

#include <stddef.h>
#include <stdint.h>

static inline uint64_t stoa_min_of(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static inline int stoa_order_u64(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a;
    const uint64_t y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* The first of n ascending values that is not below `value`; n if there is none. */
static inline size_t stoa_place_of_u64(const uint64_t *values, size_t n, uint64_t value)
{
    size_t low = 0;

    for (size_t high = n; low < high;) {
        const size_t middle = low + (high - low) / 2;
        if (values[middle] < value) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

#endif
