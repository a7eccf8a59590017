/*
 * Sorted rows that do not fit into memory: runs of them in a temporary file, merged.
 *
 * A run is written in blocks, each an Arrow array of some rows, outputs and keys. Merging holds a
 * block of each run. Where there are more runs than that is possible for, groups of neighbours
 * become longer runs first.
 */
#ifndef STOA_QUERY_MERGE_H
#define STOA_QUERY_MERGE_H

#include <stoa/progress.h>

#include "core/losers.h"
#include "core/spill.h"
#include "query/sort_rows.h"

/* Runs in a file. Each run's rows come before those of the next, so that of equal ones the earlier
 * run's is first. Zero-initialise; free with stoa_runs_clear(). */
typedef struct stoa_runs {
    const struct ArrowSchema *schema; /* as of the rows; borrowed */
    stoa_sort_keys *keys;             /* borrowed */
    const stoa_listener *listener;    /* borrowed */
    uint64_t memory;                  /* bytes that merging may take up */
    stoa_spill spill;
    stoa_buffer spans;       /* stoa_run_span a run */
    struct ArrowArray frame; /* no rows, but the dictionaries of all */
    uint64_t n_rows;
} stoa_runs;

/* A run that is read. */
typedef struct stoa_run_reader {
    uint64_t at; /* what is left of it in the file */
    uint64_t end;
    uint32_t source; /* the block at hand */
    int64_t row;     /* of the block: the next one */
    int64_t n_rows;
    bool is_over;
} stoa_run_reader;

/* Runs that are merged. Zero-initialise; free with stoa_merge_clear(). Not to be moved. */
typedef struct stoa_merge {
    const stoa_runs *runs;
    stoa_run_reader *readers;
    size_t n;
    stoa_losers tree;
    stoa_buffer sources; /* stoa_sort_source: the blocks at hand, and those of picked rows */
    stoa_buffer cells;   /* stoa_sort_cell *, a source */
    stoa_buffer picks;   /* stoa_pick: rows that are next */
    stoa_buffer packed;
    uint64_t n_done; /* rows, for the listener */
} stoa_merge;

void stoa_runs_make(stoa_runs *runs, const stoa_sort_rows *rows, uint64_t memory,
                    const stoa_listener *listener);
void stoa_runs_clear(stoa_runs *runs);
/* Write n rows as one more run. */
stoa_status stoa_runs_add(stoa_runs *runs, const stoa_sort_rows *rows,
                          const stoa_sort_entry *entries, uint64_t n, stoa_error *err);

/* Merge all runs, of which there are some. */
stoa_status stoa_merge_open(stoa_merge *merge, stoa_runs *runs, stoa_error *err);
/* The first `n_columns` columns of the next rows, n_rows at most; out->release is NULL at the end.
 */
stoa_status stoa_merge_next(stoa_merge *merge, size_t n_columns, int64_t n_rows,
                            struct ArrowArray *out, stoa_error *err);
void stoa_merge_clear(stoa_merge *merge);

#endif
