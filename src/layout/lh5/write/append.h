/* Append rows, and add columns, to LH5 objects. */
#ifndef STOA_LAYOUT_LH5_APPEND_H
#define STOA_LAYOUT_LH5_APPEND_H

#include "layout/common/writer.h"
#include "table/open/table.h"

/*
 * Append the source's rows to a table, array or vector with the same columns. The open table still
 * shows the old rows.
 *
 * @return STOA_ETYPE or STOA_ELOSS naming the column that does not fit; STOA_ELAYOUT if the object
 *         cannot grow. After a failure the file has the rows it had before
 */
stoa_status stoa_lh5_append(const stoa_layout_source *source, stoa_table *table, stoa_error *err);

/*
 * Add the source's columns to a table. The open table still shows the old columns.
 *
 * @return STOA_EEXISTS naming a column that exists; STOA_ERANGE if the numbers of rows differ;
 *         STOA_ELAYOUT if the object is not a table. After a failure the table has the columns it
 *         had before
 */
stoa_status stoa_lh5_add_columns(const stoa_layout_source *source, stoa_table *table,
                                 stoa_error *err);

#endif
