/* Edit options, and index maintenance after a change of rows (HEP001 §11). */
#ifndef STOA_TABLE_UPDATE_INDEXES_H
#define STOA_TABLE_UPDATE_INDEXES_H

#include <stoa/edit.h>

#include "table/open/table.h"

/* Copy the options as far as the caller's struct reaches; NULL gives the defaults. */
stoa_status stoa_edit_options_copy(const stoa_edit_options *options, stoa_edit_options *own,
                                   stoa_error *err);

/* A change from n_old to n_rows rows, the first n_same of which are unchanged. */
typedef struct stoa_row_change {
    uint64_t n_old;
    uint64_t n_same;
    uint64_t n_rows;
} stoa_row_change;

/*
 * Update the indexes of a changed column, or drop them, as §11 requires before a commit.
 *
 * @param was_replaced  the column has a new dataset
 * @param drop          drop all indexes
 */
stoa_status stoa_table_update_indexes(const stoa_table *table, stoa_column *column,
                                      const stoa_row_change *rows, bool was_replaced, bool drop,
                                      stoa_error *err);

#endif
