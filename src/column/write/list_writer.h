/*
 * Appends rows to a list column (HEP001-2026-07 §9, §12.3).
 *
 * Each member is written as a column is (write.h). A batch of lists is cut into views for them: the
 * items, and for each level the offsets and the mask of its entries. The steps are those of
 * stoa_column_batch, in their order. Members are written from the innermost values to the OFFSETS
 * of the rows, so that nothing describes what is not there.
 */
#ifndef STOA_COLUMN_LIST_WRITER_H
#define STOA_COLUMN_LIST_WRITER_H

#include "column/write/write.h"

typedef struct stoa_list_writer stoa_list_writer;

/*
 * Prepare for appending to a loaded list column. Nothing is written.
 *
 * @param[out] writer  the caller closes it
 */
stoa_status stoa_list_writer_open(stoa_column *column, stoa_list_writer **writer, stoa_error *err);
/* Refuse a list column that may share a group or a dataset with another: rows for one would be lost
 * in the other. */
stoa_status stoa_list_writer_check_own(const stoa_list_writer *writer, stoa_error *err);
/* What is not flushed is lost. The column need not be open any more. */
void stoa_list_writer_close(stoa_list_writer *writer);

/* The innermost values chose their fill value: a value that equals it is an error. */
void stoa_list_writer_keep_fill(stoa_list_writer *writer);

/* 1. Check lists, and cut them. On any thread. The view is borrowed until the batch is cleared. */
stoa_status stoa_list_writer_check(stoa_list_writer *writer, const stoa_view *view,
                                   stoa_error *err);
/* 2. Make the members' types and extents sufficient. A MASK is made where the first entry is
 * missing. */
stoa_status stoa_list_writer_fit(stoa_list_writer *writer, stoa_error *err);
/* 3. Encode and compress. On any thread. */
stoa_status stoa_list_writer_pack(stoa_list_writer *writer, stoa_scratch *scratch, stoa_error *err);
/* 4. Write. The last chunk of each member is held. */
stoa_status stoa_list_writer_put(stoa_list_writer *writer, stoa_error *err);
/* Drop the batch. */
void stoa_list_writer_clear(stoa_list_writer *writer);

/* Write the held chunks. */
stoa_status stoa_list_writer_flush(stoa_list_writer *writer, stoa_error *err);
/* Flush, and free the buffers until rows are written again. */
stoa_status stoa_list_writer_let_go(stoa_list_writer *writer, stoa_error *err);
/* Rewrite all members in another storage. They have been flushed. */
stoa_status stoa_list_writer_store(stoa_list_writer *writer, const stoa_storage *storage,
                                   stoa_error *err);
/* Drop what was written, as far as libhdf5 allows. The rows of before are unchanged. */
void stoa_list_writer_abort(stoa_list_writer *writer);

#endif
