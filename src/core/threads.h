/*
 * A few threads that do the parts of one job.
 *
 * Threads work only while the caller is in stoa_workers_run(), or between stoa_job_begin() and
 * stoa_job_end(): between calls nothing of Stoa runs. The process's lock (process_lock.h) is
 * theirs, too, where the caller has it.
 */
#ifndef STOA_CORE_THREADS_H
#define STOA_CORE_THREADS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/error.h"

typedef struct stoa_workers stoa_workers;

/* Do part number `part`; `worker` is below stoa_workers_count() and no two parts at a time have the
 * same, so that each worker may have buffers of its own. */
typedef stoa_status (*stoa_part)(void *context, unsigned worker, uint64_t part, stoa_error *err);

/* `n` threads, the caller's among them; 0: one a processor that this process may use. Those besides
 * the caller's are started by the first job that has parts for them. */
stoa_status stoa_workers_open(unsigned n, stoa_workers **workers, stoa_error *err);
unsigned stoa_workers_count(const stoa_workers *workers);
/*
 * Do parts 0 .. n_parts - 1, each once, begun in ascending order; returns when all are done.
 *
 * After a failure no part is begun any more; of several failures the one of the lowest part is
 * reported, so that it does not depend on the number of threads as long as every part before it
 * does its work. Not to be called from within a part. A NULL `workers` does all on this thread.
 */
stoa_status stoa_workers_run(stoa_workers *workers, uint64_t n_parts, stoa_part part, void *context,
                             stoa_error *err);
/* The same for parts that are expected to take less time than it takes to wake a thread: this one
 * begins alone, and has helpers only if that takes longer, and so would the rest. */
stoa_status stoa_workers_run_little(stoa_workers *workers, uint64_t n_parts, stoa_part part,
                                    void *context, stoa_error *err);
/*
 * A job whose parts become ready one after the other, while the caller's thread, which makes them
 * ready, is at work itself. Begun and ended in one function; in between the workers do nothing
 * else.
 */
typedef struct stoa_job {
    stoa_workers *workers; /* NULL: the caller's thread does each part once it is ready */
    stoa_part part;
    void *context;
    uint64_t n_done; /* by the caller's thread alone */
    stoa_status status;
    stoa_error error;
} stoa_job;

/* Of `n_parts` parts in the end, none of which is ready. */
void stoa_job_begin(stoa_job *job, stoa_workers *workers, uint64_t n_parts, stoa_part part,
                    void *context);
/* Parts 0 .. n_ready - 1 may be begun; those after a failure never are. */
void stoa_job_offer(stoa_job *job, uint64_t n_ready);
/* For a caller's thread that needs what parts do before it goes on: do one part that is ready, or,
 * as long as others are at work, wait until one of them has nothing to do any more. False: none is
 * ready and nobody is at work. */
bool stoa_job_help(stoa_job *job);
/* When all parts that are ready are done; failures are those of stoa_workers_run(). */
stoa_status stoa_job_end(stoa_job *job, stoa_error *err);
/* For what only one part at a time may do: read through what the parts share. A NULL `workers` is
 * fine. Taken before the process's lock, never within it. */
void stoa_workers_lock(stoa_workers *workers);
void stoa_workers_unlock(stoa_workers *workers);
void stoa_workers_close(stoa_workers *workers);

#endif
