/* Blocks of rows put together into batches of the length that was asked for. */
#ifndef STOA_LAYOUT_CSV_BATCH_H
#define STOA_LAYOUT_CSV_BATCH_H

#include "core/threads.h"
#include "layout/csv/read.h"

/* Zero-initialise; free with stoa_csv_batches_end(). */
typedef struct stoa_csv_batches {
    stoa_csv_columns *columns; /* borrowed; their builders hold the batch in the making */
    stoa_workers *workers;     /* borrowed */
    uint64_t batch_rows;
    uint64_t n_rows; /* of the batch in the making, */
    uint64_t n_bytes;
    stoa_buffer plan;  /* what of it is still in blocks */
    stoa_buffer ready; /* struct ArrowArray: batches not handed out yet, */
    size_t n_taken;    /* but for so many */
} stoa_csv_batches;

/* Add the rows of a block; it must stay until stoa_csv_batches_flush(). */
stoa_status stoa_csv_batches_add(stoa_csv_batches *batches, const stoa_csv_yield *block,
                                 stoa_error *err);
/* Copy what is still in blocks; `is_end`: the last batch, however short. */
stoa_status stoa_csv_batches_flush(stoa_csv_batches *batches, bool is_end, stoa_error *err);
/* The next batch that is ready; false if there is none. */
bool stoa_csv_batches_take(stoa_csv_batches *batches, struct ArrowArray *out);
void stoa_csv_batches_end(stoa_csv_batches *batches);

#endif
