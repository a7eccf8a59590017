/*
 * Groups or different values that are so many that states of each morsel, merged one after the
 * other, would cost more than the rows.
 *
 * Instead the rows of a morsel are staged: their keys and arguments are written down as words,
 * spread over partitions by the hash of the keys. Each partition has the groups of its share of the
 * hashes. It takes its rows in the order of the morsels. So it does not matter which thread does
 * that, and threads work on different partitions at the same time.
 *
 * Without keys it is the values of distinct() that are spread, each by its own hash. A partition
 * has the different values of its share, so that their numbers add up.
 */
#ifndef STOA_QUERY_PARTITIONS_H
#define STOA_QUERY_PARTITIONS_H

#include "query/aggregate/aggregate.h"

enum { STOA_PARTITIONS = 16 };

/* The staged arguments of one aggregate. */
typedef struct stoa_staged_values {
    stoa_buffer words;   /* as 64 bits: int64, uint64, double, or the length of a text */
    stoa_buffer texts;   /* the bytes of the texts, one after the other */
    stoa_buffer present; /* a byte per row, 0: missing; empty while all are there */
} stoa_staged_values;

/* The staged rows of one morsel and one partition. */
typedef struct stoa_staged {
    size_t n;
    stoa_buffer keys; /* their words, or the numbers of the only key's texts */
    stoa_buffer rows; /* uint32_t: places in the morsel */
    stoa_staged_values *values;
} stoa_staged;

typedef struct stoa_partition {
    stoa_groups groups;
    stoa_aggregate *aggregates;
    stoa_buffer firsts; /* uint64_t per group: the place of its first row, ascending */
    uint32_t next;      /* the group that is handed out next */
} stoa_partition;

/* Whether the aggregate's arguments can be staged for groups of so many keys. */
bool stoa_can_stage(const stoa_aggregate *aggregate, const stoa_scope *scope, size_t n_keys);
/* Room for the rows of one morsel, in all partitions. Free it with stoa_staged_close(). */
stoa_status stoa_staged_open(size_t n_aggregates, stoa_staged **staged, stoa_error *err);
/*
 * Stage the selected rows of a window.
 *
 * @param groups  whose keys are read; it gets no groups
 * @param first   the place of the window's first row in the morsel
 */
stoa_status stoa_staged_add(stoa_staged *staged, stoa_groups *groups,
                            const stoa_aggregate *aggregates, size_t n_aggregates,
                            stoa_evaluation *ev, const uint8_t *selected, int64_t n_selected,
                            uint32_t first, stoa_error *err);
/* Forget the rows, but keep the memory. */
void stoa_staged_reset(stoa_staged *staged, size_t n_aggregates);
void stoa_staged_close(stoa_staged *staged, size_t n_aggregates);

/* Open empty partitions of the aggregates, which are borrowed. Close them with
 * stoa_partitions_close(). */
stoa_status stoa_partitions_open(const stoa_aggregate *aggregates, size_t n_aggregates,
                                 stoa_key *keys, size_t n_keys, stoa_partition **partitions,
                                 stoa_error *err);
/* Take a partition's rows of a morsel. `morsel` is its number. The listener may be NULL. */
stoa_status stoa_partition_take(stoa_partition *partition, size_t n_aggregates,
                                const stoa_staged *staged, uint32_t morsel,
                                const stoa_listener *listener, stoa_error *err);
/* Without keys, once all rows were taken: count the different values of a partition. So many
 * threads may do this with different partitions at the same time. */
stoa_status stoa_partition_settle(stoa_partition *partition, size_t n_aggregates,
                                  unsigned n_threads, const stoa_listener *listener,
                                  stoa_error *err);
/* Then add up what all partitions counted. */
stoa_status stoa_partitions_add_up(const stoa_partition *partitions, stoa_aggregate *aggregates,
                                   size_t n_aggregates, stoa_error *err);
void stoa_partitions_close(stoa_partition *partitions, size_t n_aggregates);

#endif
