/* Combines blocks of rows into batches of the requested length. */
#ifndef STOA_LAYOUT_CSV_BATCH_H
#define STOA_LAYOUT_CSV_BATCH_H

#include "core/threads.h"
#include "layout/csv/read.h"

/* Zero-initialise; free by stoa_csv_batches_end(). */
typedef struct stoa_csv_batches {
    stoa_csv_columns *columns; /* borrowed; their builders hold the current batch */
    stoa_workers *workers;     /* borrowed */
    uint64_t batch_rows;
    uint64_t n_rows; /* of the current batch */
    uint64_t n_bytes;
    stoa_buffer plan;  /* rows of the current batch that are still in blocks */
    stoa_buffer ready; /* struct ArrowArray: finished batches */
    size_t n_taken;    /* number of these that have been handed out */
} stoa_csv_batches;

/* Add the rows of a block, which must stay valid until stoa_csv_batches_flush(). */
stoa_status stoa_csv_batches_add(stoa_csv_batches *batches, const stoa_csv_block_result *block,
                                 stoa_error *err);
/* Copy the rows that are still in blocks. With `is_end` the last batch is finished, however
 * short. */
stoa_status stoa_csv_batches_flush(stoa_csv_batches *batches, bool is_end, stoa_error *err);
/* Get the next finished batch; false if there is none. */
bool stoa_csv_batches_next(stoa_csv_batches *batches, struct ArrowArray *out);
void stoa_csv_batches_end(stoa_csv_batches *batches);

#endif
