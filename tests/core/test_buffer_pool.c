/* Memory that goes round, for src/core/buffer_pool.c. */
#include "core/buffer_pool.h"

#include <pthread.h>
#include <string.h>

#include "core/memory.h"
#include "support/sweep.h"

enum { KIB = 1024, BOUND = 1024 * KIB };

static stoa_buffer_pool *blocks_of(size_t most)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_buffer_pool *blocks = NULL;

    CHECK_OK(stoa_buffer_pool_open(most, &blocks, &err), &err);
    return blocks;
}

/* Of blocks that are kept, since no new one can be had; NULL: there is none. */
static void *take_kept(stoa_buffer_pool *blocks, size_t size)
{
    stoa_memory_fail_after(0);
    void *const block = stoa_buffer_pool_get(blocks, size);
    stoa_memory_fail_after(UINT64_MAX);
    return block;
}

static void another_bound_counts_for_what_is_kept_already(void)
{
    stoa_buffer_pool *const blocks = blocks_of(BOUND);
    void *const first = stoa_buffer_pool_get(blocks, 100 * KIB);
    void *const second = stoa_buffer_pool_get(blocks, 200 * KIB);

    stoa_buffer_pool_put(first);
    stoa_buffer_pool_put(second);
    stoa_blocks_limit(blocks, 250 * KIB);
    CHECK(take_kept(blocks, 100 * KIB) == second);
    stoa_blocks_limit(blocks, 200 * KIB); /* and a block has some more */
    stoa_buffer_pool_put(second);
    CHECK(take_kept(blocks, 200 * KIB) == NULL);
    stoa_buffer_pool_close(blocks);
}

static void what_was_given_back_is_taken_again(void)
{
    stoa_buffer_pool *const blocks = blocks_of(BOUND);
    void *const block = stoa_buffer_pool_get(blocks, 100 * KIB);

    CHECK(block != NULL && (uintptr_t)block % 64 == 0);
    memset(block, 1, 100 * KIB);
    stoa_buffer_pool_put(block);
    CHECK(stoa_buffer_pool_get(blocks, 99 * KIB) == block);
    CHECK(take_kept(blocks, 99 * KIB) == NULL); /* somebody has it */
    stoa_buffer_pool_put(block);
    CHECK(take_kept(blocks, 101 * KIB) == block); /* a little more is no other block */
    stoa_buffer_pool_put(block);
    stoa_buffer_pool_close(blocks);
}

static void the_one_given_back_last_is_taken_first(void)
{
    stoa_buffer_pool *const blocks = blocks_of(BOUND);
    void *const a = stoa_buffer_pool_get(blocks, 10 * KIB);
    void *const b = stoa_buffer_pool_get(blocks, 10 * KIB);

    stoa_buffer_pool_put(b);
    stoa_buffer_pool_put(a);
    CHECK(take_kept(blocks, 10 * KIB) == a);
    CHECK(take_kept(blocks, 10 * KIB) == b);
    stoa_buffer_pool_put(a);
    stoa_buffer_pool_put(b);
    stoa_buffer_pool_close(blocks);
}

static void a_block_does_for_what_is_not_far_smaller(void)
{
    stoa_buffer_pool *const blocks = blocks_of(BOUND);
    void *const block = stoa_buffer_pool_get(blocks, 100 * KIB);

    stoa_buffer_pool_put(block);
    CHECK(take_kept(blocks, 200 * KIB) == NULL);
    CHECK(take_kept(blocks, 10 * KIB) == NULL);
    CHECK(take_kept(blocks, 50 * KIB) == block);
    stoa_buffer_pool_put(block);
    stoa_buffer_pool_close(blocks);
}

static void no_more_is_kept_than_was_said(void)
{
    stoa_buffer_pool *const blocks = blocks_of(BOUND);
    void *const large = stoa_buffer_pool_get(blocks, 2 * BOUND);
    void *const a = stoa_buffer_pool_get(blocks, BOUND / 10 * 6);
    void *const b = stoa_buffer_pool_get(blocks, BOUND / 10 * 6);

    stoa_buffer_pool_put(large);
    CHECK(take_kept(blocks, 2 * BOUND) == NULL);
    stoa_buffer_pool_put(a);
    stoa_buffer_pool_put(b); /* not both of them */
    CHECK(take_kept(blocks, BOUND / 10 * 6) == b);
    CHECK(take_kept(blocks, BOUND / 10 * 6) == NULL);
    stoa_buffer_pool_put(b);
    stoa_buffer_pool_close(blocks);
}

static void many_small_ones_are_not_all_kept(void)
{
    enum { MANY = 100 };
    stoa_buffer_pool *const blocks = blocks_of(BOUND);
    void *taken[MANY];
    size_t n_kept = 0;

    for (size_t i = 0; i < MANY; i++) {
        taken[i] = stoa_buffer_pool_get(blocks, 64);
        CHECK(taken[i] != NULL);
    }
    for (size_t i = 0; i < MANY; i++) {
        stoa_buffer_pool_put(taken[i]);
    }
    for (void *block = NULL; (block = take_kept(blocks, 64)) != NULL; n_kept++) {
        taken[n_kept] = block;
    }
    CHECK(n_kept > 0 && n_kept < MANY);
    for (size_t i = 0; i < n_kept; i++) {
        stoa_buffer_pool_put(taken[i]);
    }
    stoa_buffer_pool_close(blocks);
}

