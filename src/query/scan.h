/*
 * Rows that pass, batch by batch.
 *
 * A unit is a run of candidate rows aligned to the chunks of the columns the predicate reads. Units
 * are independent of each other: what is done for one needs nothing from another.
 */
#ifndef STOA_QUERY_SCAN_H
#define STOA_QUERY_SCAN_H

#include <stoa/progress.h>
#include <stoa/table.h>

#include "index/rowset.h"
#include "query/eval.h"
#include "query/take.h"

/* Rows of a unit at most, unless a chunk is longer; chunks longer than the second are cut. */
#define STOA_UNIT_ROWS 65536
#define STOA_UNIT_MAX_ROWS 1048576

/* Rows of one unit that passed. */
typedef struct stoa_batch {
    uint64_t first;            /* the unit's first row in the table */
    int64_t n;                 /* rows that passed */
    stoa_pick *picks;          /* their places in the unit; NULL: all of it */
    stoa_view *views;          /* a scope column; those asked for are set, n rows each */
    struct ArrowArray *arrays; /* beneath the views; may be moved away */
} stoa_batch;

/* What a scan did. */
typedef struct stoa_scan_counts {
    uint64_t rows; /* looked at */
    uint64_t passed;
    uint64_t chunks; /* looked into, by the chunks of `chunk_rows` */
    double bytes;    /* as stored, of the rows that were read */
} stoa_scan_counts;

/* Zero-initialise; free with stoa_scan_clear(). */
typedef struct stoa_scan {
    stoa_table *table;
    const stoa_scope *scope;
    const stoa_expr *predicate; /* NULL: every row passes */
    bool *tested;               /* columns the predicate reads */
    bool *wanted;               /* columns the batches carry */
    const stoa_rowset *rows;    /* candidates, borrowed */
    uint64_t unit_rows;
    uint64_t chunk_rows; /* for the counts */
    uint64_t limit;      /* rows still wanted */
    stoa_listener listener;
    stoa_scan_counts counts;

    size_t range; /* where the scan stands */
    uint64_t done_in_range;
    uint64_t next_chunk; /* first chunk not counted yet */
    uint64_t total_rows;
    double *bytes_per_row; /* of each column */
    stoa_evaluation evaluation;
    uint8_t *selected;
    stoa_batch batch;
} stoa_scan;

/*
 * @param predicate  NULL or bound in `scope`, whose columns are the table's, in order
 * @param wanted     a flag a column, copied
 * @param rows       candidates, borrowed for the life of the scan
 */
stoa_status stoa_scan_open(stoa_scan *scan, stoa_table *table, const stoa_scope *scope,
                           const stoa_expr *predicate, const bool *wanted, const stoa_rowset *rows,
                           stoa_error *err);
/* The next batch with rows in it, borrowed until the next call; NULL at the end. */
stoa_status stoa_scan_next(stoa_scan *scan, stoa_batch **out, stoa_error *err);
void stoa_scan_clear(stoa_scan *scan);

#endif
