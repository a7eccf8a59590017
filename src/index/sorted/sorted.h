/* Shared by the files of the SORTED_ROWS kind, whose constant is in sorted.c. */
#ifndef STOA_INDEX_SORTED_H
#define STOA_INDEX_SORTED_H

#include "index/sorted/sorted_store.h"

/* Update an index from n_old to n_rows rows (sorted_change.c). */
stoa_status stoa_sorted_append(stoa_column *column, hid_t dataset, uint64_t n_old, uint64_t n_rows,
                               stoa_error *err);
stoa_status stoa_sorted_extend(stoa_column *column, hid_t dataset, uint64_t n_old, uint64_t n_rows,
                               hid_t indexes, stoa_error *err);
/* Compare an index with its column (sorted_verify.c). */
stoa_status stoa_sorted_verify(stoa_column *column, hid_t dataset, uint64_t n_rows,
                               const stoa_listener *listener, bool *same, char *problem,
                               stoa_error *err);

/* Opening (sorted_search.c) and querying (sorted_lookup.c). */
stoa_status stoa_sorted_index_open(stoa_column *column, hid_t dataset, uint64_t n_rows,
                                   stoa_index **index, stoa_error *err);
void stoa_sorted_index_close(stoa_index *index);
stoa_status stoa_sorted_estimate(const stoa_index *index, const stoa_test *test, uint64_t *n_rows,
                                 stoa_error *err);
stoa_status stoa_sorted_prune(const stoa_index *index, const stoa_test *test,
                              stoa_rowset *candidates, stoa_rowset *certain, stoa_error *err);
void stoa_sorted_ranks(const stoa_index *index, uint64_t *n_ordered, uint64_t *n_missing,
                       uint64_t *n_nan);
stoa_status stoa_sorted_ranked(const stoa_index *index, uint64_t first, uint64_t count,
                               uint64_t *rows, stoa_error *err);
bool stoa_sorted_summary(const stoa_index *index, uint64_t *n_missing, char *low, char *high,
                         size_t size);

#endif
