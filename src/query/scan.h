/*
 * What the threads of a scan share: the columns, the candidates, the grid they are cut on.
 *
 * A predicate's columns are read for every candidate, one after the other and only where the ones
 * before leave a doubt; the others are read for the rows that pass, and only from their chunks.
 */
#ifndef STOA_QUERY_SCAN_H
#define STOA_QUERY_SCAN_H

#include <stdatomic.h>
#include <stoa/progress.h>
#include <stoa/table.h>

#include "query/ahead.h"
#include "query/eval.h"
#include "query/fetch.h"
#include "query/span.h"

/* Rows of a unit at most, unless a chunk is longer; chunks longer than the second are cut, and so
 * are units whose wanted values would fill more than the third. */
#define STOA_UNIT_ROWS 65536
#define STOA_UNIT_MAX_ROWS 1048576
#define STOA_UNIT_BYTES 16777216
/* Rows of a span at least, unless they are so wide that they would fill more than the second. */
#define STOA_SPAN_ROWS 262144
#define STOA_SPAN_BYTES 8388608
/* A scan of no more rows is a little one; spans have a few of them at least. */
#define STOA_LITTLE_ROWS 4096
#define STOA_LITTLE_SPAN_ROWS 8
/* Chunks of a scan are kept as long as they fill no more than this. */
#define STOA_KEPT_BYTES 62914560

/* What a scan did, or a part of it. */
typedef struct stoa_scan_counts {
    uint64_t rows;     /* looked at */
    uint64_t untested; /* of them, known to pass without a look at the predicate's columns */
    uint64_t passed;
    uint64_t chunks;     /* looked into, by the chunks of `chunk_rows` */
    uint64_t low_chunk;  /* the first of them; */
    uint64_t next_chunk; /* and the one after the last */
    double bytes;        /* as stored, of the chunks that were read */
} stoa_scan_counts;

struct stoa_tester;

typedef struct stoa_scan_request {
    stoa_table *table;
    const stoa_scope *scope;    /* whose columns are the table's, in order */
    const stoa_expr *predicate; /* NULL: every row passes */
    const bool *wanted;         /* a flag a column: read for the rows that pass; copied */
    const stoa_marked *marked;  /* parts of it that are answered; borrowed, too */
    stoa_candidates candidates; /* borrowed for the life of the scan */
    bool is_folded;             /* rows are taken in where they lie, and not gathered */
    stoa_workers *workers;      /* NULL: the caller's thread alone */
    stoa_listener listener;     /* heard on the caller's thread */
} stoa_scan_request;

/* Zero-initialise; free with stoa_scan_clear(). Not to be moved. */
typedef struct stoa_scan {
    stoa_scan_request is;
    bool *tested; /* columns the predicate reads */
    bool *wanted;
    stoa_source *sources; /* a scope column */
    uint64_t unit_rows;
    uint64_t span_rows;
    uint64_t chunk_rows; /* for the counts */
    uint64_t row_bytes;  /* wanted, roughly */
    uint64_t limit;      /* rows still wanted */
    stoa_cursor at;
    uint64_t total_rows;
    bool is_little;               /* for one thread, as a rule */
    bool is_unwritten;            /* its columns have stored less than a byte for 2^20 rows */
    stoa_scan_counts counts;      /* of the spans that are done, in their order */
    _Atomic uint64_t rows_so_far; /* for the listener */
    _Atomic uint64_t bytes_so_far;
    stoa_ahead ahead;
    struct stoa_tester *testers; /* a worker; opened when first used */
    unsigned n_testers;
} stoa_scan;

stoa_status stoa_scan_open(stoa_scan *scan, const stoa_scan_request *request, stoa_error *err);
/* Begin again with other rows. Counts go on; the limit is lifted. */
void stoa_scan_restart(stoa_scan *scan, stoa_candidates candidates);
/* From now on read other columns for the rows that pass: some of those that were asked for. */
void stoa_scan_want(stoa_scan *scan, const bool *wanted);
/* The next span; false at the end. */
bool stoa_scan_cut(stoa_scan *scan, stoa_span *span);

/* Do something with span number `number` of those at hand, on any thread. */
typedef stoa_status (*stoa_scan_part)(void *context, struct stoa_tester *tester, uint64_t number,
                                      stoa_error *err);
/* STOA_ERANGE where so many rows would be read, and hardly any was ever written. */
stoa_status stoa_scan_may_read(const stoa_scan *scan, uint64_t n_rows, stoa_error *err);
/* Do parts 0 .. n - 1, as stoa_workers_run() does. STOA_ERANGE where more than STOA_UNWRITTEN_ROWS
 * of fill values would be read: a file of a few bytes may claim 2^62 of them. */
stoa_status stoa_scan_run(stoa_scan *scan, uint64_t n, stoa_scan_part part, void *context,
                          stoa_error *err);
/* A span was done, and all before it: add what it came to. */
void stoa_scan_count(stoa_scan *scan, const stoa_scan_counts *counts);
void stoa_scan_clear(stoa_scan *scan);

#endif
