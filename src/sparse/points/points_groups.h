/*
 * Points grouped by chunk. Points come in any order, but often several in a row are in the same
 * chunk. Such a span is sorted as one item.
 */
#ifndef STOA_SPARSE_POINTS_GROUPS_H
#define STOA_SPARSE_POINTS_GROUPS_H

#include "sparse/points/points.h"

/* Consecutive points of a batch that are in one chunk. */
typedef struct stoa_point_span {
    uint32_t first;
    uint32_t n;
} stoa_point_span;

/* The points of one chunk. */
typedef struct stoa_point_group {
    uint64_t number; /* of the chunk */
    size_t n;
    size_t first_span;
    size_t n_spans;
} stoa_point_group;

/* Zero-initialise; free with stoa_point_groups_clear(). */
typedef struct stoa_point_groups {
    stoa_point_group *groups; /* ascending by chunk number */
    size_t n;
    stoa_point_span *spans; /* by group, within a group in the order of arrival */
    uint32_t *places;       /* position of each point of the batch in its chunk */

    /* Used while sorting. */
    stoa_point_run *room; /* space for the runs of a slice, per worker: stoa_point_groups_room() */
    size_t a_room;        /* runs per worker */
    stoa_buffer *runs;    /* of stoa_point_run; one buffer per slice of STOA_POINTS_SLICE points */
    size_t n_slices;
    size_t capacity;
    uint32_t *slots; /* hash table of groups: 0 is empty, otherwise id + 1 */
    size_t n_slots;
} stoa_point_groups;

/* @return STOA_ERANGE unless all points 0 .. n - 1 are inside of the extent */
stoa_status stoa_point_source_check(const stoa_point_source *source, stoa_workers *workers,
                                    const stoa_shape *shape, uint64_t n, stoa_error *err);

/* Allocate for batches of up to `most` points, fewer than 2^32, sorted by `n_workers` workers. */
stoa_status stoa_point_groups_open(stoa_point_groups *groups, size_t most, unsigned n_workers,
                                   stoa_error *err);
/* The id of a chunk's group, which is created if needed. Ids follow the order of first appearance
 * until the groups are sorted. */
stoa_status stoa_point_group_of(stoa_point_groups *groups, uint64_t number, size_t *id,
                                stoa_error *err);
/* A worker's space for the runs of a slice. */
static inline stoa_point_run *stoa_point_groups_room(const stoa_point_groups *groups,
                                                     unsigned worker)
{
    return groups->room + worker * groups->a_room;
}
/* Group points start .. start + n - 1, replacing the previous batch. They are checked, too. */
stoa_status stoa_point_groups_sort(stoa_point_groups *groups, stoa_workers *workers,
                                   const stoa_shape *shape, const stoa_point_source *source,
                                   uint64_t start, size_t n, stoa_error *err);
/* Group points that are located already: groups->runs has the runs of each of n_slices slices, and
 * groups->places their positions. Slices without runs are omitted. */
stoa_status stoa_point_groups_sort_located(stoa_point_groups *groups, size_t n_slices,
                                           stoa_error *err);
/* Gather what an array has for each point of a group, `size` bytes each, in the order of arrival.
 * Threads may gather concurrently. */
void stoa_point_group_gather(const stoa_point_groups *groups, const stoa_point_group *group,
                             const void *from, size_t size, void *to);
/* The same for the indices of the points in the batch. */
void stoa_point_group_indices(const stoa_point_groups *groups, const stoa_point_group *group,
                              uint32_t *indices);
void stoa_point_groups_clear(stoa_point_groups *groups);

#endif
