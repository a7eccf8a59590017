/* Some rows of a column, for callers that look at each of them. */
#ifndef STOA_COLUMN_ROWS_H
#define STOA_COLUMN_ROWS_H

#include "arrow/read.h"
#include "column/column.h"

/* Zero-initialise; free with stoa_column_rows_clear(). */
typedef struct stoa_column_rows {
    struct ArrowSchema schema;
    struct ArrowArray array;
    stoa_view view; /* of both */
} stoa_column_rows;

/* Read rows [first, first + count) by stoa_column_read(). Clear them after a failure, too. */
stoa_status stoa_column_rows_read(stoa_column *column, uint64_t first, uint64_t count,
                                  stoa_column_rows *rows, stoa_error *err);
void stoa_column_rows_clear(stoa_column_rows *rows);

#endif
