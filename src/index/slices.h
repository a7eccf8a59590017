/* A column's rows in order, slice by slice, in bounded memory and without reading a chunk twice. */
#ifndef STOA_INDEX_SLICES_H
#define STOA_INDEX_SLICES_H

#include "column/block.h"
#include "index/kind.h"

/* What is done with rows [first, first + block->count). */
typedef stoa_status (*stoa_slice_visit)(void *context, uint64_t first, const stoa_block *block,
                                        stoa_error *err);

/* Visit rows [first, end). `listener` (NULL: nobody) is told before each slice, under `stage`
 * (static storage). */
stoa_status stoa_slices(stoa_column *column, uint64_t first, uint64_t end, const char *stage,
                        const stoa_listener *listener, stoa_slice_visit visit, void *context,
                        stoa_error *err);

/* Rows [first, end) in runs of whole chunks, which several threads look at. */
typedef struct stoa_runs {
    stoa_block_readers readers;
    uint64_t chunk_rows;
    uint64_t run_chunks; /* in a run, but for the first and the last one */
    uint64_t n_places;   /* runs that are looked at at the same time, at most */
    uint64_t first;
    uint64_t end;
} stoa_runs;

/* What is done with a slice of the run `place`, by one thread, slice after slice; `place` counts
 * from the first run that is looked at at the same time. */
typedef stoa_status (*stoa_run_visit)(void *context, uint64_t place, uint64_t first,
                                      const stoa_block *slice, stoa_error *err);
/* What is done once the runs of rows [first, end), n of them, were visited, by the caller's thread.
 */
typedef stoa_status (*stoa_runs_take)(void *context, uint64_t n, uint64_t first, uint64_t end,
                                      stoa_error *err);

/*
 * Rows [first, end), of which there are some. A run holds about what a slice does, and less where
 * there would not be one for each thread. Close it also after a failure; a zeroed one is closed.
 *
 * @param chunk_bytes  what the visitor makes of a chunk and keeps until it is taken
 * @param run_bytes    what it keeps of a run besides: both bound how many runs are looked at at the
 * same time
 */
stoa_status stoa_runs_open(stoa_runs *runs, stoa_column *column, uint64_t chunk_rows,
                           uint64_t chunk_bytes, uint64_t run_bytes, uint64_t first, uint64_t end,
                           stoa_error *err);
void stoa_runs_close(stoa_runs *runs);
/* Which of the chunks that are looked at at the same time has the row; below n_places * run_chunks.
 * Those of consecutive chunks are consecutive. */
static inline uint64_t stoa_runs_chunk(const stoa_runs *runs, uint64_t place, uint64_t row)
{
    return place * runs->run_chunks + row / runs->chunk_rows % runs->run_chunks;
}
/* Look at all rows; the listener as for stoa_slices(). */
stoa_status stoa_runs_visit(const stoa_runs *runs, const char *stage, const stoa_listener *listener,
                            stoa_run_visit visit, stoa_runs_take take, void *context,
                            stoa_error *err);

#endif
