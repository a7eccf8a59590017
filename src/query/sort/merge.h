/*
 * Sorted rows that do not fit into memory: sorted runs in a temporary file, and their merge.
 *
 * A run is written in blocks. Each is an Arrow array of rows, with outputs and sort keys. A merge
 * holds one block of each run. If there are too many runs for that, neighbouring runs are first
 * merged into longer ones.
 */
#ifndef STOA_QUERY_MERGE_H
#define STOA_QUERY_MERGE_H

#include <stoa/progress.h>

#include "core/loser_tree.h"
#include "core/spill.h"
#include "query/sort/sort_rows.h"

/* Runs in a file. Each run's rows precede those of the next run; of equal rows, the earlier
 * run's comes first. Zero-initialise; free with stoa_runs_clear(). */
typedef struct stoa_runs {
    const struct ArrowSchema *schema; /* of the rows; borrowed */
    stoa_sort_keys *keys;             /* borrowed */
    stoa_workers *workers;            /* borrowed */
    const stoa_listener *listener;    /* borrowed */
    uint64_t memory;                  /* limit for merging, in bytes */
    stoa_spill spill;
    stoa_buffer spans;       /* stoa_run_span per run */
    struct ArrowArray frame; /* an empty array with the dictionaries shared by all */
    uint64_t n_rows;
} stoa_runs;

/* A run that is being read. */
typedef struct stoa_run_reader {
    uint64_t at; /* the rest of it in the file: [at, end) */
    uint64_t end;
    uint32_t source; /* the current block */
    int64_t row;     /* the next row of the block */
    int64_t n_rows;
    bool is_over;
} stoa_run_reader;

/* A merge of runs. Zero-initialise; free with stoa_merge_clear(). Must not move. */
typedef struct stoa_merge {
    const stoa_runs *runs;
    stoa_run_reader *readers;
    size_t n;
    stoa_loser_tree tree;
    stoa_buffer sources; /* stoa_sort_source: current blocks, and blocks of picked rows */
    stoa_buffer cells;   /* stoa_sort_cell * per source */
    stoa_buffer picks;   /* stoa_row_source: the next rows */
    stoa_buffer packed;
    uint64_t n_done; /* rows, for the progress callback */
} stoa_merge;

void stoa_runs_make(stoa_runs *runs, const stoa_sort_rows *rows, uint64_t memory,
                    stoa_workers *workers, const stoa_listener *listener);
void stoa_runs_clear(stoa_runs *runs);
/* Write n rows as another run. */
stoa_status stoa_runs_add(stoa_runs *runs, const stoa_sort_rows *rows,
                          const stoa_sort_entry *entries, uint64_t n, stoa_error *err);

/* Start to merge all runs; there must be at least one. */
stoa_status stoa_merge_open(stoa_merge *merge, stoa_runs *runs, stoa_error *err);
/* The first `n_columns` columns of the next rows, at most n_rows of them. out->release is NULL
 * at the end. */
stoa_status stoa_merge_next(stoa_merge *merge, size_t n_columns, int64_t n_rows,
                            struct ArrowArray *out, stoa_error *err);
void stoa_merge_clear(stoa_merge *merge);

#endif
