/* Worker threads: parked between jobs, given part numbers one at a time. */
#include "core/threads.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#if defined(__linux__)
#include <sched.h>
#endif

#include "core/memory.h"
#include "core/process_lock.h"

enum { MAX_THREADS = 256 };
/* Work in nanoseconds that the calling thread does before it wakes a worker: about the cost of
 * waking one. */
enum { PATIENCE = 50000 };
/* Nanoseconds between two looks of the calling thread while it waits. */
enum { PAUSE = 10000000 };

typedef struct helper {
    stoa_workers *workers;
    pthread_t thread;
    unsigned number; /* worker number; the calling thread is 0 */
} helper;

struct stoa_workers {
    unsigned n; /* including the calling thread */
    helper *helpers;
    unsigned n_started;
    pthread_mutex_t mutex; /* guards everything below */
    pthread_cond_t begun;
    pthread_cond_t ended;
    unsigned n_busy;
    bool is_closing;
    stoa_part part;
    void *context;
    stoa_look look; /* NULL: none */
    void *looker;
    uint64_t next;
    uint64_t n_parts; /* ready parts; a failure cuts it to `next` */
    uint64_t failed;  /* the lowest part that failed; UINT64_MAX if none has */
    stoa_status status;
    stoa_error error;
    pthread_mutex_t one;    /* stoa_workers_lock() */
    pthread_mutex_t shared; /* stands in for the process lock if the calling thread holds it */
    stoa_lock_use before;   /* lock state of the calling thread */
    stoa_lock_use helpers_use;
};

unsigned stoa_processors(void)
{
#if defined(__linux__)
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) {
        return (unsigned)CPU_COUNT(&set);
    }
#endif
    const long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (unsigned)n : 1;
}

stoa_status stoa_workers_open(unsigned n, stoa_workers **workers, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_workers *made = stoa_alloc_zero(1, sizeof *made);

    *workers = NULL;
    STOA_TRY(made != NULL ? STOA_OK : stoa_fail_memory(err));
    made->n = n != 0 ? n : stoa_processors();
    made->n = made->n < MAX_THREADS ? made->n : MAX_THREADS;
    made->helpers = stoa_alloc_zero(made->n, sizeof *made->helpers);
    STOA_TRY(made->helpers != NULL ? STOA_OK : stoa_fail_memory(err));
    (void)pthread_mutex_init(&made->mutex, NULL);
    (void)pthread_cond_init(&made->begun, NULL);
    (void)pthread_cond_init(&made->ended, NULL);
    (void)pthread_mutex_init(&made->one, NULL);
    (void)pthread_mutex_init(&made->shared, NULL);
    *workers = made;
    made = NULL;

done:
    free(made);
    return status;
}

unsigned stoa_workers_count(const stoa_workers *workers)
{
    return workers != NULL ? workers->n : 1;
}

void stoa_workers_lock(stoa_workers *workers)
{
    if (workers != NULL) {
        (void)pthread_mutex_lock(&workers->one);
    }
}

void stoa_workers_unlock(stoa_workers *workers)
{
    if (workers != NULL) {
        (void)pthread_mutex_unlock(&workers->one);
    }
}

void stoa_workers_set_look(stoa_workers *workers, stoa_look look, void *context)
{
    if (workers != NULL) {
        workers->look = look;
        workers->looker = context;
    }
}

void stoa_wait_shortly(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
    struct timespec until = {0};

    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += PAUSE;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    (void)pthread_cond_timedwait(condition, mutex, &until);
}

/* No further part starts. The mutex is held. */
static void fail(stoa_workers *w, uint64_t number, stoa_status status, const stoa_error *error)
{
    w->n_parts = w->next;
    if (number < w->failed) {
        w->failed = number;
        w->status = status;
        w->error = *error;
    }
}

/* Run the next ready part. The mutex is held on entry and return, and released in between. */
static void do_next(stoa_workers *w, unsigned worker)
{
    const uint64_t number = w->next++;
    stoa_error error = STOA_ERROR_INIT;

    (void)pthread_mutex_unlock(&w->mutex);
    const stoa_status status = w->part(w->context, worker, number, &error);
    (void)pthread_mutex_lock(&w->mutex);
    if (status != STOA_OK) {
        fail(w, number, status, &error);
    }
}

