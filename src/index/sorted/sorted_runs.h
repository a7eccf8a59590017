/* Sorted runs in a temporary file, and merging them. */
#ifndef STOA_INDEX_SORTED_RUNS_H
#define STOA_INDEX_SORTED_RUNS_H

#include <stoa/progress.h>

#include "core/spill.h"
#include "index/sorted/sorted_batch.h"

typedef struct stoa_sort_run {
    uint64_t first; /* bytes [first, end) of the file */
    uint64_t end;
} stoa_sort_run;

/* The rows of each run come before those of the next. Of equal values, that of the earlier run
 * comes first. */
typedef struct stoa_sort_runs {
    bool is_bytes;
    uint64_t memory; /* memory limit of a merge, in bytes */
    stoa_spill spill;
    stoa_buffer runs; /* array of stoa_sort_run */
} stoa_sort_runs;

/* Callback for records in order. */
typedef stoa_status (*stoa_sort_visit)(void *context, const stoa_sort_record *record,
                                       stoa_error *err);

void stoa_sort_runs_make(stoa_sort_runs *runs, bool is_bytes, uint64_t memory);
void stoa_sort_runs_clear(stoa_sort_runs *runs);
size_t stoa_sort_runs_count(const stoa_sort_runs *runs);

/* Write a sorted batch as a new run. */
stoa_status stoa_sort_runs_add(stoa_sort_runs *runs, const stoa_sort_batch *batch, stoa_error *err);
/* Visit the records of all runs in order. If there are too many runs to merge at once, groups of
 * them are merged into longer runs first. */
stoa_status stoa_sort_runs_merge(stoa_sort_runs *runs, const stoa_listener *listener,
                                 uint64_t n_records, stoa_sort_visit visit, void *context,
                                 stoa_error *err);

#endif
