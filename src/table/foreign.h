/*
 * Tables of other layouts, presented as tables: their columns are foreign (column/foreign.h), they
 * are read and queried as HEP001 tables are, and never edited.
 */
#ifndef STOA_TABLE_FOREIGN_H
#define STOA_TABLE_FOREIGN_H

#include "column/foreign.h"
#include "table/table.h"

/*
 * A table without columns.
 *
 * @param object      the group or dataset that stands for it; taken over in every case
 * @param path, file  for messages; copied
 * @param layout      "pytables"; static storage
 * @param n_rows      of every column
 * @param[out] table  the caller's, released by stoa_table_close(), after the columns' rows
 */
stoa_status stoa_foreign_begin(hid_t object, const char *path, const char *file, const char *layout,
                               uint64_t n_rows, stoa_table **table, stoa_error *err);
/* The next column; taken over in every case, NULL is refused silently after a failure to make it.
 * A name that is taken is refused: STOA_EDATA. */
stoa_status stoa_foreign_add(stoa_table *table, stoa_column *column, stoa_error *err);
/* One more pair of metadata for streams of the table's rows; NULL is no value. */
stoa_status stoa_foreign_remark_on(stoa_table *table, const char *key, const char *value,
                                   stoa_error *err);
/* All that another table has. */
stoa_status stoa_foreign_remark_as(stoa_table *table, const stoa_table *other, stoa_error *err);
/* Column i labels the rows: the next of the row index columns, outermost first. */
stoa_status stoa_foreign_label_rows(stoa_table *table, size_t i, stoa_error *err);

#endif
