/* The smaller of two counts. */
#ifndef STOA_CORE_LEAST_H
#define STOA_CORE_LEAST_H

#include <stdint.h>

static inline uint64_t stoa_least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

#endif
