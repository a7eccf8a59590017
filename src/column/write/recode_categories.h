/* Rewrite the codes of a categorical column for other categories (HEP001 §8.7, §12). */
#ifndef STOA_COLUMN_RECODE_CATEGORIES_H
#define STOA_COLUMN_RECODE_CATEGORIES_H

#include "column/column.h"

/* Set used[code] for every code in the rows. `n`: number of labels. STOA_EDATA for a code without a
 * label. */
stoa_status stoa_column_used_codes(stoa_column *column, uint64_t n_rows, bool *used, uint64_t n,
                                   stoa_error *err);

/*
 * Create an unlinked dataset of a column's first rows with other codes and the same attributes.
 *
 * @param codes     the new code of each of the n old ones; -1 is allowed for unused ones
 * @param n_labels  of the new categories; decides the width and the fill of the codes
 */
stoa_status stoa_column_recode_categories(stoa_column *column, uint64_t n_rows,
                                          const int64_t *codes, uint64_t n, uint64_t n_labels,
                                          hid_t *dataset, stoa_error *err);

#endif
