/* Rows on their way into a dataset of records. */
#ifndef STOA_LAYOUT_PYTABLES_ROW_WRITER_H
#define STOA_LAYOUT_PYTABLES_ROW_WRITER_H

#include "core/threads.h"
#include "hdf/chunk/chunk_writer.h"
#include "layout/common/pack.h"
#include "layout/common/writer.h"

typedef struct stoa_row_worker stoa_row_worker;
typedef struct stoa_row_chunk stoa_row_chunk;

typedef struct stoa_row_writer {
    stoa_pack *rows;
    hid_t type;     /* of the dataset's rows */
    uint64_t first; /* the row of the dataset that the first row of the stream becomes */
    stoa_chunk_writer writer;
    uint8_t *block;      /* of n_block rows, in either type */
    uint8_t *background; /* of H5Tconvert() for compounds; NULL if rows are not converted */
    int64_t n_block;
    stoa_workers *workers; /* encode whole chunks; NULL: the calling thread writes all rows */
    stoa_row_worker *each; /* one a worker */
    stoa_row_chunk *chunks;
    size_t n_chunks; /* that are encoded, or wait to be written, at a time */
} stoa_row_writer;

/* Close it also after a failure. `type` is as for stoa_pytables_put_rows(). `threads` is as for
 * stoa_workers_open(). */
stoa_status stoa_row_writer_open(stoa_row_writer *w, stoa_pack *rows, hid_t dataset, hid_t type,
                                 uint64_t first, unsigned threads, stoa_error *err);
/* Write a batch: a stoa_layout_batch_visitor, whose context is the row writer. Call
 * stoa_chunk_writer_flush() after the last. */
stoa_status stoa_row_writer_put(void *context, const stoa_view *view, uint64_t first,
                                stoa_error *err);
void stoa_row_writer_close(stoa_row_writer *w);

/*
 * Write the source's rows to a dataset, from row `first` on.
 *
 * @param type  of the dataset's rows. Unless it is rows->stored itself, the rows are appended: they
 *              are converted, and the dataset grows
 */
stoa_status stoa_pytables_put_rows(const stoa_layout_source *source, stoa_pack *rows, hid_t dataset,
                                   hid_t type, uint64_t first, stoa_error *err);

#endif
