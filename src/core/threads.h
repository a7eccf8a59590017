/*
 * A pool of worker threads that run the parts of one job.
 *
 * Workers run only during stoa_workers_run(), or between stoa_job_begin() and stoa_job_end().
 * Between calls no thread of Stoa runs. If the caller holds the process lock (process_lock.h), its
 * workers share it.
 */
#ifndef STOA_CORE_THREADS_H
#define STOA_CORE_THREADS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/error.h"

typedef struct stoa_workers stoa_workers;

/* Run part number `part`. `worker` is below stoa_workers_count(). Parts that run at the same time
 * have different worker numbers, so each worker can have its own buffers. */
typedef stoa_status (*stoa_part)(void *context, unsigned worker, uint64_t part, stoa_error *err);

/* The number of processors that this process may use. */
unsigned stoa_processors(void);
/* Create a pool of `n` workers, including the calling thread. 0 means one per processor that this
 * process may use. The first job with enough parts starts the other threads. */
stoa_status stoa_workers_open(unsigned n, stoa_workers **workers, stoa_error *err);
unsigned stoa_workers_count(const stoa_workers *workers);
/* What the calling thread does now and then while it waits for the last parts of other threads. A
 * failure ends the job like that of a part. */
typedef stoa_status (*stoa_look)(void *context, stoa_error *err);
/* Set this for the jobs to come; NULL: nothing. `workers` may be NULL. */
void stoa_workers_set_look(stoa_workers *workers, stoa_look look, void *context);
/* Wait for the condition, but at most 10 ms. The mutex must be held. */
void stoa_wait_shortly(pthread_cond_t *condition, pthread_mutex_t *mutex);
/*
 * Run parts 0 .. n_parts - 1, each once, started in ascending order. Returns when all have
 * finished.
 *
 * After a failure no further part starts. Of several failures, that of the lowest part is reported.
 * So the result does not depend on the number of threads, as long as all parts before it succeed.
 * Must not be called from within a part. If `workers` is NULL, the calling thread runs all parts.
 */
stoa_status stoa_workers_run(stoa_workers *workers, uint64_t n_parts, stoa_part part, void *context,
                             stoa_error *err);
/* The same for parts that probably take less time than waking a thread. The calling thread starts
 * alone. It wakes workers only once both the work done and the work left exceed that time. */
stoa_status stoa_workers_run_little(stoa_workers *workers, uint64_t n_parts, stoa_part part,
                                    void *context, stoa_error *err);
/*
 * A job whose parts become ready one after another while the calling thread prepares them. It
 * begins and ends in one function. In between, the pool runs no other job.
 */
typedef struct stoa_job {
    stoa_workers *workers; /* NULL: the calling thread runs each part once it is ready */
    stoa_part part;
    void *context;
    uint64_t n_done; /* parts run by the calling thread when there are no workers */
    stoa_status status;
    stoa_error error;
} stoa_job;

/* Begin a job of `n_parts` parts in total, none of them ready yet. */
void stoa_job_begin(stoa_job *job, stoa_workers *workers, uint64_t n_parts, stoa_part part,
                    void *context);
/* Declare parts 0 .. n_ready - 1 ready. After a failure no further part starts. */
void stoa_job_offer(stoa_job *job, uint64_t n_ready);
/* For a calling thread that needs results before it can go on. Runs one ready part. If none is
 * ready but others are running, waits until a worker becomes idle. Returns false if no part is
 * ready or running. */
bool stoa_job_help(stoa_job *job);
/* Wait for all ready parts. Failures are as for stoa_workers_run(). */
stoa_status stoa_job_end(stoa_job *job, stoa_error *err);
/* A mutex for what only one part at a time may do, such as reading through shared handles.
 * `workers` may be NULL. Take it before the process lock, never while holding it. */
void stoa_workers_lock(stoa_workers *workers);
void stoa_workers_unlock(stoa_workers *workers);
void stoa_workers_close(stoa_workers *workers);

#endif
