/* Merging a SORTED_ROWS index of numbers with sorted new rows. */
#ifndef STOA_INDEX_SORTED_MERGE_H
#define STOA_INDEX_SORTED_MERGE_H

#include "index/sorted/sorted_rows.h"
#include "index/sorted/sorted_sort.h"
#include "index/sorted/sorted_store.h"

/*
 * Fill `to`, which is empty, with the index of rows [0, n_rows).
 *
 * The column's workers merge and pack chunks; the calling thread reads and writes.
 *
 * @param from   an index of numbers, of all rows before the new ones
 * @param values the column's numbers of these rows, all loaded
 * @param added  the new rows, all of them in memory
 * @return STOA_EDATA if `from` is out of order and cannot be merged
 */
stoa_status stoa_sorted_merge(const stoa_sorted_store *from, const stoa_row_values *values,
                              const stoa_row_sorter *added, stoa_sorted_store *to, uint64_t n_rows,
                              stoa_error *err);

#endif
