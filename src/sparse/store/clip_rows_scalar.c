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

size_t stoa_clip_rows_scalar(const stoa_shape *shape, const stoa_box *part, size_t value_size,
                             const stoa_sparse_chunk *chunk, size_t first, size_t end,
                             stoa_sparse_chunk *to)
{
    size_t kept = 0;
    size_t i = first;

    while (i < end) {
        const stoa_clipped_row r = stoa_clipped_row_of(shape, part, chunk->positions[i]);
        const uint64_t width = r.to - r.from;
        /* The loop does not branch on whether an element is kept, which is unpredictable. Elements
         * that are not kept are overwritten by the next one. */
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
    return kept;
}
