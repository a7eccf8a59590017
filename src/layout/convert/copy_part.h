/* Rows and columns of a table as a table of HEP001, in a temporary file. */
#ifndef STOA_LAYOUT_COPY_PART_H
#define STOA_LAYOUT_COPY_PART_H

#include <stoa/query.h>

#include "layout/common/writer.h"

/*
 * @param what        columns and rows; NULL: the whole table, with all that layouts note of it
 * @param[out] file   the caller closes it by stoa_layout_close_temporary(), also after a failure
 * @param[out] table  the caller closes it before
 */
stoa_status stoa_layout_copy_part(stoa_table *from, const stoa_query_options *what, hid_t *file,
                                  stoa_table **table, stoa_error *err);

#endif
