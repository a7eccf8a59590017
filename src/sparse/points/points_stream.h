/*
 * Look up values of points while the next points are fetched.
 *
 * The caller's thread fetches a slice of points, and a worker locates it. The caller's thread then
 * reads the chunks that no earlier slice needed, and workers unpack them. After that a worker looks
 * up the values of the slice.
 *
 * Invariants
 * - Slices start each step in ascending order: fetching, reading chunks, looking up values. They
 *   may finish in any order.
 * - Only a few slices are in progress at a time. The caller's thread helps the workers before it
 *   gets too far ahead.
 * - Chunks stay in memory until the last slice is done. When they reach the cache's bound, no more
 *   are read, and slices that need others are skipped. Slices whose points are in no order are
 *   skipped too, because going chunk by chunk is faster for them.
 */
#ifndef STOA_SPARSE_POINTS_STREAM_H
#define STOA_SPARSE_POINTS_STREAM_H

#include "sparse/points/points_groups.h"

typedef struct stoa_points_lookup {
    stoa_store *store;
    stoa_workers *workers; /* may be NULL */
    const stoa_point_source *source;
    uint64_t start; /* first point of the batch */
    size_t n;
    uint8_t *values;           /* of the batch */
    size_t size;               /* of a value */
    stoa_sparse_coder *coders; /* one per worker */
    stoa_point_groups sorted;  /* skipped slices: located but not yet sorted; open */
} stoa_points_lookup;

/* Read a batch's values except those of skipped slices, whose runs are in getting->sorted.
 * `*n_left` is the number of skipped slices. */
stoa_status stoa_points_stream(stoa_points_lookup *getting, size_t *n_left, stoa_error *err);

#endif
