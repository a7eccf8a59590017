/* Values of points in a chunk's elements, of which the next one asked for most often is the next
 * one there. */
#ifndef STOA_SPARSE_POINTS_LOOK_H
#define STOA_SPARSE_POINTS_LOOK_H

#include "sparse/chunk.h"

/* Where a walk through a chunk's elements has got to. */
typedef struct stoa_finger {
    const stoa_sparse_chunk *list;
    size_t at;     /* the first element at `last` or behind */
    uint32_t last; /* position */
} stoa_finger;

/* The values of the elements at n places, which are in no order, to `to`; `fill` where there is
 * none. */
void stoa_finger_get(stoa_finger *finger, const uint32_t *places, uint32_t n, size_t size,
                     const uint8_t *fill, uint8_t *to);

#endif
