#include "sparse/store/clip.h"

#include <string.h>

#include "sparse/store/clip_rows.h"

/* Find the elements between the first and the last position of a part. */
static void find_range(const stoa_shape *shape, const stoa_box *part,
                       const stoa_sparse_chunk *chunk, size_t *first, size_t *end)
{
    uint64_t low = 0;
    uint64_t high = 0;

    *first = 0;
    *end = 0;
    if (stoa_box_is_empty(part, shape->rank)) {
        return;
    }
    for (unsigned i = 0; i < shape->rank; i++) {
        low = low * shape->chunk[i] + part->start[i];
        high = high * shape->chunk[i] + part->start[i] + part->count[i] - 1;
    }
    *first = stoa_sparse_chunk_find(chunk, (uint32_t)low);
    *end = high < UINT32_MAX ? stoa_sparse_chunk_find(chunk, (uint32_t)(high + 1)) : chunk->n;
}

/* Whether a part has only complete rows, or planes. */
static bool has_whole_rows(const stoa_shape *shape, const stoa_box *part)
{
    for (unsigned i = 1; i < shape->rank; i++) {
        if (part->count[i] != shape->chunk[i]) {
            return false;
        }
    }
    return true;
}

void stoa_clip(const stoa_shape *shape, const stoa_box *part, size_t value_size,
               const stoa_sparse_chunk *chunk, stoa_sparse_chunk *to)
{
    size_t i = 0;
    size_t end = 0;

    find_range(shape, part, chunk, &i, &end);
    if (has_whole_rows(shape, part)) {
        to->n = end - i;
        memmove(to->positions, chunk->positions + i, to->n * sizeof *to->positions);
        if (value_size > 0) {
            memmove(to->values, chunk->values + i * value_size, to->n * value_size);
        }
        return;
    }
    to->n = stoa_clip_rows_of(stoa_simd_of_cpu())(shape, part, value_size, chunk, i, end, to);
}

size_t stoa_clip_outside(const stoa_shape *shape, const stoa_box *part,
                         const stoa_sparse_chunk *chunk, uint32_t *outside)
{
    stoa_clipped_row r = {0, 0, 0};
    size_t n = 0;

    for (size_t i = 0; i < chunk->n; i++) {
        const uint32_t position = chunk->positions[i];
        if (position >= r.end) {
            r = stoa_clipped_row_of(shape, part, position);
        }
        if (position < r.from || position >= r.to) {
            outside[n++] = position;
        }
    }
    return n;
}
