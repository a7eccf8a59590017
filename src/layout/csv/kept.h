/*
 * Which label every row of a block has: the first pass looks each of them up to learn what labels
 * there are, and what it found is kept, so that the second pass need not look again.
 *
 * Labels are numbered as they were first met, in the whole file; a block that is read beside others
 * numbers those of its own behind the ones that were known before, until it is merged.
 */
#ifndef STOA_LAYOUT_CSV_KEPT_H
#define STOA_LAYOUT_CSV_KEPT_H

#include "core/memory.h"
#include "layout/csv/text.h"

/* One column of a block. Zero-initialise; free with stoa_csv_numbers_clear(). */
typedef struct stoa_csv_numbers {
    stoa_buffer rows; /* unsigned numbers of `width` bytes, all ones for a missing value */
    size_t width;     /* 1, 2 or 4; 0: nothing is known */
    uint32_t n_known; /* numbers from here on are of the block's own labels, */
    stoa_buffer own;  /* uint32_t: their numbers in the whole file */
} stoa_csv_numbers;

/* Numbers of `rows`, uint32_t so far and below n_labels, in as few bytes as will do. */
void stoa_csv_numbers_narrow(stoa_csv_numbers *numbers, size_t n_rows, uint32_t n_labels);
/* The codes of n rows: codes[number]; -1 for a missing value. */
void stoa_csv_numbers_codes(const stoa_csv_numbers *numbers, const uint32_t *codes, size_t first,
                            size_t n, int64_t *out);
void stoa_csv_numbers_clear(stoa_csv_numbers *numbers);

/* Of a file, as much as there is room for. Zero-initialise; free with stoa_csv_kept_clear(). */
typedef struct stoa_csv_kept {
    stoa_buffer blocks; /* of kept.c */
    size_t n_bytes;
} stoa_csv_kept;

/* Copy what a block's columns hold; blocks come in their order. Without room for it nothing is
 * kept of the block. */
stoa_status stoa_csv_kept_add(stoa_csv_kept *kept, const stoa_csv_block *block, uint64_t n_rows,
                              const stoa_csv_numbers *columns, size_t n_columns, stoa_error *err);
/* What is kept of the block, one a column; NULL: nothing. */
const stoa_csv_numbers *stoa_csv_kept_find(const stoa_csv_kept *kept, uint64_t number,
                                           const stoa_csv_block *block, uint64_t *n_rows);
void stoa_csv_kept_clear(stoa_csv_kept *kept);

#endif
