/* The lock of a process: taken again from within, and shared with the helpers of a job. */
#include "core/process_lock.h"

#include <stdbool.h>

#include "core/threads.h"
#include "support/check.h"

static int n_inside;
static int most;

static void enter(void)
{
    stoa_process_lock();
    stoa_process_lock();
    n_inside++;
    most = n_inside > most ? n_inside : most;
    for (volatile int i = 0; i < 1000; i = i + 1) {
    }
    n_inside--;
    stoa_process_unlock();
    stoa_process_unlock();
}

static stoa_status enter_often(void *context, unsigned worker, uint64_t part, stoa_error *err)
{
    (void)context;
    (void)worker;
    (void)part;
    (void)err;
    for (int i = 0; i < 50; i++) {
        enter();
    }
    return STOA_OK;
}

static void *run(void *context)
{
    stoa_workers *workers = NULL;
    const bool has_it = context != NULL;

    CHECK_OK(stoa_workers_open(3, &workers, NULL), NULL);
    if (has_it) {
        stoa_process_lock();
    }
    CHECK_OK(stoa_workers_run(workers, 8, enter_often, NULL, NULL), NULL);
    if (has_it) {
        enter();
        stoa_process_unlock();
    }
    stoa_workers_close(workers);
    return NULL;
}

/* Two jobs: the helpers of one go in by themselves, those of the other under its caller's lock. */
static void one_thread_at_a_time_is_inside(void)
{
    pthread_t threads[4];

    for (size_t i = 0; i < 4; i++) {
        CHECK(pthread_create(&threads[i], NULL, run, i % 2 == 0 ? NULL : &most) == 0);
    }
    for (size_t i = 0; i < 4; i++) {
        CHECK(pthread_join(threads[i], NULL) == 0);
    }
    CHECK_I64(most, 1);
}

TEST_MAIN(TEST(one_thread_at_a_time_is_inside))
