/* More rows, and more columns, for what LH5 files hold. */
#ifndef STOA_LAYOUT_LH5_APPEND_H
#define STOA_LAYOUT_LH5_APPEND_H

#include "layout/common/writer.h"
#include "table/open/table.h"

/*
 * The source's rows behind those of a table, array or vector, whose columns it has; the table shows
 * the old ones still.
 *
 * @return STOA_ETYPE, STOA_ELOSS naming the column that does not fit; STOA_ELAYOUT for what cannot
 *         grow. The file then has the rows that it had
 */
stoa_status stoa_lh5_append(const stoa_layout_source *source, stoa_table *table, stoa_error *err);

/*
 * The source's columns beside those of a table; the table shows the old ones still.
 *
 * @return STOA_EEXISTS naming one that is there; STOA_ERANGE where there are more rows, or fewer;
 *         STOA_ELAYOUT for what is no table. The table then has the columns that it had
 */
stoa_status stoa_lh5_add_columns(const stoa_layout_source *source, stoa_table *table,
                                 stoa_error *err);

#endif
