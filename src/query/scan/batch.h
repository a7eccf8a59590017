/*
 * Rows that pass, in batches. If few rows of a morsel pass, its blocks are gathered until a batch
 * has enough rows.
 */
#ifndef STOA_QUERY_BATCH_H
#define STOA_QUERY_BATCH_H

#include "query/scan/scan_worker.h"

/* Blocks are gathered until a batch has this many rows. */
#define STOA_BATCH_ROWS 4096

/* Rows that passed. */
typedef struct stoa_batch {
    uint64_t first; /* the first of them, by row number */
    int64_t n;
    uint64_t *rows;   /* row numbers, ascending; NULL: consecutive rows, or not asked for */
    stoa_view *views; /* per scope column; wanted ones are set, n rows each */
    struct ArrowArray *arrays; /* own the views' data; may be moved away */
} stoa_batch;

/* One per thread. Zero-initialise; free with stoa_batcher_clear(). */
typedef struct stoa_batcher {
    stoa_scan_worker *scan_worker; /* NULL: not open; borrowed */
    stoa_gather *gathers; /* per scope column; used by columns that are tested and wanted */
    stoa_buffer rows;     /* uint64_t, unless is_run */
    stoa_buffer picks;    /* uint32_t: positions of the block's rows that passed */
    bool is_run;          /* the batch's rows are consecutive */
    bool leaves_rows;     /* set by the owner: row numbers are not needed */
    bool *by_bits; /* per scope column: rows are selected by the bitmap of the batch's only block */
    bool has_bits; /* at least one column uses the bitmap */
    bool has_list; /* at least one column needs row numbers, or the owner does */
    uint64_t left; /* rows left within the morsel's limit */
    stoa_batch batch;
} stoa_batcher;

stoa_status stoa_batcher_open(stoa_batcher *batcher, stoa_scan_worker *scan_worker,
                              stoa_error *err);
/* Call after stoa_scan_worker_begin(). */
void stoa_batcher_begin(stoa_batcher *batcher);
/* The next batch of the morsel that has rows, borrowed until the next call. NULL at the end; the
 * scan worker's counts are complete then. */
stoa_status stoa_batcher_next(stoa_batcher *batcher, stoa_batch **out, stoa_error *err);
void stoa_batcher_clear(stoa_batcher *batcher);

/* A scan on the caller's thread alone, batch by batch, for edits. Zero-initialise; free with
 * stoa_walk_clear(). */
typedef struct stoa_walk {
    stoa_scan scan;
    stoa_batcher batcher;
    bool is_in_morsel;
} stoa_walk;

stoa_status stoa_walk_open(stoa_walk *walk, const stoa_scan_request *request, stoa_error *err);
/* The next batch that has rows, borrowed until the next call; NULL at the end. */
stoa_status stoa_walk_next(stoa_walk *walk, stoa_batch **out, stoa_error *err);
void stoa_walk_clear(stoa_walk *walk);

#endif
