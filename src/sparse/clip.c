#include "sparse/clip.h"

#include <string.h>

/* Where the row of a position ends, and where in it the extent does. */
typedef struct row {
    uint64_t begin;
    uint64_t inside; /* behind the last position that is inside; `begin`: none */
    uint64_t end;
} row;

static row row_of(const stoa_shape *shape, const uint64_t *offset, uint64_t position)
{
    const unsigned last = shape->rank - 1;
    const uint64_t begin = position - position % shape->chunk[last];
    const uint64_t rest = shape->extent[last] - offset[last];
    uint64_t n = rest < shape->chunk[last] ? rest : shape->chunk[last];

    position /= shape->chunk[last];
    for (unsigned i = last; i-- > 0;) {
        if (position % shape->chunk[i] >= shape->extent[i] - offset[i]) {
            n = 0;
        }
        position /= shape->chunk[i];
    }
    return (row){.begin = begin, .inside = begin + n, .end = begin + shape->chunk[last]};
}

size_t stoa_clip(const stoa_shape *shape, const uint64_t *offset, size_t value_size,
                 stoa_sparse_chunk *chunk)
{
    row r = {0, 0, 0};
    size_t kept = 0;

    if (stoa_shape_is_whole(shape, offset)) {
        return 0;
    }
    for (size_t i = 0; i < chunk->n; i++) {
        const uint32_t position = chunk->positions[i];
        if (position >= r.end) {
            r = row_of(shape, offset, position);
        }
        if (position >= r.inside) {
            continue;
        }
        if (kept != i) {
            chunk->positions[kept] = position;
        }
        if (kept != i && value_size > 0) {
            memcpy(chunk->values + kept * value_size, chunk->values + i * value_size, value_size);
        }
        kept++;
    }
    const size_t n_outside = chunk->n - kept;
    chunk->n = kept;
    return n_outside;
}

size_t stoa_clip_outside(const stoa_shape *shape, const uint64_t *offset,
                         const stoa_sparse_chunk *chunk, uint32_t *outside)
{
    row r = {0, 0, 0};
    size_t n = 0;

    for (size_t i = 0; i < chunk->n; i++) {
        const uint32_t position = chunk->positions[i];
        if (position >= r.end) {
            r = row_of(shape, offset, position);
        }
        if (position >= r.inside) {
            outside[n++] = position;
        }
    }
    return n;
}
