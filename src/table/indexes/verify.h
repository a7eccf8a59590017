/* Comparing one index with its column (HEP001 §12). */
#ifndef STOA_TABLE_VERIFY_H
#define STOA_TABLE_VERIFY_H

#include "table/open/table.h"

/* A problem is an error message kept for a visitor. */
enum { STOA_PROBLEM_SIZE = sizeof(((stoa_error *)NULL)->message) };

/* Why libhdf5 must not read an index that is_unsound. */
extern const char stoa_index_unsound[];

/*
 * Recompute the index and compare, whether its tokens pass or not. Indexes that no query can use
 * are skipped: unknown kinds (§10.3), and bitmaps of values that queries never compare.
 *
 * @param listener      told of the progress; may be NULL
 * @param[out] same     false if it differs, with the place in `problem`
 */
stoa_status stoa_index_verify_link(const stoa_table *table, stoa_column *column,
                                   const stoa_index_link *link, const stoa_listener *listener,
                                   bool *same, char problem[static STOA_PROBLEM_SIZE],
                                   stoa_error *err);

#endif
