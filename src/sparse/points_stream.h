/*
 * Values of points, looked up while the next ones are fetched.
 *
 * Each slice of points is fetched by the caller's thread, then located by a worker. The caller's
 * thread reads those of its chunks that no slice before it needed, which workers unpack, and once
 * they are, a worker looks the slice's values up.
 *
 * Invariants
 *  1. Slices are fetched, their chunks read, and their values looked up in ascending order: begun,
 *     that is, not ended.
 *  2. A few slices are under way at a time: the caller's thread helps before it is too far ahead.
 *  3. Chunks stay in memory until the last slice is looked up. Once they take up the cache's bound
 *     no more are read; slices that need others are left out, and so are those whose points come in
 *     no order, for which chunk by chunk is faster.
 */
#ifndef STOA_SPARSE_POINTS_STREAM_H
#define STOA_SPARSE_POINTS_STREAM_H

#include "sparse/points_groups.h"

typedef struct stoa_getting {
    stoa_store *store;
    stoa_workers *workers; /* may be NULL */
    const stoa_point_source *source;
    uint64_t start; /* of the batch */
    size_t n;
    uint8_t *values;           /* of the batch */
    size_t size;               /* of a value */
    stoa_sparse_coder *coders; /* each worker's */
    stoa_point_groups sorted;  /* what the stream left out: located, not sorted; open */
} stoa_getting;

/* A batch's values, but for slices that are left out: these have runs then. How many are. */
stoa_status stoa_points_stream(stoa_getting *getting, size_t *n_left, stoa_error *err);

#endif