static void what_is_taken_stays_when_the_rest_is_closed(void)
{
    stoa_buffer_pool *const blocks = blocks_of(BOUND);
    uint8_t *const a = stoa_buffer_pool_get(blocks, 100);
    uint8_t *const b = stoa_buffer_pool_get(blocks, 100);

    stoa_buffer_pool_close(blocks);
    memset(a, 1, 100);
    memset(b, 2, 100);
    stoa_buffer_pool_put(a);
    CHECK(b[0] == 2 && b[99] == 2);
    stoa_buffer_pool_put(b);
    stoa_buffer_pool_put(NULL);
    stoa_buffer_pool_close(NULL);
}

static void too_much_is_refused(void)
{
    stoa_buffer_pool *const blocks = blocks_of(BOUND);

    CHECK(stoa_buffer_pool_get(blocks, SIZE_MAX) == NULL);
    CHECK(stoa_buffer_pool_get(blocks, SIZE_MAX - 64) == NULL);
    void *const nothing = stoa_buffer_pool_get(blocks, 0);
    CHECK(nothing != NULL);
    stoa_buffer_pool_put(nothing);
    stoa_buffer_pool_close(blocks);
}

/* --- threads --------------------------------------------------------------------------------- */

enum { N_THREADS = 4, N_TURNS = 2000, N_HELD = 5 };

typedef struct user {
    stoa_buffer_pool *blocks;
    unsigned char mark;
    bool is_disturbed;
    void *left; /* for others to give back */
} user;

static void *use(void *context)
{
    user *const u = context;
    unsigned char *held[N_HELD] = {NULL};
    size_t sizes[N_HELD] = {0};

    for (size_t turn = 0; turn < N_TURNS; turn++) {
        const size_t i = turn % N_HELD;
        for (size_t k = 0; held[i] != NULL && k < sizes[i]; k++) {
            u->is_disturbed = u->is_disturbed || held[i][k] != u->mark;
        }
        stoa_buffer_pool_put(held[i]);
        sizes[i] = 1 + turn * 37 % 500;
        held[i] = stoa_buffer_pool_get(u->blocks, sizes[i]);
        if (held[i] != NULL) {
            memset(held[i], u->mark, sizes[i]);
        }
    }
    u->left = held[0];
    for (size_t i = 1; i < N_HELD; i++) {
        stoa_buffer_pool_put(held[i]);
    }
    return NULL;
}

static void *give_back(void *block)
{
    stoa_buffer_pool_put(block);
    return NULL;
}

static void blocks_go_from_thread_to_thread(void)
{
    pthread_t threads[N_THREADS];
    user users[N_THREADS];
    stoa_buffer_pool *const blocks = blocks_of(BOUND);

    for (size_t i = 0; i < N_THREADS; i++) {
        users[i] = (user){.blocks = blocks, .mark = (unsigned char)(i + 1)};
        CHECK_I64(pthread_create(&threads[i], NULL, use, &users[i]), 0);
    }
    for (size_t i = 0; i < N_THREADS; i++) {
        CHECK_I64(pthread_join(threads[i], NULL), 0);
        CHECK(!users[i].is_disturbed && users[i].left != NULL);
    }
    for (size_t i = 0; i < N_THREADS; i++) { /* while this one closes them */
        CHECK_I64(pthread_create(&threads[i], NULL, give_back, users[i].left), 0);
    }
    stoa_buffer_pool_close(blocks);
    for (size_t i = 0; i < N_THREADS; i++) {
        CHECK_I64(pthread_join(threads[i], NULL), 0);
    }
}

static stoa_status take_some(stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_buffer_pool *blocks = NULL;
    void *a = NULL;
    void *b = NULL;

    STOA_TRY(stoa_buffer_pool_open(BOUND, &blocks, err));
    a = stoa_buffer_pool_get(blocks, 100);
    b = stoa_buffer_pool_get(blocks, 100000);
    STOA_TRY(a != NULL && b != NULL ? STOA_OK : stoa_fail_memory(err));

done:
    stoa_buffer_pool_put(a);
    stoa_buffer_pool_close(blocks);
    stoa_buffer_pool_put(b);
    return status;
}

static void no_allocation_is_taken_for_granted(void)
{
    CHECK_U64(sweep_memory(take_some), 3);
}

TEST_MAIN(TEST(another_bound_counts_for_what_is_kept_already),
          TEST(what_was_given_back_is_taken_again), TEST(the_one_given_back_last_is_taken_first),
          TEST(a_block_does_for_what_is_not_far_smaller), TEST(no_more_is_kept_than_was_said),
          TEST(many_small_ones_are_not_all_kept), TEST(what_is_taken_stays_when_the_rest_is_closed),
          TEST(too_much_is_refused), TEST(blocks_go_from_thread_to_thread),
          TEST(no_allocation_is_taken_for_granted))
