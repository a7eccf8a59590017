/*
 * Sorting batches by any number of keys: stable; missing values last in either direction, NaN after
 * all other numbers likewise; texts by their bytes.
 *
 * With a limit, only the best rows are kept: whenever enough others have gathered they are sorted
 * and cut, and from then on only rows better than the last one are taken in. What does not fit into
 * the memory is sorted in parts, which go to a temporary file and are merged.
 */
#ifndef STOA_QUERY_SORT_H
#define STOA_QUERY_SORT_H

#include "query/merge.h"

struct stoa_sorter;

typedef struct stoa_sort_request {
    const struct ArrowSchema *schema; /* struct: the output columns, then the keys; borrowed */
    size_t n_outputs;
    const bool *descending;        /* a flag a key */
    uint64_t limit;                /* rows wanted at most */
    uint64_t memory;               /* bytes to sort in, at least a few thousand */
    const stoa_listener *listener; /* hears of runs and merges; borrowed, may be NULL */
    /* A sorter of the same keys whose rows all come before those added here: what is not better
     * than the last of its best rows is none of the best. Borrowed; NULL: none. */
    const struct stoa_sorter *before;
} stoa_sort_request;

/* Zero-initialise; free with stoa_sorter_clear(). Not to be moved. */
typedef struct stoa_sorter {
    stoa_sort_request is;
    bool is_open;
    stoa_sort_keys keys;
    stoa_sort_rows rows;
    bool has_cut; /* rows are sorted so far as they are the `limit` best: the last one of those is
                     the one to beat */
    stoa_runs runs;
    stoa_merge merge;
    bool is_merged;         /* after finish: the rows come out of a merge */
    stoa_sort_entry *order; /* after finish: rows, sorted */
    uint64_t n_left;        /* rows that are to come */
    uint64_t at;            /* of the order */
} stoa_sorter;

stoa_status stoa_sorter_open(stoa_sorter *sorter, const stoa_sort_request *request,
                             stoa_error *err);
/* Take a batch in; it is moved from in every case. */
stoa_status stoa_sorter_add(stoa_sorter *sorter, struct ArrowArray *batch, stoa_error *err);
/* The best rows so far in order, keys included, as one array; out->release is NULL if there are
 * none. The sorter is as good as new then. Not for what may have gone to a file. */
stoa_status stoa_sorter_take(stoa_sorter *sorter, struct ArrowArray *out, stoa_error *err);
stoa_status stoa_sorter_finish(stoa_sorter *sorter, stoa_error *err);
/* The next rows in order, without the keys; out->release is NULL at the end. */
stoa_status stoa_sorter_next(stoa_sorter *sorter, int64_t n_rows, struct ArrowArray *out,
                             stoa_error *err);
void stoa_sorter_clear(stoa_sorter *sorter);

#endif
