/*
 * Many elements at once as coordinates and values, in and out of a store (COO), packed and unpacked
 * by several threads. Formats without a heap.
 */
#ifndef STOA_SPARSE_POINTS_H
#define STOA_SPARSE_POINTS_H

#include "core/threads.h"
#include "sparse/numbers.h"
#include "sparse/store.h"

/*
 * Define elements; of two at one place the later one wins.
 *
 * @param coordinates  shape (n, rank)
 * @param values       shape (n,), in the file's datatype; NULL: undefine them instead
 * @param workers      may be NULL
 * @return STOA_ERANGE where one is outside of the extent; nothing has been changed then
 */
stoa_status stoa_points_write(stoa_store *store, stoa_workers *workers, uint64_t n,
                              const uint64_t *coordinates, const uint8_t *values, stoa_error *err);

/* What points consist of: so many in one chunk, then so many in another. */
typedef struct stoa_point_run {
    uint64_t number; /* the chunk's */
    uint64_t n;
} stoa_point_run;

typedef struct stoa_point_runs {
    stoa_point_run *runs; /* room for one a point */
    size_t n;
} stoa_point_runs;

/* The next n points are in a chunk. */
static inline void stoa_point_runs_add(stoa_point_runs *to, uint64_t number, uint64_t n)
{
    if (to->n > 0 && to->runs[to->n - 1].number == number) {
        to->runs[to->n - 1].n += n;
    } else {
        to->runs[to->n++] = (stoa_point_run){number, n};
    }
}

enum {
    STOA_POINTS_SLICE = 1 << 14, /* points that are fetched and located at once */
    STOA_POINTS_AHEAD = 1 << 19  /* a multiple of that */
};

/* Elements by number, each of which is somewhere. Called by several threads. */
typedef struct stoa_point_source {
    const void *context;
    /*
     * Make first .. end - 1 known to `locate`: on the caller's thread, in ascending order, each
     * once a source, while those before are located. NULL: all are known.
     *
     * They come in slices that begin at multiples of STOA_POINTS_SLICE. Where values are got, those
     * that are STOA_POINTS_AHEAD before `end` are not located any more.
     */
    stoa_status (*fetch)(const void *context, uint64_t first, uint64_t end, stoa_error *err);
    /* STOA_ERANGE where one of first .. end - 1 is outside of the extent. */
    stoa_status (*look)(const void *context, const stoa_shape *shape, uint64_t first, uint64_t end,
                        stoa_error *err);
    /* Chunks of first .. end - 1, appended to `runs`, and positions in these. */
    void (*locate)(const void *context, const stoa_shape *shape, uint64_t first, uint64_t end,
                   stoa_point_runs *runs, uint32_t *places);
} stoa_point_source;

/*
 * The same, of elements that the source knows.
 *
 * @param sums  elements at one place are added up, in the order they come in, which takes memory
 *              for all at once; NULL: the later one wins
 */
stoa_status stoa_points_write_from(stoa_store *store, stoa_workers *workers, uint64_t n,
                                   const stoa_point_source *source, const uint8_t *values,
                                   const stoa_number_form *sums, stoa_error *err);

/*
 * The values of elements in any order, the fill value where one is not defined.
 *
 * @param[out] values  shape (n,), in the file's datatype
 * @return STOA_ERANGE where one is outside of the extent
 */
stoa_status stoa_points_get(stoa_store *store, stoa_workers *workers, uint64_t n,
                            const stoa_point_source *source, uint8_t *values, stoa_error *err);

/* Elements in memory, each array free()d by the caller. */
typedef struct stoa_points {
    uint64_t n;
    uint64_t *coordinates; /* shape (n, rank) */
    uint8_t *values;       /* shape (n,), in the file's datatype */
} stoa_points;

void stoa_points_clear(stoa_points *points);

/* The defined elements of a box, in row-major order; coordinates are those of the dataset. Without
 * values where `wants_values` is not set. */
stoa_status stoa_points_read(stoa_store *store, stoa_workers *workers, const stoa_box *box,
                             bool wants_values, stoa_points *points, stoa_error *err);

/*
 * Every element of a box, the fill value where it is not defined.
 *
 * @param[out] values   shape of the box, in the file's datatype; may be NULL
 * @param[out] defined  the same shape, a byte each; may be NULL
 */
stoa_status stoa_points_read_dense(stoa_store *store, const stoa_box *box, uint8_t *values,
                                   uint8_t *defined, stoa_error *err);

#endif
