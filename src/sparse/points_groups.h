/*
 * Many points by the chunks that they are in: sorted in one pass, as they come in any order.
 */
#ifndef STOA_SPARSE_POINTS_GROUPS_H
#define STOA_SPARSE_POINTS_GROUPS_H

#include "sparse/points.h"

/* The points of one chunk. */
typedef struct stoa_point_group {
    uint64_t number; /* the chunk's */
    size_t first;    /* of its points in positions and indices */
    size_t n;
} stoa_point_group;

/* Zero-initialise; free with stoa_point_groups_clear(). */
typedef struct stoa_point_groups {
    stoa_point_group *groups; /* ascending by their chunks' numbers */
    size_t n;
    uint32_t *positions; /* of the points in their chunks; those of a group as they came in */
    uint32_t *indices;   /* which points of the batch they are */

    /* While they are sorted. */
    uint64_t *numbers; /* the chunk of each point */
    uint32_t *places;  /* and where in it */
    uint32_t *ids;     /* the group of each point */
    size_t capacity;
    uint32_t *slots; /* hash of groups: 0 none, else its id + 1 */
    size_t n_slots;
} stoa_point_groups;

/* Whether points 0 .. n - 1 are all in the extent. */
stoa_status stoa_point_source_look(const stoa_point_source *source, stoa_workers *workers,
                                   const stoa_shape *shape, uint64_t n, stoa_error *err);

/* Room for `most` points at a time, fewer than 2^32. */
stoa_status stoa_point_groups_open(stoa_point_groups *groups, size_t most, stoa_error *err);
/* Points start .. start + n - 1 in the place of what was there. */
stoa_status stoa_point_groups_sort(stoa_point_groups *groups, stoa_workers *workers,
                                   const stoa_shape *shape, const stoa_point_source *source,
                                   uint64_t start, size_t n, stoa_error *err);
void stoa_point_groups_clear(stoa_point_groups *groups);

/* Whether positions ascend, none twice. */
bool stoa_positions_ascend(const uint32_t *positions, size_t n);

#endif
