/* Clipping of the rows that a box cuts through. Clipping spends most of its time here. */
#ifndef STOA_SPARSE_CLIP_ROWS_H
#define STOA_SPARSE_CLIP_ROWS_H

#include "core/cpu.h"
#include "sparse/format/chunk.h"
#include "sparse/format/shape.h"

/* The row of a position: its end, and the range of its positions that is in a part of the chunk. */
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
 * Keep those of the elements `first` .. end - 1 that are in a part. For a matrix, all of them must
 * be in its rows.
 *
 * @param value_size  0 if there are positions only
 * @param to          has space for end - first; may be `chunk` itself
 * @return the number of elements kept
 */
typedef size_t stoa_clip_rows(const stoa_shape *shape, const stoa_box *part, size_t value_size,
                              const stoa_sparse_chunk *chunk, size_t first, size_t end,
                              stoa_sparse_chunk *to);

/* One implementation per instruction set. */
stoa_clip_rows stoa_clip_rows_scalar;
#if defined(__x86_64__)
stoa_clip_rows stoa_clip_rows_avx2;
stoa_clip_rows stoa_clip_rows_avx512;
#endif

static inline stoa_clip_rows *stoa_clip_rows_of(stoa_simd simd)
{
    return STOA_SIMD_OF_X86(simd, stoa_clip_rows);
}

#endif
