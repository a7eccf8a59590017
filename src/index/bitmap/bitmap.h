/* Opening and querying a BITMAP index (HEP001 §10.6). bitmap.c builds and verifies it. */
#ifndef STOA_INDEX_BITMAP_H
#define STOA_INDEX_BITMAP_H

#include "index/bitmap/bitmap_values.h"
#include "index/common/byte_matrix.h"

/* Attributes of a bitmap, scalar booleans. If one is true, every value of the column is indexed, so
 * a row without a bit is missing or NaN. The first is July's (HEP001-2026-07 §11.6), where NaN that
 * is not missing counts as a value. The second is our own: the bitmap is as Stoa writes them. */
#define STOA_BITMAP_EXHAUSTIVE "exhaustive"
#define STOA_BITMAP_COMPLETE "stoa_complete"

stoa_status stoa_bitmap_accepts(const stoa_column *column, stoa_error *err);
/* Check the bitmap's shape and type against the column, and read its values. `all` is its extent.
 * It is `complete` if either attribute says so. */
stoa_status stoa_bitmap_load(const stoa_column *column, hid_t dataset, uint64_t n_rows,
                             stoa_bitmap_values *values, stoa_byte_matrix_part *all, bool *complete,
                             stoa_error *err);

stoa_status stoa_bitmap_open(stoa_column *column, hid_t dataset, uint64_t n_rows,
                             stoa_index **index, stoa_error *err);
stoa_status stoa_bitmap_estimate(const stoa_index *index, const stoa_test *test, uint64_t *n_rows,
                                 stoa_error *err);
stoa_status stoa_bitmap_prune(const stoa_index *index, const stoa_test *test,
                              stoa_rowset *candidates, stoa_rowset *certain, stoa_error *err);
stoa_status stoa_bitmap_rows(const stoa_index *index, const stoa_test *test, stoa_row_bits **rows,
                             stoa_error *err);
void stoa_bitmap_close(stoa_index *index);

#endif
