/*
 * What a scan will read soon, told to the system before it is read (posix_fadvise), so that a file
 * that is not in memory comes in large requests, while what came before is unpacked.
 *
 * Invariants
 *  1. Nothing is announced but chunks that hold candidates: what an index excludes stays where it
 *     is. Nor are, of a column that is only tested, those whose candidates are certain, nor chunks
 *     of which so few rows are wanted that they may be picked out of it.
 *  2. At most two strides of a column are ahead of the thread that is furthest.
 *  3. It is advice: nothing that goes wrong with it matters, and no thread waits for another one.
 *  4. Where the system says that it has the bytes, nothing is announced: a file in memory costs two
 *     or three system calls a stride. None of this looks at mapped memory or is asked of the disk,
 *     so that it holds for file systems over a network as well.
 */
#ifndef STOA_QUERY_AHEAD_H
#define STOA_QUERY_AHEAD_H

#include <stdatomic.h>

#include "query/fetch.h"
#include "query/span.h"

/* Bytes of a stride, as they are stored. */
#define STOA_AHEAD_BYTES 4194304

/* One column's. */
typedef struct stoa_ahead_column {
    atomic_flag is_busy;      /* a thread is at it, who has `range` */
    _Atomic uint64_t told_to; /* rows before have been announced, or need not be */
    size_t certain;           /* the same of certain ranges */
    size_t range;             /* candidates' ranges before it end at or before `told_to` */
} stoa_ahead_column;

/* Zero-initialise; free with stoa_ahead_clear(). Not to be moved while threads are at work. */
typedef struct stoa_ahead {
    stoa_candidates candidates;
    stoa_ahead_column *columns;
    size_t n_columns;
} stoa_ahead;

stoa_status stoa_ahead_open(stoa_ahead *ahead, size_t n_columns, stoa_error *err);
/* Begin again with other candidates; no thread is at work. */
void stoa_ahead_restart(stoa_ahead *ahead, stoa_candidates candidates);
/* A thread is about to read the column's candidates from `row` on, and will go on doing so. Any
 * thread may say so.
 *
 * @param fetch            is open
 * @param skips_certain    those that are certain will not be read
 */
void stoa_ahead_tell(stoa_ahead *ahead, size_t column, const stoa_fetch *fetch, uint64_t row,
                     bool skips_certain);
void stoa_ahead_clear(stoa_ahead *ahead);

#endif
