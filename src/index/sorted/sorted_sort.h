/*
 * Sorting a column's rows by HEP001 §10.5 in bounded memory: an external merge sort.
 *
 * Rows with a value are sorted. Missing rows and NaN rows are listed separately in ascending order,
 * since the index has them at its end.
 */
#ifndef STOA_INDEX_SORTED_SORT_H
#define STOA_INDEX_SORTED_SORT_H

#include "index/sorted/sorted_runs.h"

/* Rows without a place in the order, ascending. */
typedef struct stoa_row_list {
    uint64_t *recent; /* the last ones; earlier ones are in the file */
    size_t n_recent;
    uint64_t count;
    stoa_spill spill;
} stoa_row_list;

typedef struct stoa_row_sorter {
    stoa_column *column; /* borrowed */
    const stoa_listener *listener;
    uint64_t memory;
    stoa_sort_batch batch; /* sorted once all rows are read, unless there are runs */
    stoa_sort_runs runs;
    uint64_t n_ordered;
    stoa_row_list missing;
    stoa_row_list nan;
} stoa_row_sorter;

/* Read and sort rows [first, end) with the column's workers, in `memory` bytes; 0: those of
 * stoa_sort_memory(). Clear with stoa_row_sorter_clear(), also after a failure; a zeroed sorter is
 * clear. */
stoa_status stoa_row_sorter_run(stoa_row_sorter *sorter, stoa_column *column, uint64_t first,
                                uint64_t end, uint64_t memory, const stoa_listener *listener,
                                stoa_error *err);
void stoa_row_sorter_clear(stoa_row_sorter *sorter);

/* Whether all records are in `batch`. */
bool stoa_row_sorter_is_in_memory(const stoa_row_sorter *sorter);
/* Visit the n_ordered records in order. */
stoa_status stoa_row_sorter_visit(stoa_row_sorter *sorter, stoa_sort_visit visit, void *context,
                                  stoa_error *err);
/* Read rows [first, first + count) of a list. */
stoa_status stoa_row_list_read(const stoa_row_list *list, uint64_t first, uint64_t count,
                               uint64_t *rows, stoa_error *err);

#endif
