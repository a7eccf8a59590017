#include "sparse/clip.h"

#include <string.h>

/* Where the row of a position ends, and which positions of it are in the box. */
typedef struct row {
    uint64_t from, to;
    uint64_t end;
} row;

static row row_of(const stoa_shape *shape, const stoa_box *part, uint64_t position)
{
    const unsigned last = shape->rank - 1;
    const uint64_t begin = position - position % shape->chunk[last];
    row r = {.from = begin + part->start[last], .end = begin + shape->chunk[last]};

    r.to = r.from + part->count[last];
    position /= shape->chunk[last];
    for (unsigned i = last; i-- > 0;) {
        const uint64_t at = position % shape->chunk[i];
        if (at < part->start[i] || at - part->start[i] >= part->count[i]) {
            r.to = r.from;
        }
        position /= shape->chunk[i];
    }
    return r;
}

void stoa_clip(const stoa_shape *shape, const stoa_box *part, size_t value_size,
               const stoa_sparse_chunk *chunk, stoa_sparse_chunk *to)
{
    row r = {0, 0, 0};
    size_t kept = 0;

    for (size_t i = 0; i < chunk->n; i++) {
        const uint32_t position = chunk->positions[i];
        if (position >= r.end) {
            r = row_of(shape, part, position);
        }
        if (position < r.from || position >= r.to) {
            continue;
        }
        to->positions[kept] = position;
        if (value_size > 0 && to->values + kept * value_size != chunk->values + i * value_size) {
            memcpy(to->values + kept * value_size, chunk->values + i * value_size, value_size);
        }
        kept++;
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
