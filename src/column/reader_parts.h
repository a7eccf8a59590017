/* Between the files of a column's reader. */
#ifndef STOA_COLUMN_READER_PARTS_H
#define STOA_COLUMN_READER_PARTS_H

#include "column/reader.h"

/* What the reader's own blocks are for. */
enum { STOA_READER_ROWS, STOA_READER_PRESENTED, STOA_READER_VALIDITY, STOA_READER_CHOSEN };

/* STOA_ERANGE where the rows pass NROWS. */
stoa_status stoa_column_reader_check(const stoa_column *column, uint64_t first, uint64_t count,
                                     stoa_error *err);

#endif
