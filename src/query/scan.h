/*
 * Rows that pass, batch by batch.
 *
 * A unit is the candidates that lie in one stretch of rows, aligned to the chunks of the columns
 * the predicate reads. Units are independent of each other: what is done for one needs nothing from
 * another. Those of which few rows pass are gathered until a batch is worth its name.
 */
#ifndef STOA_QUERY_SCAN_H
#define STOA_QUERY_SCAN_H

#include <stoa/progress.h>
#include <stoa/table.h>

#include "index/rowset.h"
#include "query/eval.h"
#include "query/fetch.h"
#include "query/take.h"

/* Rows of a unit at most, unless a chunk is longer; chunks longer than the second are cut. */
#define STOA_UNIT_ROWS 65536
#define STOA_UNIT_MAX_ROWS 1048576
/* Units are gathered until a batch has so many rows. */
#define STOA_BATCH_ROWS 4096

/* Rows that passed. */
typedef struct stoa_batch {
    uint64_t first; /* the first of them in the table */
    int64_t n;
    uint64_t *rows;            /* their numbers, ascending; NULL: one after the other */
    stoa_view *views;          /* a scope column; those asked for are set, n rows each */
    struct ArrowArray *arrays; /* beneath the views; may be moved away */
} stoa_batch;

/* What a scan did. */
typedef struct stoa_scan_counts {
    uint64_t rows;     /* looked at */
    uint64_t untested; /* of them, known to pass without a look at the predicate's columns */
    uint64_t passed;
    uint64_t chunks; /* looked into, by the chunks of `chunk_rows` */
} stoa_scan_counts;

/* Rows of a unit, or of several that are gathered. */
typedef struct stoa_scan_rows {
    uint64_t first;
    uint64_t n;
    uint64_t *rows;            /* NULL: one after the other */
    struct ArrowArray *arrays; /* a scope column; those that are tested and wanted are set */
} stoa_scan_rows;

/* Zero-initialise; free with stoa_scan_clear(). */
typedef struct stoa_scan {
    stoa_table *table;
    const stoa_scope *scope;
    const stoa_expr *predicate; /* NULL: every row passes */
    bool *tested;               /* columns the predicate reads */
    bool *wanted;               /* columns the batches carry */
    const stoa_rowset *rows;    /* candidates, borrowed */
    const stoa_rowset *certain; /* of them, those that need no test; borrowed */
    uint64_t unit_rows;
    uint64_t chunk_rows; /* for the counts */
    uint64_t limit;      /* rows still wanted */
    stoa_listener listener;
    stoa_scan_counts counts;

    size_t range; /* where the scan stands */
    uint64_t done_in_range;
    size_t certain_range;
    uint64_t next_chunk; /* first chunk not counted yet */
    uint64_t total_rows;
    stoa_fetch *fetches; /* a scope column */
    stoa_evaluation evaluation;
    stoa_view *unit_views;
    uint8_t *selected;
    stoa_scan_rows unit;
    stoa_buffer gathered; /* stoa_scan_rows */
    stoa_batch batch;
} stoa_scan;

/*
 * @param predicate  NULL or bound in `scope`, whose columns are the table's, in order
 * @param wanted     a flag a column, copied
 * @param rows       candidates, borrowed for the life of the scan
 * @param certain    a subset of them, which passes; borrowed too
 */
stoa_status stoa_scan_open(stoa_scan *scan, stoa_table *table, const stoa_scope *scope,
                           const stoa_expr *predicate, const bool *wanted, const stoa_rowset *rows,
                           const stoa_rowset *certain, stoa_error *err);
/* Begin again with other rows. Counts go on; the limit is lifted. */
void stoa_scan_restart(stoa_scan *scan, const stoa_rowset *rows, const stoa_rowset *certain);
/* The next batch with rows in it, borrowed until the next call; NULL at the end. */
stoa_status stoa_scan_next(stoa_scan *scan, stoa_batch **out, stoa_error *err);
/* Bytes as stored of the chunks that were read. */
double stoa_scan_bytes(const stoa_scan *scan);
void stoa_scan_clear(stoa_scan *scan);

#endif
