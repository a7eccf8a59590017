/* A column's stored values, a block at a time. */
#ifndef STOA_COLUMN_VISIT_H
#define STOA_COLUMN_VISIT_H

#include "column/column.h"

/* `view` is of the stored element: codes and counts are integers; missing values are nulls. */
typedef stoa_status (*stoa_block_visitor)(void *context, uint64_t first, const stoa_view *view,
                                          stoa_error *err);

/* Call for each block of the first rows. */
stoa_status stoa_column_visit(stoa_column *column, uint64_t n_rows, stoa_block_visitor visit,
                              void *context, stoa_error *err);
/* Those of rows [from, end). */
stoa_status stoa_column_visit_range(stoa_column *column, uint64_t from, uint64_t end,
                                    stoa_block_visitor visit, void *context, stoa_error *err);

#endif
