/* Between the files of a column's reader. */
#ifndef STOA_COLUMN_READER_PARTS_H
#define STOA_COLUMN_READER_PARTS_H

#include "column/reader.h"

/* What the reader's own blocks are for. */
enum { STOA_READER_ROWS, STOA_READER_PRESENTED, STOA_READER_VALIDITY, STOA_READER_CHOSEN };

/* One of them. */
stoa_status stoa_column_reader_block(stoa_column_reader *reader, int which, size_t size,
                                     uint8_t **block, stoa_error *err);
/* Rows as they are stored, in memory form, good until the next call; of a column whose rows are
 * read here. */
stoa_status stoa_column_reader_elements(stoa_column_reader *reader, uint64_t first, uint64_t count,
                                        const uint8_t **elements, stoa_error *err);
/* Rows as codes of the reader's lexicon: coded.c. */
stoa_status stoa_column_reader_codes(stoa_column_reader *reader, uint64_t first, uint64_t count,
                                     stoa_view *view, stoa_error *err);

/* STOA_ERANGE where the rows pass NROWS. */
stoa_status stoa_column_reader_check(const stoa_column *column, uint64_t first, uint64_t count,
                                     stoa_error *err);

#endif