/* Run ready parts until none is left. */
static void work(stoa_workers *w, unsigned worker)
{
    while (w->next < w->n_parts) {
        do_next(w, worker);
    }
}

static void *help(void *context)
{
    const helper *self = context;
    stoa_workers *w = self->workers;

    (void)pthread_mutex_lock(&w->mutex);
    for (;;) {
        while (!w->is_closing && w->next == w->n_parts) {
            (void)pthread_cond_wait(&w->begun, &w->mutex);
        }
        if (w->is_closing) {
            break;
        }
        w->n_busy++;
        stoa_lock_adopt(&w->helpers_use);
        work(w, self->number);
        w->n_busy--;
        (void)pthread_cond_signal(&w->ended);
    }
    (void)pthread_mutex_unlock(&w->mutex);
    return NULL;
}

/* Start as many helpers as the job can use; fewer if the system cannot create more threads. They
 * block all signals, which the program's own threads handle. */
static void start_helpers(stoa_workers *w, uint64_t n_parts)
{
    const uint64_t wanted = n_parts < w->n ? n_parts : w->n; /* including the calling thread */
    sigset_t all;
    sigset_t before;

    if (w->n_started + 1 >= wanted) {
        return;
    }
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    while (w->n_started + 1 < wanted) {
        helper *self = &w->helpers[w->n_started];
        *self = (helper){.workers = w, .number = w->n_started + 1};
        if (pthread_create(&self->thread, NULL, help, self) != 0) {
            break;
        }
        w->n_started++;
    }
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* Run all parts on the calling thread. */
static stoa_status run_here(uint64_t n_parts, stoa_part part, void *context, stoa_error *err)
{
    for (uint64_t i = 0; i < n_parts; i++) {
        STOA_RETURN_NOT_OK(part(context, 0, i, err));
    }
    return STOA_OK;
}

/* Whether the job is worth using helpers. */
static bool has_helpers(const stoa_workers *w, uint64_t n_parts)
{
    return w != NULL && w->n > 1 && n_parts > 1;
}

/* The mutex is held from begin() to end(). Callers that do other work in between release it. */
static void begin(stoa_workers *w, uint64_t n_parts, stoa_part part, void *context)
{
    start_helpers(w, n_parts);
    (void)pthread_mutex_lock(&w->mutex);
    w->before = stoa_lock_share(&w->shared, &w->helpers_use);
    w->part = part;
    w->context = context;
    w->next = 0;
    w->n_parts = 0;
    w->failed = UINT64_MAX;
    w->status = STOA_OK;
}

static void offer(stoa_workers *w, uint64_t n_ready)
{
    if (w->failed == UINT64_MAX) {
        w->n_parts = n_ready;
        (void)pthread_cond_broadcast(&w->begun);
    }
}

/* Wait for the helpers' last parts. The mutex is held on entry and return. */
static void wait_for_helpers(stoa_workers *w)
{
    stoa_error error = STOA_ERROR_INIT;

    while (w->n_busy > 0 && w->look != NULL) {
        stoa_wait_shortly(&w->ended, &w->mutex);
        (void)pthread_mutex_unlock(&w->mutex);
        const stoa_status status = w->look(w->looker, &error);
        (void)pthread_mutex_lock(&w->mutex);
        if (status != STOA_OK) {
            w->look = NULL;
            fail(w, UINT64_MAX - 1, status, &error);
        }
    }
    while (w->n_busy > 0) {
        (void)pthread_cond_wait(&w->ended, &w->mutex);
    }
}

static stoa_status end(stoa_workers *w, stoa_error *err)
{
    work(w, 0);
    wait_for_helpers(w);
    const stoa_status status = w->status;
    stoa_lock_unshare(&w->before);
    (void)pthread_mutex_unlock(&w->mutex);
    if (status != STOA_OK && err != NULL && err->status == STOA_OK) {
        *err = w->error;
    }
    return status;
}

stoa_status stoa_workers_run(stoa_workers *workers, uint64_t n_parts, stoa_part part, void *context,
                             stoa_error *err)
{
    if (!has_helpers(workers, n_parts)) {
        return run_here(n_parts, part, context, err);
    }
    begin(workers, n_parts, part, context);
    offer(workers, n_parts); /* the calling thread runs parts in end() */
    return end(workers, err);
}

void stoa_job_begin(stoa_job *job, stoa_workers *workers, uint64_t n_parts, stoa_part part,
                    void *context)
{
    *job = (stoa_job){.workers = has_helpers(workers, n_parts) ? workers : NULL,
                      .part = part,
                      .context = context,
                      .error = STOA_ERROR_INIT};
    if (job->workers != NULL) {
        begin(workers, n_parts, part, context);
        (void)pthread_mutex_unlock(&workers->mutex);
    }
}

void stoa_job_offer(stoa_job *job, uint64_t n_ready)
{
    if (job->workers != NULL) {
        (void)pthread_mutex_lock(&job->workers->mutex);
        offer(job->workers, n_ready);
        (void)pthread_mutex_unlock(&job->workers->mutex);
        return;
    }
    for (; job->status == STOA_OK && job->n_done < n_ready; job->n_done++) {
        job->status = job->part(job->context, 0, job->n_done, &job->error);
    }
}

bool stoa_job_help(stoa_job *job)
{
    stoa_workers *w = job->workers;
    bool goes_on = false;

    if (w == NULL) {
        return false; /* parts run as soon as they are offered */
    }
    (void)pthread_mutex_lock(&w->mutex);
    goes_on = w->next < w->n_parts || w->n_busy > 0;
    if (w->next < w->n_parts) {
        do_next(w, 0);
    } else if (w->n_busy > 0) {
        (void)pthread_cond_wait(&w->ended, &w->mutex);
    }
    (void)pthread_mutex_unlock(&w->mutex);
    return goes_on;
}

stoa_status stoa_job_end(stoa_job *job, stoa_error *err)
{
    if (job->workers != NULL) {
        (void)pthread_mutex_lock(&job->workers->mutex);
        return end(job->workers, err);
    }
    if (job->status != STOA_OK && err != NULL && err->status == STOA_OK) {
        *err = job->error;
    }
    return job->status;
}

/* The remaining parts of a job that the calling thread began alone. */
typedef struct rest {
    stoa_part part;
    void *context;
    uint64_t n_done;
} rest;

static stoa_status do_rest(void *context, unsigned worker, uint64_t number, stoa_error *err)
{
    const rest *r = context;

    return r->part(r->context, worker, r->n_done + number, err);
}

static int64_t now(void)
{
    struct timespec time = {0};

    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* Whether the work done so far, or the estimated work left, is cheaper than waking a thread. */
static bool is_little(const rest *r, uint64_t n_parts, int64_t took)
{
    return took < PATIENCE ||
           (double)took * (double)(n_parts - r->n_done) < (double)PATIENCE * (double)r->n_done;
}

stoa_status stoa_workers_run_little(stoa_workers *workers, uint64_t n_parts, stoa_part part,
                                    void *context, stoa_error *err)
{
    rest r = {part, context, 0};
    const int64_t began = now();

    for (int64_t took = 0; r.n_done < n_parts && is_little(&r, n_parts, took);
         took = now() - began) {
        STOA_RETURN_NOT_OK(part(context, 0, r.n_done, err));
        r.n_done++;
    }
    return stoa_workers_run(workers, n_parts - r.n_done, do_rest, &r, err);
}

void stoa_workers_close(stoa_workers *workers)
{
    if (workers == NULL) {
        return;
    }
    (void)pthread_mutex_lock(&workers->mutex);
    workers->is_closing = true;
    (void)pthread_cond_broadcast(&workers->begun);
    (void)pthread_mutex_unlock(&workers->mutex);
    for (unsigned i = 0; i < workers->n_started; i++) {
        (void)pthread_join(workers->helpers[i].thread, NULL);
    }
    (void)pthread_mutex_destroy(&workers->shared);
    (void)pthread_mutex_destroy(&workers->one);
    (void)pthread_cond_destroy(&workers->ended);
    (void)pthread_cond_destroy(&workers->begun);
    (void)pthread_mutex_destroy(&workers->mutex);
    free(workers->helpers);
    free(workers);
}
