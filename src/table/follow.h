/* What follows a change of rows: the caller's options taken, indexes brought along (HEP001 §11). */
#ifndef STOA_TABLE_FOLLOW_H
#define STOA_TABLE_FOLLOW_H

#include <stoa/edit.h>

#include "table/table.h"

/* The options as far as the caller's compiler knew them; the defaults for NULL. */
stoa_status stoa_edit_options_take(const stoa_edit_options *options, stoa_edit_options *own,
                                   stoa_error *err);

/* From n_old rows to n_rows, of which the first n_same are what they were. */
typedef struct stoa_row_change {
    uint64_t n_old;
    uint64_t n_same;
    uint64_t n_rows;
} stoa_row_change;

/*
 * Bring the indexes of a changed column to its new rows, or let them go: what §11 asks for before a
 * change is committed.
 *
 * @param was_replaced  the column is another dataset now
 * @param drop          let all of them go
 */
stoa_status stoa_table_follow(const stoa_table *table, stoa_column *column,
                              const stoa_row_change *rows, bool was_replaced, bool drop,
                              stoa_error *err);

#endif
