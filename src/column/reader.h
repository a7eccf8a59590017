/*
 * Rows of a column for one thread, in buffers that are reused: nothing is allocated from chunk to
 * chunk. Where the dataset can be read past libhdf5 (hdf/direct.h) any number of readers of one
 * column may be at work; otherwise libhdf5 reads, one at a time.
 */
#ifndef STOA_COLUMN_READER_H
#define STOA_COLUMN_READER_H

#include "column/column.h"
#include "core/threads.h"
#include "hdf/direct.h"

/* Zero-initialise; close with stoa_column_reader_close(). */
typedef struct stoa_column_reader {
    stoa_column *column;   /* borrowed */
    stoa_workers *workers; /* whose lock guards libhdf5; borrowed, NULL: none do */
    struct ArrowSchema schema;
    struct ArrowArray array; /* rows that libhdf5 read, beneath the view */
    stoa_scratch scratch;    /* rows of the file */
    stoa_buffer values;      /* rows as presented: bits, ticks, codes, rows of several chunks */
    stoa_buffer validity;
} stoa_column_reader;

/* Call it where libhdf5 may be called. */
stoa_status stoa_column_reader_open(stoa_column_reader *reader, stoa_column *column,
                                    stoa_workers *workers, stoa_error *err);
/* Rows [first, first + count), of any number of chunks, below NROWS; the view is good until the
 * next call. Its `array` and `schema` are those of the column's type, for dictionaries with the
 * labels. */
stoa_status stoa_column_reader_rows(stoa_column_reader *reader, uint64_t first, uint64_t count,
                                    stoa_view *view, stoa_error *err);
void stoa_column_reader_close(stoa_column_reader *reader);

#endif
