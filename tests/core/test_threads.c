/* Worker threads, for src/core/threads.c. */
#include <pthread.h>
#if defined(__linux__)
#include <sched.h>
#endif
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "core/threads.h"
#include "support/check.h"

enum { N_PARTS = 1000, N_THREADS = 4 };

typedef struct job {
    atomic_int done[N_PARTS];
    atomic_int at_work[N_THREADS]; /* parts that a worker does at the moment */
    atomic_int next;               /* parts begin in ascending order */
    uint64_t fails[2];             /* parts that fail; UINT64_MAX: none */
    atomic_int holds;              /* parts inside stoa_workers_lock() */
    bool overlapped;
    stoa_workers *workers;
    pthread_t caller; /* worker 0 */
    atomic_int waits; /* parts that have begun, and wait until n_wait have */
    int n_wait;
} job;

static void sleep_for(long nanoseconds)
{
    (void)nanosleep(&(struct timespec){.tv_nsec = nanoseconds}, NULL);
}

static stoa_status do_part(void *context, unsigned worker, uint64_t part, stoa_error *err)
{
    job *j = context;

    CHECK(worker < N_THREADS);
    CHECK(pthread_equal(pthread_self(), j->caller) == (worker == 0));
    CHECK_I64(atomic_fetch_add(&j->at_work[worker], 1), 0);
    atomic_fetch_add(&j->done[part], 1);
    stoa_workers_lock(j->workers);
    j->overlapped = j->overlapped || atomic_fetch_add(&j->holds, 1) != 0;
    atomic_fetch_sub(&j->holds, 1);
    stoa_workers_unlock(j->workers);
    atomic_fetch_sub(&j->at_work[worker], 1);
    if (part == j->fails[0] || part == j->fails[1]) {
        return stoa_fail(err, STOA_EDATA, "part %d", (int)part);
    }
    return STOA_OK;
}

static job *new_job(stoa_workers *workers)
{
    static job j;

    memset(&j, 0, sizeof j);
    j.workers = workers;
    j.caller = pthread_self();
    j.fails[0] = j.fails[1] = UINT64_MAX;
    return &j;
}

static void every_part_is_done_once(void)
{
    for (unsigned n = 1; n <= N_THREADS; n++) {
        stoa_workers *workers = NULL;
        stoa_error err = STOA_ERROR_INIT;
        CHECK_OK(stoa_workers_open(n, &workers, &err), &err);
        CHECK_U64(stoa_workers_count(workers), n);
        for (uint64_t n_parts = 0; n_parts <= N_PARTS; n_parts = n_parts * 3 + 1) {
            job *j = new_job(workers);
            CHECK_OK(stoa_workers_run(workers, n_parts, do_part, j, &err), &err);
            for (uint64_t i = 0; i < N_PARTS; i++) {
                CHECK_I64(j->done[i], i < n_parts);
            }
            CHECK(!j->overlapped);
        }
        stoa_workers_close(workers);
    }
}

/* Each begins, and ends when all have begun. */
static stoa_status wait_for_all(void *context, unsigned worker, uint64_t part, stoa_error *err)
{
    job *j = context;
    sigset_t mask;

    (void)part;
    atomic_fetch_add(&j->waits, 1);
    for (int i = 0; i < 60000 && atomic_load(&j->waits) < j->n_wait; i++) {
        sleep_for(1000000);
    }
    CHECK(pthread_sigmask(SIG_SETMASK, NULL, &mask) == 0);
    if (worker != 0 && sigismember(&mask, SIGTERM) != 1) {
        return stoa_fail(err, STOA_EDATA, "a helper hears signals");
    }
    return atomic_load(&j->waits) >= j->n_wait
               ? STOA_OK
               : stoa_fail(err, STOA_EDATA, "parts are done one after the other");
}

