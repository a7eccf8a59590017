/*
 * Rows that pass, batch by batch: the units of a span of which few rows pass are gathered until a
 * batch is worth its name.
 */
#ifndef STOA_QUERY_BATCH_H
#define STOA_QUERY_BATCH_H

#include "query/tester.h"

/* Units are gathered until a batch has so many rows. */
#define STOA_BATCH_ROWS 4096

/* Rows that passed. */
typedef struct stoa_batch {
    uint64_t first; /* the first of them in the table */
    int64_t n;
    uint64_t *rows;            /* their numbers, ascending; NULL: one after the other, or nobody
                                * asks for them */
    stoa_view *views;          /* a scope column; those asked for are set, n rows each */
    struct ArrowArray *arrays; /* beneath the views; may be moved away */
} stoa_batch;

/* One thread's. Zero-initialise; free with stoa_batcher_clear(). */
typedef struct stoa_batcher {
    stoa_tester *tester;  /* NULL: not open; borrowed */
    stoa_gather *gathers; /* a scope column: those that are tested and wanted */
    stoa_buffer rows;     /* uint64_t, unless is_run */
    stoa_buffer picks;    /* uint32_t: the unit's rows that passed */
    bool is_run;          /* the batch's rows stand one after the other */
    bool leaves_rows;     /* for the owner to set: nobody asks for the numbers of the rows */
    bool *by_bits; /* a scope column: its rows are chosen by the bits of the batch's only unit */
    bool has_bits; /* some column's are */
    bool has_list; /* some column's are not, or the owner asks: the rows are listed */
    uint64_t left; /* rows that the span's limit leaves */
    stoa_batch batch;
} stoa_batcher;

stoa_status stoa_batcher_open(stoa_batcher *batcher, stoa_tester *tester, stoa_error *err);
/* After stoa_tester_begin(). */
void stoa_batcher_begin(stoa_batcher *batcher);
/* The span's next batch with rows in it, borrowed until the next call; NULL at the end, when the
 * tester's counts are whole. */
stoa_status stoa_batcher_next(stoa_batcher *batcher, stoa_batch **out, stoa_error *err);
void stoa_batcher_clear(stoa_batcher *batcher);

/* A scan on the caller's thread alone, one batch after the other: for edits. Zero-initialise; free
 * with stoa_walk_clear(). */
typedef struct stoa_walk {
    stoa_scan scan;
    stoa_batcher batcher;
    bool is_in_span;
} stoa_walk;

stoa_status stoa_walk_open(stoa_walk *walk, const stoa_scan_request *request, stoa_error *err);
/* The next batch with rows in it, borrowed until the next call; NULL at the end. */
stoa_status stoa_walk_next(stoa_walk *walk, stoa_batch **out, stoa_error *err);
void stoa_walk_clear(stoa_walk *walk);

#endif
