/* See points_look.h. */
#include "sparse/points_look.h"

enum { LINE = 16 }; /* positions of a cache line */

/* Whether an element is there; `at` is it then. Steps from the one before double. */
static inline bool find(stoa_finger *f, uint32_t position)
{
    const uint32_t *positions = f->list->positions;
    const size_t n = f->list->n;
    size_t low = position >= f->last ? f->at : 0;

    if (low < n && positions[low] < position) {
        size_t step = 1;
        while (step < n - low && positions[low + step] < position) {
            low += step;
            step *= 2;
        }
        size_t high = step < n - low ? low + step : n;
        low++;
        while (low < high) {
            const size_t middle = low + (high - low) / 2;
            if (positions[middle] < position) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
    }
    f->at = low;
    f->last = position;
    return low < n && positions[low] == position;
}

/* Those from the finger on that are wanted, one after the other, as often all are. How many. */
static inline uint32_t get_run(stoa_finger *f, const uint32_t *places, uint32_t n, size_t size,
                               uint8_t *to)
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
        f->last = places[i - 1] + 1; /* UINT32_MAX at most */
    }
    return i;
}

static inline void get(stoa_finger *f, const uint32_t *places, uint32_t n, size_t size,
                       const uint8_t *fill, uint8_t *to)
{
    const stoa_sparse_chunk *list = f->list;

    for (uint32_t i = get_run(f, places, n, size, to); i < n;
         i += get_run(f, places + i, n - i, size, to + i * size)) {
        const bool is_there = find(f, places[i]);
        stoa_value_copy(to + i * size, is_there ? list->values + f->at * size : fill, size);
        f->at += is_there;
        f->last += is_there;
        i++;
    }
    /* Before more is asked for, other chunks are: what comes then would be far. */
    if (list->n - f->at > LINE) {
        __builtin_prefetch(list->positions + f->at + LINE);
        __builtin_prefetch(list->values + (f->at + LINE) * size);
    }
}

void stoa_finger_get(stoa_finger *finger, const uint32_t *places, uint32_t n, size_t size,
                     const uint8_t *fill, uint8_t *to)
{
    if (size == 4) {
        get(finger, places, n, 4, fill, to);
    } else if (size == 8) {
        get(finger, places, n, 8, fill, to);
    } else {
        get(finger, places, n, size, fill, to);
    }
}
