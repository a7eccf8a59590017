/*
 * Scan: the state that its threads share, which is the columns, the candidates, and the grid that
 * cuts them into morsels.
 *
 * A predicate's columns are read for every candidate, one after another, and only where earlier
 * ones leave a doubt. The other columns are read for the rows that pass, and only from their
 * chunks.
 */
#ifndef STOA_QUERY_SCAN_H
#define STOA_QUERY_SCAN_H

#include <stdatomic.h>
#include <stoa/progress.h>
#include <stoa/table.h>

#include "query/eval/eval.h"
#include "query/scan/fetch.h"
#include "query/scan/morsel.h"
#include "query/scan/prefetch.h"

/* Most rows of a block, unless a chunk is longer. Chunks longer than STOA_UNIT_MAX_ROWS are
 * split. So are blocks whose wanted values would fill more than STOA_UNIT_BYTES. */
#define STOA_UNIT_ROWS 65536
#define STOA_UNIT_MAX_ROWS 1048576
#define STOA_UNIT_BYTES 16777216
/* Fewest rows of a morsel, unless their values would fill more than STOA_MORSEL_BYTES. */
#define STOA_MORSEL_ROWS 262144
#define STOA_MORSEL_BYTES 8388608
/* A scan of at most this many rows is small. Its morsels have at least a few of them. */
#define STOA_LITTLE_ROWS 4096
#define STOA_LITTLE_MORSEL_ROWS 8

/* What a scan did, or a part of it. */
typedef struct stoa_scan_counts {
    uint64_t rows;     /* looked at */
    uint64_t untested; /* of them, known to pass without reading the predicate's columns */
    uint64_t passed;
    uint64_t chunks;     /* chunks of `chunk_rows` rows that were looked into */
    uint64_t low_chunk;  /* the first of them, */
    uint64_t next_chunk; /* and the one after the last */
    double bytes;        /* stored bytes of the chunks that were read */
} stoa_scan_counts;

struct stoa_scan_worker;

typedef struct stoa_scan_request {
    stoa_table *table;
    const stoa_scope *scope;           /* its columns are the table's, in order */
    const stoa_expr *predicate;        /* NULL: every row passes */
    const stoa_use *wanted;            /* per column: what is read for the rows that pass; copied */
    const stoa_index_verdicts *marked; /* parts of the predicate that indexes answered; borrowed */
    stoa_candidates candidates;        /* borrowed until the scan is cleared */
    bool is_folded;                    /* rows are aggregated in place, not gathered */
    stoa_workers *workers;             /* NULL: the caller's thread alone */
    stoa_listener listener;            /* called on the caller's thread */
} stoa_scan_request;

/* Zero-initialise; free with stoa_scan_clear(). Must not move. */
typedef struct stoa_scan {
    stoa_scan_request is;
    stoa_use *tested; /* columns the predicate reads */
    stoa_use *wanted;
    stoa_source *sources; /* per scope column */
    uint64_t unit_rows;
    uint64_t morsel_rows;
    uint64_t chunk_rows; /* used for the counts */
    uint64_t row_bytes;  /* size of a row's wanted values, estimated */
    uint64_t limit;      /* rows still wanted */
    stoa_cursor at;
    uint64_t total_rows;
    bool is_little;               /* usually done by one thread */
    bool is_unwritten;            /* its columns store less than a byte per 2^20 rows */
    stoa_scan_counts counts;      /* of the finished morsels, added in their order */
    _Atomic uint64_t rows_so_far; /* for the progress callback */
    _Atomic uint64_t bytes_so_far;
    _Atomic bool is_cancelled; /* the listener said so: all threads end soon */
    _Atomic bool has_failed;   /* a part could not begin, so no other may wait for it */
    stoa_prefetch prefetch;
    struct stoa_scan_worker *scan_workers; /* scan workers, one per thread; opened at first use */
    unsigned n_testers;
} stoa_scan;

stoa_status stoa_scan_open(stoa_scan *scan, const stoa_scan_request *request, stoa_error *err);
/* Start again with other rows. The counts continue; the limit is removed. */
void stoa_scan_restart(stoa_scan *scan, stoa_candidates candidates);
/* From now on, read only these columns for the rows that pass, a subset of those requested. */
void stoa_scan_want(stoa_scan *scan, const stoa_use *wanted);
/* From now on, read the column of every candidate, since its values are tested against a threshold
 * (stoa_evaluation). STOA_USE_NONE: no longer. Not for a column of the predicate. */
stoa_status stoa_scan_test(stoa_scan *scan, size_t column, stoa_use use, stoa_error *err);
/* Cut the next morsel. Returns false at the end. */
bool stoa_scan_cut(stoa_scan *scan, stoa_morsel *morsel);

/* Process part `number` on any thread. */
typedef stoa_status (*stoa_scan_part)(void *context, struct stoa_scan_worker *scan_worker,
                                      uint64_t number, stoa_error *err);
/* STOA_ERANGE if so many rows would be read, although hardly any was ever written. */
stoa_status stoa_scan_may_read(const stoa_scan *scan, uint64_t n_rows, stoa_error *err);
/* Tell the listener how many rows were looked at, unless it has ended the scan. Called on the
 * caller's thread, and not with the workers' lock. */
stoa_status stoa_scan_tell(stoa_scan *scan, stoa_error *err);
/* Process parts 0 .. n - 1, as stoa_workers_run() does. STOA_ERANGE if that would read more than
 * STOA_UNWRITTEN_ROWS fill values, because a file of a few bytes may claim 2^62 rows. */
stoa_status stoa_scan_run(stoa_scan *scan, uint64_t n, stoa_scan_part part, void *context,
                          stoa_error *err);
/* Add the counts of a finished morsel. All morsels before it must have been added. */
void stoa_scan_count(stoa_scan *scan, const stoa_scan_counts *counts);
void stoa_scan_clear(stoa_scan *scan);

#endif