static void parts_are_done_side_by_side_by_threads_that_hear_no_signals(void)
{
    stoa_workers *workers = NULL;
    stoa_error err = STOA_ERROR_INIT;
    sigset_t before;
    sigset_t after;

    CHECK(pthread_sigmask(SIG_SETMASK, NULL, &before) == 0);
    for (int n = 2; n <= N_THREADS; n++) {
        CHECK_OK(stoa_workers_open((unsigned)n, &workers, &err), &err);
        for (int round = 0; round < 2; round++) { /* helpers are started, then they are there */
            job *j = new_job(workers);
            j->n_wait = n;
            CHECK_OK(stoa_workers_run(workers, (uint64_t)n, wait_for_all, j, &err), &err);
        }
        stoa_workers_close(workers);
    }
    CHECK(pthread_sigmask(SIG_SETMASK, NULL, &after) == 0); /* the caller hears what it heard */
    for (int number = 1; number < 32; number++) {
        CHECK_I64(sigismember(&after, number), sigismember(&before, number));
    }
}

static void there_are_as_many_as_the_process_has_processors(void)
{
#if defined(__linux__)
    stoa_workers *workers = NULL;
    cpu_set_t before;
    cpu_set_t one;
    int first = 0;

    if (sched_getaffinity(0, sizeof before, &before) != 0) {
        SKIP("there are more processors than a set has room for");
    }
    while (!CPU_ISSET(first, &before)) {
        first++;
    }
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    CHECK(sched_setaffinity(0, sizeof one, &one) == 0);
    const stoa_status status = stoa_workers_open(0, &workers, NULL);
    CHECK(sched_setaffinity(0, sizeof before, &before) == 0);
    CHECK_OK(status);
    CHECK_U64(stoa_workers_count(workers), 1);
    stoa_workers_close(workers);
    CHECK_OK(stoa_workers_open(0, &workers, NULL));
    CHECK_U64(stoa_workers_count(workers), (unsigned)CPU_COUNT(&before));
    stoa_workers_close(workers);
#else
    SKIP("this system does not tell which processors a process has");
#endif
}

static void the_lowest_failure_is_told_and_nothing_begins_after_one(void)
{
    stoa_workers *workers = NULL;
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_workers_open(N_THREADS, &workers, &err), &err);
    job *j = new_job(workers);
    j->fails[0] = 41;
    j->fails[1] = 40;
    CHECK_STATUS(STOA_EDATA, stoa_workers_run(workers, N_PARTS, do_part, j, &err), &err);
    CHECK_STR(err.message, "part 40");
    CHECK_I64(j->done[0], 1);
    CHECK_I64(j->done[N_PARTS - 1], 0);
    err = (stoa_error)STOA_ERROR_INIT; /* and they can be used again */
    j = new_job(workers);
    CHECK_OK(stoa_workers_run(workers, N_PARTS, do_part, j, &err), &err);
    CHECK_I64(j->done[N_PARTS - 1], 1);
    stoa_workers_close(workers);
}

static void without_workers_the_caller_does_it(void)
{
    stoa_error err = STOA_ERROR_INIT;
    job *j = new_job(NULL);

    CHECK_OK(stoa_workers_run(NULL, 3, do_part, j, &err), &err);
    CHECK_I64(j->done[2], 1);
    stoa_workers_close(NULL);
}

/* Parts are offered a few at a time; none is done before. */
static void parts_are_done_once_they_are_ready(void)
{
    for (unsigned n = 0; n <= N_THREADS; n++) {
        stoa_workers *workers = NULL;
        stoa_error err = STOA_ERROR_INIT;
        if (n > 0) {
            CHECK_OK(stoa_workers_open(n, &workers, &err), &err);
        }
        for (uint64_t n_parts = 0; n_parts <= N_PARTS; n_parts = n_parts * 3 + 1) {
            job *j = new_job(workers);
            stoa_job of_parts;
            stoa_job_begin(&of_parts, workers, n_parts, do_part, j);
            for (uint64_t i = 0; i < n_parts; i++) {
                CHECK_I64(atomic_load(&j->done[i]), 0);
                if (i % 3 != 0) {
                    stoa_job_offer(&of_parts, i + 1);
                }
            }
            stoa_job_offer(&of_parts, n_parts);
            CHECK_OK(stoa_job_end(&of_parts, &err), &err);
            for (uint64_t i = 0; i < N_PARTS; i++) {
                CHECK_I64(j->done[i], i < n_parts);
            }
            CHECK(!j->overlapped);
        }
        stoa_workers_close(workers);
    }
}

