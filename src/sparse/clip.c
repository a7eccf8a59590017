#include "sparse/clip.h"

#include <string.h>

/* Where the row of a position ends, and which positions of it are in the box. */
typedef struct row {
    uint64_t from, to;
    uint64_t end;
} row;

static row row_of(const stoa_shape *shape, const stoa_box *part, uint32_t position)
{
    const unsigned last = shape->rank - 1;
    const uint32_t width = (uint32_t)shape->chunk[last]; /* a chunk has fewer than 2^32 elements */
    uint32_t above = position / width;
    const uint64_t begin = (uint64_t)above * width;
    row r = {.from = begin + part->start[last], .end = begin + width};

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

/* Elements of a chunk between the first and the last position of a part. */
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

/* From may be to. */
static inline void move_value(uint8_t *to, const uint8_t *from, size_t size)
{
    if (size == 4) {
        uint32_t value;
        memcpy(&value, from, sizeof value);
        memcpy(to, &value, sizeof value);
    } else if (to != from) {
        stoa_value_copy(to, from, size);
    }
}

/* Whether a part has all of the rows, or planes, that it has any of. */
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
    size_t kept = 0;
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
    while (i < end) {
        const row r = row_of(shape, part, chunk->positions[i]);
        const uint64_t width = r.to - r.from;
        /* Nothing branches on what is kept, which nobody could foresee: what is not kept is written
         * over. */
        for (; i < end && chunk->positions[i] < r.end; i++) {
            const uint32_t position = chunk->positions[i];
            to->positions[kept] = position;
            if (value_size > 0) {
                move_value(to->values + kept * value_size, chunk->values + i * value_size,
                           value_size);
            }
            kept += position - r.from < width;
        }
    }
    to->n = kept;
}

size_t stoa_clip_outside(const stoa_shape *shape, const stoa_box *part,
                         const stoa_sparse_chunk *chunk, uint32_t *outside)
{
    row r = {0, 0, 0};
    size_t n = 0;

    for (size_t i = 0; i < chunk->n; i++) {
        const uint32_t position = chunk->positions[i];
        if (position >= r.end) {
            r = row_of(shape, part, position);
        }
        if (position < r.from || position >= r.to) {
            outside[n++] = position;
        }
    }
    return n;
}
