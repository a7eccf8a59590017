/* Look up the values of points in a chunk. Most often the next requested element is the next one in
 * the chunk. */
#ifndef STOA_SPARSE_POINTS_LOOKUP_H
#define STOA_SPARSE_POINTS_LOOKUP_H

#include "core/cpu.h"
#include "sparse/format/chunk.h"

/* Cursor into a chunk's elements. */
typedef struct stoa_chunk_cursor {
    const stoa_sparse_chunk *list;
    size_t at;     /* index of the first element at or after `last` */
    uint32_t last; /* a position */
} stoa_chunk_cursor;

/* Write the values of the elements at n positions, in any order, to `to`. Undefined elements get
 * `fill`. */
typedef void stoa_chunk_cursor_get(stoa_chunk_cursor *finger, const uint32_t *places, uint32_t n,
                                   size_t size, const uint8_t *fill, uint8_t *to);

/* One implementation per instruction set. */
stoa_chunk_cursor_get stoa_chunk_cursor_get_scalar;
#if defined(__x86_64__)
stoa_chunk_cursor_get stoa_chunk_cursor_get_avx512;
#endif

static inline stoa_chunk_cursor_get *stoa_chunk_cursor_get_of(stoa_simd simd)
{
    return STOA_KERNEL_OF(simd, stoa_chunk_cursor_get);
}

/* --- shared by the implementations ----------------------------------------------------------- */

/* The value of the element at one position, before or after the cursor. */
static inline void stoa_chunk_cursor_find(stoa_chunk_cursor *finger, uint32_t place, size_t size,
                                          const uint8_t *fill, uint8_t *to)
{
    const stoa_sparse_chunk *list = finger->list;
    const uint32_t *positions = list->positions;
    const size_t n = list->n;
    size_t low = place >= finger->last ? finger->at : 0;

    if (low < n && positions[low] < place) { /* exponential search from the cursor */
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

/* Prefetch what follows the cursor. Other chunks are read before this one is used again. */
static inline void stoa_chunk_cursor_leave(const stoa_chunk_cursor *finger, size_t size)
{
    enum { LINE = 16 }; /* positions in a cache line */
    const stoa_sparse_chunk *list = finger->list;

    if (list->n - finger->at > LINE) {
        __builtin_prefetch(list->positions + finger->at + LINE);
        __builtin_prefetch(list->values + (finger->at + LINE) * size);
    }
}

#endif
