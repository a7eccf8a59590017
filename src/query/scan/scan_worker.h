/*
 * Scan worker: one thread's part in a scan. It walks over morsels, block by block, and tests their
 * rows.
 *
 * A column is fetched when an expression, or the consumer of the rows, first needs it.
 */
#ifndef STOA_QUERY_SCAN_WORKER_H
#define STOA_QUERY_SCAN_WORKER_H

#include "query/scan/scan.h"

/* Zero-initialise; close with stoa_scan_worker_close(). Must not move while open. */
typedef struct stoa_scan_worker {
    stoa_scan *scan; /* NULL: not open */
    unsigned worker;
    stoa_fetch *fetches; /* per scope column; opened at first use */
    stoa_view *views;    /* of the block; length -1 if not fetched */
    stoa_view *peeks;    /* views in place; -1: not tried, 0: not available */
    stoa_evaluation evaluation;
    uint8_t *selected; /* after the test: one bit per row of the block */
    stoa_morsel morsel;
    stoa_scan_counts counts; /* of the morsel */

    uint64_t first; /* rows of the block */
    uint64_t n;
    uint64_t *rows;   /* row numbers; NULL: consecutive rows */
    bool is_certain;  /* all rows pass the predicate */
    bool is_untested; /* all rows pass it, and there is no threshold */
    uint64_t *row_space;
    stoa_listener listener; /* for other work of this thread: stoa_scan_worker_look() */
} stoa_scan_worker;

stoa_status stoa_scan_worker_open(stoa_scan_worker *scan_worker, stoa_scan *scan, unsigned worker,
                                  stoa_error *err);
/* Called on each thread between pieces of work of few milliseconds. The calling thread, whose
 * worker has number 0, tells the listener, which may end the scan: STOA_ECANCELLED on all threads.
 * Not with the workers' lock. */
stoa_status stoa_scan_worker_look(stoa_scan_worker *scan_worker, stoa_error *err);
void stoa_scan_worker_begin(stoa_scan_worker *scan_worker, const stoa_morsel *morsel);
/* Go to the morsel's next block that has candidates, at most `room` of them. `n` is 0 at the
 * end. */
stoa_status stoa_scan_worker_next(stoa_scan_worker *scan_worker, uint64_t room, stoa_error *err);
/*
 * Move to rows [at, at + n) of the block, one window at most, and test them.
 *
 * @param at               a multiple of STOA_WINDOW_ROWS
 * @param[out] n           the evaluation is at these rows afterwards
 * @param[out] n_selected  rows that pass; their bits are in `selected` from bit `at` on, unless the
 *                         block is untested
 */
stoa_status stoa_scan_worker_window(stoa_scan_worker *scan_worker, uint64_t at, uint64_t *n,
                                    uint64_t *n_selected, stoa_error *err);
/* All rows of the block, of one column. */
stoa_status stoa_scan_worker_view(stoa_scan_worker *scan_worker, size_t column,
                                  const stoa_view **view, stoa_error *err);
/* Read rows of a column, as stoa_fetch_rows(). Invalidates the block's view of it. */
stoa_status stoa_scan_worker_rows(stoa_scan_worker *scan_worker, size_t column,
                                  const uint64_t *rows, uint64_t first, uint64_t n,
                                  struct ArrowArray *out, stoa_view *view, stoa_error *err);
/* Whether the selected rows of the block can be read from a column without a list of row
 * numbers. */
stoa_status stoa_scan_worker_can_choose(stoa_scan_worker *scan_worker, size_t column, bool *can,
                                        stoa_error *err);
/* Read these rows, n of them, as stoa_fetch_chosen(). Invalidates the block's view of the
 * column. */
stoa_status stoa_scan_worker_chosen(stoa_scan_worker *scan_worker, size_t column, uint64_t n,
                                    struct ArrowArray *out, stoa_view *view, stoa_error *err);
/* End the morsel and complete its counts. */
void stoa_scan_worker_end(stoa_scan_worker *scan_worker);
void stoa_scan_worker_close(stoa_scan_worker *scan_worker);

#endif
