/*
 * Sorting of batches by any number of keys, on all threads. The sort is stable. Missing values are
 * last and NaNs before them, in either direction. Texts are ordered by their bytes.
 *
 * With a limit, only the best rows are kept. When enough others have gathered, they are sorted and
 * cut; from then on only rows better than the last one are accepted. What does not fit into the
 * memory limit is sorted in runs, which go to a temporary file and are merged.
 */
#ifndef STOA_QUERY_SORT_H
#define STOA_QUERY_SORT_H

#include "query/sort/merge.h"

struct stoa_sorter;

typedef struct stoa_sort_request {
    const struct ArrowSchema *schema; /* struct: the output columns, then the keys; borrowed */
    size_t n_outputs;
    const bool *descending;        /* a flag per key */
    uint64_t limit;                /* most rows wanted */
    uint64_t memory;               /* limit in bytes, at least a few thousand */
    stoa_workers *workers;         /* share the work; borrowed, NULL: the calling thread does it */
    const stoa_listener *listener; /* told of runs and merges; borrowed, may be NULL */
    /* A sorter with the same keys, whose rows all precede those added here. Rows that are not
     * better than the last of its best rows are dropped. Borrowed; NULL: none. */
    const struct stoa_sorter *before;
} stoa_sort_request;

/* Zero-initialise; free with stoa_sorter_clear(). Must not move. */
typedef struct stoa_sorter {
    stoa_sort_request is;
    bool is_open;
    stoa_sort_keys keys;
    stoa_sort_rows rows;
    bool has_cut; /* new rows must beat the last of the `limit` best, which are sorted */
    stoa_runs runs;
    stoa_merge merge;
    bool is_merged;           /* after finish: the rows come from a merge */
    stoa_sort_entry *order;   /* after finish: the rows, sorted */
    uint64_t n_left;          /* rows still to be returned */
    uint64_t at;              /* next entry of the order */
    struct ArrowArray *ready; /* the next arrays to be returned: [ready_at, n_ready) */
    size_t ready_at;
    size_t n_ready;
} stoa_sorter;

stoa_status stoa_sorter_open(stoa_sorter *sorter, const stoa_sort_request *request,
                             stoa_error *err);
/* Add a batch; it is moved from in every case. */
stoa_status stoa_sorter_add(stoa_sorter *sorter, struct ArrowArray *batch, stoa_error *err);
/* The last of the `limit` best rows so far, which later ones must beat. Returns false if there are
 * too few rows, or if they have not been cut yet. */
bool stoa_sorter_last(const stoa_sorter *sorter, stoa_sort_row *row);
/* Cut to the `limit` best rows, if there are more of them. */
stoa_status stoa_sorter_cut(stoa_sorter *sorter, stoa_error *err);
/* Return the best rows so far in order, keys included, as one array. out->release is NULL if
 * there are no rows. The sorter is empty afterwards. Not for a sorter that may have written to a
 * file. */
stoa_status stoa_sorter_drain(stoa_sorter *sorter, struct ArrowArray *out, stoa_error *err);
stoa_status stoa_sorter_finish(stoa_sorter *sorter, stoa_error *err);
/* The next rows in order, without the keys. out->release is NULL at the end. All calls have the
 * same `n_rows`, since the arrays of several are made together. */
stoa_status stoa_sorter_next(stoa_sorter *sorter, int64_t n_rows, struct ArrowArray *out,
                             stoa_error *err);
void stoa_sorter_clear(stoa_sorter *sorter);

#endif
