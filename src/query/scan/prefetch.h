/*
 * Prefetch: tells the system what a scan will read soon (posix_fadvise).
 *
 * A file that is not in memory is then read in large requests, while earlier data is decompressed.
 *
 * Invariants
 * 1. Only chunks with candidates are announced: rows that an index excludes are not read. For a
 *    column that is only tested, chunks whose candidates are all certain are left out. Chunks with
 *    so few wanted rows that single elements are read are left out too.
 * 2. At most two strides of a column are ahead of the thread that is furthest.
 * 3. Announcing is advice: failures do not matter, and no thread waits for another.
 * 4. Nothing is announced where the system already has the bytes in memory. A cached file costs two
 *    or three system calls per stride. This test does not look at mapped memory and does not read
 *    the disk, so it also works on network file systems.
 */
#ifndef STOA_QUERY_PREFETCH_H
#define STOA_QUERY_PREFETCH_H

#include <stdatomic.h>

#include "query/scan/fetch.h"
#include "query/scan/morsel.h"

/* Length of a stride in stored bytes. */
#define STOA_PREFETCH_BYTES 4194304

/* State of one column. */
typedef struct stoa_prefetch_column {
    atomic_flag is_busy;      /* a thread is announcing, and owns `range` and `certain` */
    _Atomic uint64_t told_to; /* rows before it are announced, or need not be */
    size_t certain;           /* like `range`, for certain ranges */
    size_t range;             /* candidate ranges before it end at or before `told_to` */
} stoa_prefetch_column;

/* Zero-initialise; free with stoa_prefetch_clear(). Must not move while threads work. */
typedef struct stoa_prefetch {
    stoa_candidates candidates;
    stoa_prefetch_column *columns;
    size_t n_columns;
} stoa_prefetch;

stoa_status stoa_prefetch_open(stoa_prefetch *prefetch, size_t n_columns, stoa_error *err);
/* Start again with other candidates. No thread may be working. */
void stoa_prefetch_restart(stoa_prefetch *prefetch, stoa_candidates candidates);
/*
 * Announce that a thread reads the column's candidates from `row` on. Any thread may call this.
 *
 * @param fetch          an open fetch
 * @param skips_certain  certain candidates will not be read
 */
void stoa_prefetch_announce(stoa_prefetch *prefetch, size_t column, const stoa_fetch *fetch,
                            uint64_t row, bool skips_certain);
void stoa_prefetch_clear(stoa_prefetch *prefetch);

#endif
