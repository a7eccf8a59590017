/*
 * Tables of other layouts, presented as HEP001 tables.
 *
 * Their columns are foreign (column/read/foreign.h). They are read and queried like HEP001 tables
 * but never edited.
 */
#ifndef STOA_TABLE_FOREIGN_H
#define STOA_TABLE_FOREIGN_H

#include "column/read/foreign.h"
#include "table/open/table.h"

/*
 * Make a table without columns.
 *
 * @param object      the group or dataset of the table; taken over even on failure
 * @param path, file  for messages; copied
 * @param layout      such as "pytables"; static storage
 * @param n_rows      rows of every column
 * @param[out] table  to be closed with stoa_table_close(), after its columns' rows are released
 */
stoa_status stoa_foreign_begin(hid_t object, const char *path, const char *file, const char *layout,
                               uint64_t n_rows, stoa_table **table, stoa_error *err);
/* Add the next column, which is taken over even on failure. STOA_EDATA if the name is taken. */
stoa_status stoa_foreign_add(stoa_table *table, stoa_column *column, stoa_error *err);
/*
 * Add a column that cannot be opened. Loading it fails with this reason, and the other columns
 * answer. A lack of memory is not a column's fault: it is passed on.
 */
stoa_status stoa_foreign_add_damaged(stoa_table *table, const char *name, const stoa_error *why,
                                     stoa_error *err);
/* Take the columns that cannot be opened out of the table; `visit` gets each before that. */
typedef stoa_status stoa_damaged_visit(void *context, const stoa_column *column, stoa_error *err);
stoa_status stoa_foreign_drop_damaged(stoa_table *table, stoa_damaged_visit *visit, void *context,
                                      stoa_error *err);
/* The first column that could be opened, which tells how many rows there are; NULL: none. */
const stoa_column *stoa_foreign_first(const stoa_table *table);
/* Add a metadata pair for streams of the table's rows. A NULL value adds nothing. */
stoa_status stoa_foreign_add_metadata(stoa_table *table, const char *key, const char *value,
                                      stoa_error *err);
/* Add all metadata of another table. */
stoa_status stoa_foreign_set_metadata(stoa_table *table, const stoa_table *other, stoa_error *err);
/* Make column i the next row index column; the outermost comes first. */
stoa_status stoa_foreign_label_rows(stoa_table *table, size_t i, stoa_error *err);

#endif
