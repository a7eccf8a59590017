/*
 * Rows of a column in memory, as blocks of elements: by one thread, by several that look at
 * different rows, or one block after the other.
 */
#ifndef STOA_COLUMN_BLOCK_H
#define STOA_COLUMN_BLOCK_H

#include "column/column.h"
#include "core/threads.h"

/* Zero-initialise; free with stoa_block_clear(). */
typedef struct stoa_block {
    uint8_t *elements; /* in memory form */
    uint8_t *missing;  /* bit set: missing (§8.5); NULL: none is */
    uint64_t count;
    uint64_t n_missing;
    void *reclaimed; /* elements whose variable-length parts libhdf5 wants back; `elements` is then
                        a copy that borrows them */
} stoa_block;

/* Read rows [first, first + count) and see which are missing. */
stoa_status stoa_block_read(stoa_column *column, uint64_t first, uint64_t count, stoa_block *block,
                            stoa_error *err);
/* The block as an Arrow array of the stored element; takes elements and missing bits out of it. */
stoa_status stoa_block_decode(const stoa_element *element, stoa_block *block,
                              struct ArrowArray *out, stoa_error *err);
/* The block as an Arrow array of the column's type; takes them out of it as well. */
stoa_status stoa_block_present(stoa_column *column, stoa_block *block, struct ArrowArray *out,
                               stoa_error *err);
void stoa_block_clear(const stoa_element *element, stoa_block *block);

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

/* `view` is of the stored element: codes and counts are integers; missing values are nulls. */
typedef stoa_status (*stoa_block_visitor)(void *context, uint64_t first, const stoa_view *view,
                                          stoa_error *err);

/* Call for each block of rows [from, end). */
stoa_status stoa_column_visit(stoa_column *column, uint64_t from, uint64_t end,
                              stoa_block_visitor visit, void *context, stoa_error *err);

#endif
