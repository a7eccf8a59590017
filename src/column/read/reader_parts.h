/* Internals shared by reader.c and reader_elements.c. */
#ifndef STOA_COLUMN_READER_PARTS_H
#define STOA_COLUMN_READER_PARTS_H

#include "column/read/reader.h"

/* The uses of the blocks in reader->own. */
enum { STOA_READER_ROWS, STOA_READER_PRESENTED, STOA_READER_VALIDITY, STOA_READER_CHOSEN };

/* Get one of these blocks, with at least `size` bytes. */
stoa_status stoa_column_reader_block(stoa_column_reader *reader, int which, size_t size,
                                     uint8_t **block, stoa_error *err);
/* Read rows as stored elements in memory form, valid until the next call. Only for columns that are
 * read without libhdf5. */
stoa_status stoa_column_reader_elements(stoa_column_reader *reader, uint64_t first, uint64_t count,
                                        const uint8_t **elements, stoa_error *err);
/* The same, copied to `out`. */
stoa_status stoa_column_reader_copy(stoa_column_reader *reader, uint64_t first, uint64_t count,
                                    void *out, stoa_error *err);
/* Copy the n elements whose bit is set (stoa_column_reader_chosen). */
stoa_status stoa_column_reader_choose(stoa_column_reader *reader, uint64_t first, uint64_t count,
                                      const uint8_t *bits, uint64_t n, void *out, stoa_error *err);
/* Release the chunk that was decoded last. */
void stoa_column_reader_forget(stoa_column_reader *reader);
#endif
