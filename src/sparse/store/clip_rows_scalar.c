/* Clip row by row. */
#include "sparse/store/clip_rows.h"

/* `from` may equal `to`. */
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

/* Clip with a value size known at compile time. */
static inline size_t keep(const stoa_shape *shape, const stoa_box *part, size_t size,
                          const stoa_sparse_chunk *chunk, size_t first, size_t end,
                          stoa_sparse_chunk *to)
{
    const uint32_t *positions = chunk->positions;
    const uint8_t *values = chunk->values;
    uint32_t *to_positions = to->positions;
    uint8_t *to_values = to->values;
    size_t kept = 0;
    size_t i = first;

    while (i < end) {
        const stoa_clipped_row r = stoa_clipped_row_of(shape, part, positions[i]);
        const uint64_t width = r.to - r.from;
        /* The loop does not branch on whether an element is kept, which is unpredictable. Elements
         * that are not kept are overwritten by the next one. */
        for (; i < end && positions[i] < r.end; i++) {
            const uint32_t position = positions[i];
            to_positions[kept] = position;
            if (size > 0) {
                move_value(to_values + kept * size, values + i * size, size);
            }
            kept += position - r.from < width;
        }
    }
    return kept;
}

size_t stoa_clip_rows_scalar(const stoa_shape *shape, const stoa_box *part, size_t value_size,
                             const stoa_sparse_chunk *chunk, size_t first, size_t end,
                             stoa_sparse_chunk *to)
{
    return value_size == 4   ? keep(shape, part, 4, chunk, first, end, to)
           : value_size == 8 ? keep(shape, part, 8, chunk, first, end, to)
                             : keep(shape, part, value_size, chunk, first, end, to);
}
