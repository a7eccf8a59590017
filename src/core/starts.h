/* Finds the part of a sequence that has a number, where each part has the number of its first. */
#ifndef STOA_CORE_STARTS_H
#define STOA_CORE_STARTS_H

#include <stddef.h>
#include <stdint.h>

/* The last of n ascending starts that is not above `number`; 0 if there is none. They are `stride`
 * bytes apart. */
static inline size_t stoa_starts_find(const uint64_t *starts, size_t stride, size_t n,
                                      uint64_t number)
{
    const uint8_t *const bytes = (const uint8_t *)starts;
    size_t low = 0;
    size_t high = n;

    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (*(const uint64_t *)(const void *)(bytes + middle * stride) <= number) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

#endif
