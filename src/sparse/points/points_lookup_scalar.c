/* Look up positions one by one. */
#include "sparse/points/points_lookup.h"

/* Copy the values of consecutive elements from the cursor on that match the positions. Often all
 * do. Returns their number. */
static inline uint32_t get_run(stoa_chunk_cursor *f, const uint32_t *places, uint32_t n,
                               size_t size, uint8_t *to)
{
    const stoa_sparse_chunk *list = f->list;
    const size_t left = list->n - f->at;
    const uint32_t most = n < left ? n : (uint32_t)left;
    uint32_t i = 0;

    if (most == 0) {
        return 0;
    }
    const uint32_t *positions = list->positions + f->at;
    const uint8_t *values = list->values + f->at * size;
    while (i < most && positions[i] == places[i]) {
        stoa_value_copy(to + i * size, values + i * size, size);
        i++;
    }
    if (i > 0) {
        f->at += i;
        f->last = places[i - 1] + 1; /* at most UINT32_MAX */
    }
    return i;
}

/* Look up with a value size known at compile time. */
static inline void get(stoa_chunk_cursor *f, const uint32_t *places, uint32_t n, size_t size,
                       const uint8_t *fill, uint8_t *to)
{
    for (uint32_t i = get_run(f, places, n, size, to); i < n;
         i += get_run(f, places + i, n - i, size, to + i * size)) {
        stoa_chunk_cursor_find(f, places[i], size, fill, to + i * size);
        i++;
    }
    stoa_chunk_cursor_leave(f, size);
}

void stoa_chunk_cursor_get_scalar(stoa_chunk_cursor *finger, const uint32_t *places, uint32_t n,
                                  size_t size, const uint8_t *fill, uint8_t *to)
{
    if (size == 4) {
        get(finger, places, n, 4, fill, to);
    } else if (size == 8) {
        get(finger, places, n, 8, fill, to);
    } else {
        get(finger, places, n, size, fill, to);
    }
}