/* As long as there is something to wait for. */
static void who_waits_for_parts_helps_with_them(void)
{
    for (unsigned n = 0; n <= N_THREADS; n++) {
        for (int fails = 0; fails < 2; fails++) {
            stoa_workers *workers = NULL;
            stoa_error err = STOA_ERROR_INIT;
            stoa_job of_parts;
            if (n > 0) {
                CHECK_OK(stoa_workers_open(n, &workers, &err), &err);
            }
            job *j = new_job(workers);
            j->fails[0] = fails == 1 ? N_PARTS / 10 : UINT64_MAX;
            stoa_job_begin(&of_parts, workers, N_PARTS, do_part, j);
            CHECK(!stoa_job_help(&of_parts)); /* nothing is ready */
            for (uint64_t n_ready = 1; n_ready < N_PARTS; n_ready = n_ready * 3 + 1) {
                stoa_job_offer(&of_parts, n_ready);
                while (stoa_job_help(&of_parts)) {
                }
                for (uint64_t i = 0; fails == 0 && i < N_PARTS; i++) {
                    CHECK_I64(atomic_load(&j->done[i]), i < n_ready);
                }
            }
            CHECK_STATUS(fails == 1 ? STOA_EDATA : STOA_OK, stoa_job_end(&of_parts, &err), &err);
            stoa_workers_close(workers);
        }
    }
}

static void nothing_that_is_offered_after_a_failure_is_done(void)
{
    for (unsigned n = 1; n <= N_THREADS; n++) {
        stoa_workers *workers = NULL;
        stoa_error err = STOA_ERROR_INIT;
        stoa_job of_parts;
        CHECK_OK(stoa_workers_open(n, &workers, &err), &err);
        job *j = new_job(workers);
        j->fails[0] = 7;
        stoa_job_begin(&of_parts, workers, N_PARTS, do_part, j);
        stoa_job_offer(&of_parts, 8);
        CHECK_STATUS(STOA_EDATA, stoa_job_end(&of_parts, NULL), &err);
        stoa_job_begin(&of_parts, workers, N_PARTS, do_part, j); /* and they can be used again */
        stoa_job_offer(&of_parts, N_PARTS);
        CHECK_STATUS(STOA_EDATA, stoa_job_end(&of_parts, &err), &err);
        CHECK_STR(err.message, "part 7");
        CHECK_I64(j->done[7], 2);
        CHECK_I64(j->done[N_PARTS - 1], 0);
        stoa_workers_close(workers);
    }
}

static stoa_status do_slowly(void *context, unsigned worker, uint64_t part, stoa_error *err)
{
    sleep_for(200000);
    return do_part(context, worker, part, err);
}

/* However long they take: none, or so long that helpers are woken. */
static void parts_of_a_little_job_are_done_once(void)
{
    stoa_workers *workers = NULL;
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_workers_open(N_THREADS, &workers, &err), &err);
    for (uint64_t n_parts = 0; n_parts <= N_PARTS; n_parts = n_parts * 3 + 1) {
        job *j = new_job(workers);
        CHECK_OK(stoa_workers_run_little(workers, n_parts, do_part, j, &err), &err);
        for (uint64_t i = 0; i < N_PARTS; i++) {
            CHECK_I64(j->done[i], i < n_parts);
        }
    }
    job *j = new_job(workers);
    CHECK_OK(stoa_workers_run_little(workers, 50, do_slowly, j, &err), &err);
    for (uint64_t i = 0; i < N_PARTS; i++) {
        CHECK_I64(j->done[i], i < 50);
    }
    j = new_job(workers);
    j->fails[0] = 999;
    CHECK_STATUS(STOA_EDATA, stoa_workers_run_little(workers, N_PARTS, do_part, j, &err), &err);
    CHECK_STR(err.message, "part 999");
    err = (stoa_error)STOA_ERROR_INIT;
    j = new_job(NULL);
    j->fails[0] = 2;
    CHECK_STATUS(STOA_EDATA, stoa_workers_run_little(NULL, N_PARTS, do_part, j, &err), &err);
    CHECK_STR(err.message, "part 2");
    CHECK_I64(j->done[3], 0);
    stoa_workers_close(workers);
}

