/* Rows of a column as blocks, for several threads that look at different rows of it. */
#ifndef STOA_COLUMN_BLOCK_READER_H
#define STOA_COLUMN_BLOCK_READER_H

#include "column/block.h"
#include "core/threads.h"

/* What one thread reads by. */
typedef struct stoa_block_reader {
    stoa_column *column;   /* borrowed */
    stoa_workers *workers; /* whose lock guards libhdf5; NULL: no other thread is at work */
    stoa_scratch scratch;
} stoa_block_reader;

/* Zero-initialise; free with stoa_block_readers_close(), also after a failure. */
typedef struct stoa_block_readers {
    stoa_workers *workers; /* to run parts on; NULL: on the caller's thread alone */
    unsigned n;            /* one a worker */
    stoa_block_reader *each;
} stoa_block_readers;

/* For the column's workers, unless libhdf5 owns a part of what it reads; then for the caller. Call
 * it where libhdf5 may be called. */
stoa_status stoa_block_readers_open(stoa_block_readers *readers, stoa_column *column,
                                    stoa_error *err);
void stoa_block_readers_close(stoa_block_readers *readers);

/* stoa_block_read() by one of the threads. */
stoa_status stoa_block_reader_read(stoa_block_reader *reader, uint64_t first, uint64_t count,
                                   stoa_block *block, stoa_error *err);

#endif
