/* Values of points in a chunk's elements, of which the next one asked for most often is the next
 * one there. */
#ifndef STOA_SPARSE_POINTS_LOOK_H
#define STOA_SPARSE_POINTS_LOOK_H

#include "core/cpu.h"
#include "sparse/chunk.h"

/* Where a walk through a chunk's elements has got to. */
typedef struct stoa_finger {
    const stoa_sparse_chunk *list;
    size_t at;     /* the first element at `last` or behind */
    uint32_t last; /* position */
} stoa_finger;

/* The values of the elements at n places, which are in no order, to `to`; `fill` where there is
 * none. */
typedef void stoa_finger_get(stoa_finger *finger, const uint32_t *places, uint32_t n, size_t size,
                             const uint8_t *fill, uint8_t *to);

/* One of each instruction set. */
stoa_finger_get stoa_finger_get_scalar;
#if defined(__x86_64__)
stoa_finger_get stoa_finger_get_avx512;
#endif

static inline stoa_finger_get *stoa_finger_get_of(stoa_simd simd)
{
    return STOA_KERNEL_OF(simd, stoa_finger_get);
}

/* --- what they share ------------------------------------------------------------------------- */

/* The value of the element at a place, wherever that is. */
static inline void stoa_finger_find(stoa_finger *finger, uint32_t place, size_t size,
                                    const uint8_t *fill, uint8_t *to)
{
    const stoa_sparse_chunk *list = finger->list;
    const uint32_t *positions = list->positions;
    const size_t n = list->n;
    size_t low = place >= finger->last ? finger->at : 0;

    if (low < n && positions[low] < place) { /* steps from the one before double */
        size_t step = 1;
        while (step < n - low && positions[low + step] < place) {
            low += step;
            step *= 2;
        }
        size_t high = step < n - low ? low + step : n;
        low++;
        while (low < high) {
            const size_t middle = low + (high - low) / 2;
            if (positions[middle] < place) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
    }
    const bool is_there = low < n && positions[low] == place;
    stoa_value_copy(to, is_there ? list->values + low * size : fill, size);
    finger->at = low + is_there;
    finger->last = place + is_there;
}

/* Before more is asked for, other chunks are: what comes then would be far. */
static inline void stoa_finger_leave(const stoa_finger *finger, size_t size)
{
    enum { LINE = 16 }; /* positions of a cache line */
    const stoa_sparse_chunk *list = finger->list;

    if (list->n - finger->at > LINE) {
        __builtin_prefetch(list->positions + finger->at + LINE);
        __builtin_prefetch(list->values + (finger->at + LINE) * size);
    }
}

#endif
