/* Between the files of a column's reader. */
#ifndef STOA_COLUMN_READER_PARTS_H
#define STOA_COLUMN_READER_PARTS_H

#include "column/read/reader.h"

/* What the reader's own blocks are for. */
enum { STOA_READER_ROWS, STOA_READER_PRESENTED, STOA_READER_VALIDITY, STOA_READER_CHOSEN };

/* One of them. */
stoa_status stoa_column_reader_block(stoa_column_reader *reader, int which, size_t size,
                                     uint8_t **block, stoa_error *err);
/* Rows as they are stored, in memory form, good until the next call; of a column whose rows are
 * read here. */
stoa_status stoa_column_reader_elements(stoa_column_reader *reader, uint64_t first, uint64_t count,
                                        const uint8_t **elements, stoa_error *err);
/* The same, copied. */
stoa_status stoa_column_reader_copy(stoa_column_reader *reader, uint64_t first, uint64_t count,
                                    void *out, stoa_error *err);
/* Those whose bit is set, n of them, copied: see stoa_column_reader_chosen(). */
stoa_status stoa_column_reader_choose(stoa_column_reader *reader, uint64_t first, uint64_t count,
                                      const uint8_t *bits, uint64_t n, void *out, stoa_error *err);
/* The chunk that was unpacked last is of no use any more. */
void stoa_column_reader_forget(stoa_column_reader *reader);
#endif
