/* A SORTED_ROWS index of numbers and sorted new rows, merged into another index. */
#ifndef STOA_INDEX_SORTED_MERGE_H
#define STOA_INDEX_SORTED_MERGE_H

#include "index/sorted_sort.h"
#include "index/sorted_store.h"

/*
 * Make `to`, which is empty, the index of rows [0, n_rows).
 *
 * Chunks are merged and packed by the column's workers; this thread reads and writes.
 *
 * @param from   a covered index of numbers, of as many rows as there were
 * @param added  the rows since, all of them in memory
 * @return STOA_EDATA where `from` is out of order: that cannot be merged
 */
stoa_status stoa_sorted_merge(const stoa_sorted_store *from, const stoa_row_sorter *added,
                              stoa_sorted_store *to, uint64_t n_rows, stoa_error *err);

#endif
