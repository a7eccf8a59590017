/* Scanning a column block by block, in bounded memory, without reading a chunk twice. */
#ifndef STOA_INDEX_BLOCK_SCAN_H
#define STOA_INDEX_BLOCK_SCAN_H

#include "column/read/block.h"
#include "index/common/kind.h"

/* Callback for rows [first, first + block->count). */
typedef stoa_status (*stoa_block_scan_visit)(void *context, uint64_t first, const stoa_block *block,
                                             stoa_error *err);

/* Visit rows [first, end) in order. `listener`, which may be NULL, is called before each block with
 * `stage` (static storage). */
stoa_status stoa_block_scan(stoa_column *column, uint64_t first, uint64_t end, const char *stage,
                            const stoa_listener *listener, stoa_block_scan_visit visit,
                            void *context, stoa_error *err);

/* A parallel scan of rows [first, end), in runs of whole chunks. */
typedef struct stoa_runs {
    stoa_block_readers readers;
    uint64_t chunk_rows;
    uint64_t run_chunks; /* chunks per run, except the first and the last run */
    uint64_t n_places;   /* maximum number of runs scanned at the same time */
    uint64_t first;
    uint64_t end;
} stoa_runs;

/* Callback for a block of one run. A run is visited by one thread, block by block. `place` is the
 * run's position among those scanned at the same time. */
typedef stoa_status (*stoa_run_visit)(void *context, uint64_t place, uint64_t first,
                                      const stoa_block *slice, stoa_error *err);
/* Callback of the calling thread after n runs, rows [first, end), were visited. */
typedef stoa_status (*stoa_runs_take)(void *context, uint64_t n, uint64_t first, uint64_t end,
                                      stoa_error *err);

/*
 * Open a scan of rows [first, end), which must not be empty. A run has about the size of a block,
 * or less so that each thread gets one. Close it also after a failure; a zeroed one is closed.
 *
 * @param chunk_bytes  memory that the visitor keeps per chunk until the callback `take`
 * @param run_bytes    memory that it keeps per run besides; both limit the number of simultaneous
 *         runs
 */
stoa_status stoa_runs_open(stoa_runs *runs, stoa_column *column, uint64_t chunk_rows,
                           uint64_t chunk_bytes, uint64_t run_bytes, uint64_t first, uint64_t end,
                           stoa_error *err);
void stoa_runs_close(stoa_runs *runs);
/* Position of a row's chunk among the chunks scanned at the same time; below n_places * run_chunks.
 * Consecutive chunks have consecutive positions. */
static inline uint64_t stoa_runs_chunk(const stoa_runs *runs, uint64_t place, uint64_t row)
{
    return place * runs->run_chunks + row / runs->chunk_rows % runs->run_chunks;
}
/* Scan all rows. The listener is as for stoa_block_scan(). */
stoa_status stoa_runs_visit(const stoa_runs *runs, const char *stage, const stoa_listener *listener,
                            stoa_run_visit visit, stoa_runs_take take, void *context,
                            stoa_error *err);

#endif
