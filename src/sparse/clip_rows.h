/* Elements of a chunk whose rows a box cuts through: most of the time that a box takes goes there.
 */
#ifndef STOA_SPARSE_CLIP_ROWS_H
#define STOA_SPARSE_CLIP_ROWS_H

#include "core/cpu.h"
#include "sparse/chunk.h"
#include "sparse/shape.h"

/* The row of a position: where it ends, and which positions of it are in a part of the chunk. */
typedef struct stoa_clipped_row {
    uint64_t from, to;
    uint64_t end;
} stoa_clipped_row;

static inline stoa_clipped_row stoa_clipped_row_of(const stoa_shape *shape, const stoa_box *part,
                                                   uint32_t position)
{
    const unsigned last = shape->rank - 1;
    const uint32_t width = (uint32_t)shape->chunk[last]; /* a chunk has fewer than 2^32 elements */
    uint32_t above = position / width;
    const uint64_t begin = (uint64_t)above * width;
    stoa_clipped_row r = {.from = begin + part->start[last], .end = begin + width};

    r.to = r.from + part->count[last];
    for (unsigned i = last; i-- > 0;) {
        const uint32_t height = (uint32_t)shape->chunk[i];
        const uint32_t at = above % height;
        if (at < part->start[i] || at - part->start[i] >= part->count[i]) {
            r.to = r.from;
        }
        above /= height;
    }
    return r;
}

/*
 * Keep those of elements `first` .. end - 1 that are in a part; of a matrix, all are in its rows.
 *
 * @param value_size  0: there are positions alone
 * @param to          room for end - first; may be `chunk` itself
 * @return how many are kept
 */
typedef size_t stoa_clip_rows(const stoa_shape *shape, const stoa_box *part, size_t value_size,
                              const stoa_sparse_chunk *chunk, size_t first, size_t end,
                              stoa_sparse_chunk *to);

/* One of each instruction set. */
stoa_clip_rows stoa_clip_rows_scalar;
#if defined(__x86_64__)
stoa_clip_rows stoa_clip_rows_avx512;
#endif

static inline stoa_clip_rows *stoa_clip_rows_of(stoa_simd simd)
{
    return STOA_KERNEL_OF(simd, stoa_clip_rows);
}

#endif