/* The first part alone says how long the others will take. */
static stoa_status wait_for_the_others(void *context, unsigned worker, uint64_t part,
                                       stoa_error *err)
{
    if (part == 0) {
        sleep_for(1000000);
        return STOA_OK;
    }
    return wait_for_all(context, worker, part, err);
}

static void parts_of_a_job_that_takes_long_are_done_side_by_side(void)
{
    stoa_workers *workers = NULL;
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_workers_open(N_THREADS, &workers, &err), &err);
    job *j = new_job(workers);
    j->n_wait = N_THREADS;
    CHECK_OK(stoa_workers_run_little(workers, 1 + N_THREADS, wait_for_the_others, j, &err), &err);
    stoa_workers_close(workers);
}

/* Looks of the calling thread; the helpers' parts go on until there were enough. */
typedef struct looks {
    atomic_int n;
    int n_wanted;
    bool fails; /* at the last of them */
    atomic_int n_begun;
} looks;

static stoa_status last_until_looked(void *context, unsigned worker, uint64_t part, stoa_error *err)
{
    looks *l = context;

    (void)part;
    (void)err;
    atomic_fetch_add(&l->n_begun, 1);
    while (worker == 0 ? atomic_load(&l->n_begun) < 2 : atomic_load(&l->n) < l->n_wanted) {
        sleep_for(1000000);
    }
    return STOA_OK;
}

static stoa_status look(void *context, stoa_error *err)
{
    looks *l = context;

    return atomic_fetch_add(&l->n, 1) + 1 == l->n_wanted && l->fails
               ? stoa_fail(err, STOA_ECANCELLED, "enough")
               : STOA_OK;
}

static void the_caller_looks_while_it_waits_and_may_end_the_job(void)
{
    for (int fails = 0; fails < 2; fails++) {
        stoa_workers *workers = NULL;
        stoa_error err = STOA_ERROR_INIT;
        looks l = {.n_wanted = 3, .fails = fails != 0};

        CHECK_OK(stoa_workers_open(2, &workers, &err), &err);
        stoa_workers_set_look(workers, look, &l);
        CHECK_STATUS(fails != 0 ? STOA_ECANCELLED : STOA_OK,
                     stoa_workers_run(workers, 2, last_until_looked, &l, &err));
        CHECK(atomic_load(&l.n) >= l.n_wanted);
        CHECK(fails == 0 || atomic_load(&l.n) == l.n_wanted); /* and not again */
        CHECK_STR(err.message, fails != 0 ? "enough" : "");
        stoa_workers_close(workers);
    }
}

TEST_MAIN(TEST(parts_are_done_side_by_side_by_threads_that_hear_no_signals),
          TEST(there_are_as_many_as_the_process_has_processors), TEST(every_part_is_done_once),
          TEST(parts_of_a_little_job_are_done_once),
          TEST(parts_of_a_job_that_takes_long_are_done_side_by_side),
          TEST(parts_are_done_once_they_are_ready), TEST(who_waits_for_parts_helps_with_them),
          TEST(nothing_that_is_offered_after_a_failure_is_done),
          TEST(the_lowest_failure_is_told_and_nothing_begins_after_one),
          TEST(the_caller_looks_while_it_waits_and_may_end_the_job),
          TEST(without_workers_the_caller_does_it))
