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
    stoa_buffer blocks;      /* run_block per block, in the order of the file */
    stoa_buffer spans;       /* run_span per run: its blocks */
    struct ArrowArray frame; /* an empty array with the dictionaries shared by all */
    uint64_t n_rows;
} stoa_runs;

/* A run that is being read. */
typedef struct stoa_run_reader {
    size_t next; /* the rest of it: blocks [next, end) */
    size_t end;
    uint32_t source; /* the current block */
    int64_t row;     /* the next row of the block */
    int64_t n_rows;  /* those of the block that count */
    bool is_over;
} stoa_run_reader;

/* Merges those rows of runs whose cell of the first key is in [low, high); NULL: no such bound. */
typedef struct stoa_merger {
    const stoa_runs *runs;
    const stoa_sort_cell *low;
    const stoa_sort_cell *high;
    stoa_run_reader *readers;
    size_t n;
    stoa_loser_tree tree;
    stoa_buffer sources; /* stoa_sort_source: current blocks, and blocks of picked rows */
    stoa_buffer cells;   /* stoa_sort_cell * per source */
    stoa_buffer picks;   /* stoa_row_source: the next rows */
    stoa_buffer packed;
} stoa_merger;

/*
 * A merge of all runs. Threads merge a range of the first key each, if several ranges fit into the
 * memory. Otherwise one merger hands out the rows as they come.
 *
 * Zero-initialise; free with stoa_merge_clear(). Must not move.
 */
typedef struct stoa_merge {
    const stoa_runs *runs;
    stoa_merger all;    /* if there are no ranges */
    stoa_buffer bounds; /* stoa_sort_cell: ranges are between them, before and after */
    size_t n_ranges;    /* 0: all rows are one */
    size_t next_range;
    size_t n_together; /* ranges that are merged at a time */
    stoa_buffer *made; /* of each of them: struct ArrowArray; [made_at, n_made) are left */
    size_t n_made;
    size_t made_at;
    size_t next_array; /* of made[made_at] */
    uint64_t n_done;   /* rows, for the progress callback */
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
 * at the end. All calls have the same numbers. */
stoa_status stoa_merge_next(stoa_merge *merge, size_t n_columns, int64_t n_rows,
                            struct ArrowArray *out, stoa_error *err);
void stoa_merge_clear(stoa_merge *merge);

#endif
