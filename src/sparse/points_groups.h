/*
 * Many points by the chunks that they are in. They come in any order, but most often several of one
 * chunk after each other: these are sorted as one.
 */
#ifndef STOA_SPARSE_POINTS_GROUPS_H
#define STOA_SPARSE_POINTS_GROUPS_H

#include "sparse/points.h"

/* Points of a batch that come one after the other and are in one chunk. */
typedef struct stoa_point_span {
    uint32_t first;
    uint32_t n;
} stoa_point_span;

/* The points of one chunk. */
typedef struct stoa_point_group {
    uint64_t number; /* the chunk's */
    size_t first;    /* of its points in positions and indices */
    size_t n;
    size_t first_span;
    size_t n_spans;
} stoa_point_group;

/* Zero-initialise; free with stoa_point_groups_clear(). */
typedef struct stoa_point_groups {
    stoa_point_group *groups; /* ascending by their chunks' numbers */
    size_t n;
    stoa_point_span *spans; /* those of a group as they came in */
    uint32_t *places;       /* of each point of the batch in its chunk */
    /* Once gathered, the points of a group side by side; NULL where nobody asked for them. */
    uint32_t *positions; /* in the chunk */
    uint32_t *indices;   /* which points of the batch they are */

    /* While they are sorted. */
    stoa_point_run *room; /* for those of a slice, each worker's: stoa_point_groups_room() */
    size_t a_room;        /* of one worker */
    stoa_buffer *runs;    /* of stoa_point_run; of each slice of STOA_POINTS_SLICE points */
    size_t n_slices;
    size_t capacity;
    uint32_t *slots; /* hash of groups: 0 none, else its id + 1 */
    size_t n_slots;
} stoa_point_groups;

/* Whether points 0 .. n - 1 are all in the extent. */
stoa_status stoa_point_source_look(const stoa_point_source *source, stoa_workers *workers,
                                   const stoa_shape *shape, uint64_t n, stoa_error *err);

/* Room for `most` points at a time, fewer than 2^32, sorted by so many workers. */
stoa_status stoa_point_groups_open(stoa_point_groups *groups, size_t most, unsigned n_workers,
                                   bool gathers, stoa_error *err);
/* The group of a chunk, made where it is the first that is heard of it; they are numbered in that
 * order until they are sorted. */
stoa_status stoa_point_group_of(stoa_point_groups *groups, uint64_t number, size_t *id,
                                stoa_error *err);
/* A worker's room for the runs of a slice. */
static inline stoa_point_run *stoa_point_groups_room(const stoa_point_groups *groups,
                                                     unsigned worker)
{
    return groups->room + worker * groups->a_room;
}
/* Points start .. start + n - 1 in the place of what was there. */
stoa_status stoa_point_groups_sort(stoa_point_groups *groups, stoa_workers *workers,
                                   const stoa_shape *shape, const stoa_point_source *source,
                                   uint64_t start, size_t n, stoa_error *err);
/* The same of those that somebody else located: groups->runs of each of n_slices slices, and the
 * places that go with them. A slice without runs is left out. */
stoa_status stoa_point_groups_sort_located(stoa_point_groups *groups, size_t n_slices,
                                           stoa_error *err);
/* The positions and indices of a group; several threads may gather a group each. */
void stoa_point_group_gather(const stoa_point_groups *groups, const stoa_point_group *group);
void stoa_point_groups_clear(stoa_point_groups *groups);

#endif
