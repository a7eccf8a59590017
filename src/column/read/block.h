/*
 * Blocks of a column's elements in memory. Rows are read by one thread, by several that read
 * different rows, or block by block.
 */
#ifndef STOA_COLUMN_BLOCK_H
#define STOA_COLUMN_BLOCK_H

#include "column/column.h"
#include "core/threads.h"

/* Zero-initialise; free with stoa_block_clear(). */
typedef struct stoa_block {
    uint8_t *elements; /* in memory form */
    uint8_t *missing;  /* bit set: missing (§8.5); NULL: no row is missing */
    uint64_t count;
    uint64_t n_missing;
    void *reclaimed; /* elements whose variable-length parts libhdf5 must free; `elements` is then a
                        shallow copy */
} stoa_block;

/* Read rows [first, first + count) and find the missing ones. */
stoa_status stoa_block_read(stoa_column *column, uint64_t first, uint64_t count, stoa_block *block,
                            stoa_error *err);
/* Convert the block to an Arrow array of the stored element. Moves elements and missing bits out of
 * it. */
stoa_status stoa_block_decode(const stoa_element *element, stoa_block *block,
                              struct ArrowArray *out, stoa_error *err);
/* Convert the block to an Arrow array of the column's type. Moves them out of it as well. */
stoa_status stoa_block_present(stoa_column *column, stoa_block *block, struct ArrowArray *out,
                               stoa_error *err);
void stoa_block_clear(const stoa_element *element, stoa_block *block);

/* The state of one reading thread. */
typedef struct stoa_block_reader {
    stoa_column *column;   /* borrowed */
    stoa_workers *workers; /* their lock guards libhdf5; NULL: no other thread runs */
    stoa_scratch scratch;
} stoa_block_reader;

/* Zero-initialise; free with stoa_block_readers_close(), also after a failure. */
typedef struct stoa_block_readers {
    stoa_workers *workers; /* threads to run on; NULL: only the caller's */
    unsigned n;            /* one per worker */
    stoa_block_reader *each;
} stoa_block_readers;

/* Open a reader for each of the column's workers. Only the caller's thread reads if libhdf5 owns
 * parts of the elements. Call it where libhdf5 may be called. */
stoa_status stoa_block_readers_open(stoa_block_readers *readers, stoa_column *column,
                                    stoa_error *err);
void stoa_block_readers_close(stoa_block_readers *readers);

/* Whether several threads can read the column. */
bool stoa_column_can_share(const stoa_column *column);
/* Read only the elements, in memory form, which the caller frees. */
stoa_status stoa_block_reader_elements(stoa_block_reader *reader, uint64_t first, uint64_t count,
                                       void **elements, stoa_error *err);
/* stoa_block_read() on one of the threads. */
stoa_status stoa_block_reader_read(stoa_block_reader *reader, uint64_t first, uint64_t count,
                                   stoa_block *block, stoa_error *err);

/* `view` has the type of the stored element: codes and counts are integers. Missing values are
 * nulls. */
typedef stoa_status (*stoa_block_visitor)(void *context, uint64_t first, const stoa_view *view,
                                          stoa_error *err);

/* Call the visitor for each block of rows [from, end). */
stoa_status stoa_column_visit(stoa_column *column, uint64_t from, uint64_t end,
                              stoa_block_visitor visit, void *context, stoa_error *err);

#endif
