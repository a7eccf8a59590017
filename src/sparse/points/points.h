/*
 * Batches of elements as coordinates and values (COO), read from and written to a store. Several
 * threads pack and unpack. For formats without a heap.
 */
#ifndef STOA_SPARSE_POINTS_H
#define STOA_SPARSE_POINTS_H

#include "core/threads.h"
#include "sparse/store/numbers.h"
#include "sparse/store/store.h"

/*
 * Define elements. If a coordinate occurs twice, the later element wins.
 *
 * @param coordinates  shape (n, rank)
 * @param values       shape (n,), in the file's datatype; NULL to undefine the elements
 * @param workers      may be NULL
 * @return STOA_ERANGE if a coordinate is outside of the extent; nothing was changed then
 */
stoa_status stoa_points_write(stoa_store *store, stoa_workers *workers, uint64_t n,
                              const uint64_t *coordinates, const uint8_t *values, stoa_error *err);

/* A run of consecutive points in one chunk. */
typedef struct stoa_point_run {
    uint64_t number; /* of the chunk */
    uint64_t n;
} stoa_point_run;

typedef struct stoa_point_runs {
    stoa_point_run *runs; /* space for one run per point */
    size_t n;
} stoa_point_runs;

/* The next n points are in chunk `number`. */
static inline void stoa_point_runs_add(stoa_point_runs *to, uint64_t number, uint64_t n)
{
    if (to->n > 0 && to->runs[to->n - 1].number == number) {
        to->runs[to->n - 1].n += n;
    } else {
        to->runs[to->n++] = (stoa_point_run){number, n};
    }
}

enum {
    STOA_POINTS_SLICE = 1 << 14, /* points fetched and located together */
    STOA_POINTS_AHEAD = 1 << 19  /* a multiple of STOA_POINTS_SLICE */
};

/* Source of points that are addressed by index. Several threads call it. */
typedef struct stoa_point_source {
    const void *context;
    /*
     * Make points first .. end - 1 available to `locate`. Called on the caller's thread in
     * ascending order, once per point, while other threads locate earlier points. NULL if all
     * points are available from the start.
     *
     * The points come in slices that begin at multiples of STOA_POINTS_SLICE. When values are read,
     * points more than STOA_POINTS_AHEAD before `end` are not located again.
     */
    stoa_status (*fetch)(const void *context, uint64_t first, uint64_t end, stoa_error *err);
    /* NULL if all points are inside of the extent.
     *
     * @return STOA_ERANGE if one of the points first .. end - 1 is not */
    stoa_status (*check)(const void *context, const stoa_shape *shape, uint64_t first, uint64_t end,
                         stoa_error *err);
    /* Locate points first .. end - 1: append their chunks to `runs` and store their positions in
     * these. */
    void (*locate)(const void *context, const stoa_shape *shape, uint64_t first, uint64_t end,
                   stoa_point_runs *runs, uint32_t *places);
} stoa_point_source;

/*
 * Define the elements of a point source.
 *
 * @param sums  add up elements with equal coordinates, in the order of the source, which needs
 *              memory for all points at once. NULL: the later element wins
 */
stoa_status stoa_points_write_from(stoa_store *store, stoa_workers *workers, uint64_t n,
                                   const stoa_point_source *source, const uint8_t *values,
                                   const stoa_number_form *sums, stoa_error *err);

/*
 * Read the values of elements in any order. Undefined elements have the fill value.
 *
 * @param[out] values  shape (n,), in the file's datatype
 * @return STOA_ERANGE if a coordinate is outside of the extent
 */
stoa_status stoa_points_get(stoa_store *store, stoa_workers *workers, uint64_t n,
                            const stoa_point_source *source, uint8_t *values, stoa_error *err);

/* Elements in memory. The caller frees each array. */
typedef struct stoa_points {
    uint64_t n;
    uint64_t *coordinates; /* shape (n, rank) */
    uint8_t *values;       /* shape (n,), in the file's datatype */
} stoa_points;

void stoa_points_clear(stoa_points *points);

/* Read the defined elements of a box in row-major order, with coordinates in the dataset. Values
 * are read only if `wants_values` is set. */
stoa_status stoa_points_read(stoa_store *store, stoa_workers *workers, const stoa_box *box,
                             bool wants_values, stoa_points *points, stoa_error *err);

/*
 * Read every element of a box. Undefined elements have the fill value.
 *
 * @param[out] values   shape of the box, in the file's datatype; may be NULL
 * @param[out] defined  the same shape, one byte each; may be NULL
 */
stoa_status stoa_points_read_dense(stoa_store *store, const stoa_box *box, uint8_t *values,
                                   uint8_t *defined, stoa_error *err);

#endif
