/* Locate points one by one. */
#include "sparse/points/points_tuples.h"

/* The chunk of the previous points. */
typedef struct here {
    const stoa_shape *shape;
    uint64_t number;
    uint64_t offset[H5S_MAX_RANK];
} here;

/* Whether a point is in that chunk, and its position there. */
static inline bool is_in(const here *h, unsigned rank, const uint64_t *at, uint64_t *position)
{
    uint64_t in_chunk = 0;

    for (unsigned j = 0; j < rank; j++) {
        const uint64_t local = at[j] - h->offset[j];
        if (local >= h->shape->chunk[j]) {
            return false;
        }
        in_chunk = in_chunk * h->shape->chunk[j] + local;
    }
    *position = in_chunk;
    return true;
}

/* Move to the chunk of a point that is in another one. Most often it is the next chunk along the
 * row, which needs no division. */
static inline void go_to(here *h, unsigned rank, const uint64_t *at, bool is_first,
                         uint64_t *position)
{
    const unsigned last = rank - 1;

    if (!is_first) {
        h->offset[last] += h->shape->chunk[last]; /* beyond the extent no point matches */
        h->number++;
        if (is_in(h, rank, at, position)) {
            return;
        }
    }
    h->number = stoa_shape_locate(h->shape, at, position);
    stoa_shape_offset(h->shape, h->number, h->offset);
}

/* Locate with a rank known at compile time. */
static inline void locate(const stoa_shape *shape, unsigned rank, const uint64_t *tuples, size_t n,
                          stoa_point_runs *runs, uint32_t *places)
{
    here h = {.shape = shape};
    uint64_t position = 0;

    for (size_t i = 0; i < n;) {
        const size_t before = i;
        go_to(&h, rank, tuples + i * rank, i == 0, &position);
        do {
            places[i++] = (uint32_t)position;
        } while (i < n && is_in(&h, rank, tuples + i * rank, &position));
        stoa_point_runs_add(runs, h.number, i - before);
    }
}

void stoa_tuples_locate_scalar(const stoa_shape *shape, const uint64_t *tuples, size_t n,
                               stoa_point_runs *runs, uint32_t *places)
{
    if (shape->rank == 1) {
        locate(shape, 1, tuples, n, runs, places);
    } else if (shape->rank == 2) {
        locate(shape, 2, tuples, n, runs, places);
    } else {
        locate(shape, shape->rank, tuples, n, runs, places);
    }
}
