/* The smaller of two counts, and their order for qsort(). */
#ifndef STOA_CORE_LEAST_H
#define STOA_CORE_LEAST_H

#include <stdint.h>

static inline uint64_t stoa_least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static inline int stoa_order_u64(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a;
    const uint64_t y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

#endif
