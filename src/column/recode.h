/* Codes of a categorical column in the numbering of another code book (HEP001 §8.7, §12). */
#ifndef STOA_COLUMN_RECODE_H
#define STOA_COLUMN_RECODE_H

#include "column/column.h"

/* Set used[code] for every code that a row holds, of `n` labels: STOA_EDATA for a code that has no
 * label. */
stoa_status stoa_column_used_codes(stoa_column *column, uint64_t n_rows, bool *used, uint64_t n,
                                   stoa_error *err);

/*
 * Create a dataset of a column's first rows with other codes, unlinked, with the same attributes.
 *
 * @param codes     the new code of each of the `n` old ones; those that no row uses may be -1
 * @param n_labels  of the new book: decides the width of the codes, and their fill
 */
stoa_status stoa_column_recode(stoa_column *column, uint64_t n_rows, const int64_t *codes,
                               uint64_t n, uint64_t n_labels, hid_t *dataset, stoa_error *err);

#endif
