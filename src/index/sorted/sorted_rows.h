/*
 * The values of rows anywhere in a column, by which a SORTED_ROWS index is merged (HEP001 §11.2
 * step 4).
 *
 * The column is read in pieces of whole chunks, each when one of its rows is asked for. So an
 * append to values that nearly ascend reads the last piece alone.
 */
#ifndef STOA_INDEX_SORTED_ROWS_H
#define STOA_INDEX_SORTED_ROWS_H

#include "column/read/block.h"
#include "index/common/order_keys.h"

typedef struct stoa_row_values {
    stoa_column *column; /* borrowed */
    uint64_t n_rows;
    uint64_t piece;     /* rows per piece */
    uint64_t **keys;    /* by piece: of numbers; NULL until it is read */
    stoa_block *blocks; /* by piece: of all others */
    uint64_t *all;      /* the keys of all rows, once they are loaded */
} stoa_row_values;

/* For rows [0, n_rows). Free with stoa_row_values_clear(), also after a failure. */
stoa_status stoa_row_values_make(stoa_row_values *values, stoa_column *column, uint64_t n_rows,
                                 stoa_error *err);
void stoa_row_values_clear(stoa_row_values *values);
/* Whether all of them fit into so many bytes. */
bool stoa_row_values_fit(const stoa_row_values *values, uint64_t memory);

/* Get the record of a row. Its bytes live as long as the values. STOA_EDATA if the row has NaN. */
stoa_status stoa_row_values_get(stoa_row_values *values, uint64_t row, stoa_sort_record *record,
                                stoa_error *err);
/* Read the numbers of all rows, on all threads: into `all`. */
stoa_status stoa_row_values_load(stoa_row_values *values, stoa_error *err);
/* Get the keys of n rows after that. */
void stoa_row_values_gather(const stoa_row_values *values, const uint64_t *rows, uint64_t n,
                            uint64_t *keys);

#endif
