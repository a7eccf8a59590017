/* src/hdf/chunk/chunk_cache.c: what was used last is kept, up to so many bytes. */
#include "hdf/chunk/chunk_cache.h"

#include <string.h>

#include "support/check.h"

enum { SIZE = 100 };

static stoa_chunk_cache *open_cache(size_t max_bytes)
{
    stoa_chunk_cache *cache = NULL;

    CHECK_OK(stoa_chunk_cache_open(max_bytes, &cache, NULL), NULL);
    return cache;
}

static void put(stoa_chunk_cache *cache, uint64_t owner, uint64_t number)
{
    uint8_t bytes[SIZE];

    memset(bytes, (int)(owner * 16 + number), sizeof bytes);
    stoa_chunk_cache_put(cache, (stoa_chunk_key){owner, number}, bytes, sizeof bytes);
}

static bool has(stoa_chunk_cache *cache, uint64_t owner, uint64_t number)
{
    uint8_t found[3] = {0, 0, 77};
    const bool is_there =
        stoa_chunk_cache_get(cache, (stoa_chunk_key){owner, number}, SIZE - 2, 2, found);

    CHECK_U64(found[1], is_there ? owner * 16 + number : 0);
    CHECK_U64(found[2], 77);
    return is_there;
}

static void no_chunk_is_kept_that_fills_more_than_the_bound(void)
{
    const stoa_chunk_key key = {1, 0};

    for (size_t more = 0; more < 2; more++) {
        stoa_chunk_cache *cache = open_cache(1000 * SIZE);
        stoa_chunk_cache_limit(cache, SIZE);
        CHECK_U64(stoa_chunk_cache_most(cache), SIZE);
        stoa_held_chunk *const made = stoa_chunk_cache_make(cache, SIZE + more);
        CHECK(made != NULL);
        stoa_chunk_cache_keep(cache, key, made);
        CHECK_U64(stoa_chunk_cache_bytes(cache), more == 0 ? SIZE : 0);
        stoa_chunk_cache_release(cache, made);
        stoa_chunk_cache_close(cache);
    }
}

static void what_was_used_longest_ago_goes_first(void)
{
    stoa_chunk_cache *cache = open_cache(5 * SIZE + 10);

    for (uint64_t i = 0; i < 5; i++) {
        put(cache, 1, i);
    }
    CHECK(has(cache, 1, 0));
    put(cache, 2, 0);
    CHECK(!has(cache, 1, 1));
    CHECK(has(cache, 1, 0) && has(cache, 1, 2) && has(cache, 2, 0));
    CHECK_U64(stoa_chunk_cache_bytes(cache), 5 * SIZE);
    put(cache, 2, 0); /* it is there */
    CHECK_U64(stoa_chunk_cache_bytes(cache), 5 * SIZE);
    stoa_chunk_cache_close(cache);
}

static void a_chunk_that_would_drive_out_much_is_not_kept(void)
{
    stoa_chunk_cache *cache = open_cache(4 * SIZE - 1);

    put(cache, 1, 0);
    CHECK(!has(cache, 1, 0));
    CHECK_U64(stoa_chunk_cache_bytes(cache), 0);
    stoa_chunk_cache_close(cache);
}

static void no_more_is_given_than_a_chunk_has(void)
{
    stoa_chunk_cache *cache = open_cache(10 * SIZE);
    uint8_t out[SIZE];

    put(cache, 1, 0);
    CHECK(stoa_chunk_cache_get(cache, (stoa_chunk_key){1, 0}, 0, SIZE, out));
    CHECK(!stoa_chunk_cache_get(cache, (stoa_chunk_key){1, 0}, 1, SIZE, out));
    CHECK(!stoa_chunk_cache_get(cache, (stoa_chunk_key){1, 0}, SIZE + 1, 0, out));
    stoa_chunk_cache_close(cache);
}

static void owners_differ(void)
{
    stoa_chunk_cache *cache = open_cache(1);
    const uint64_t first = stoa_chunk_cache_owner(cache);

    CHECK(stoa_chunk_cache_owner(cache) != first);
    stoa_chunk_cache_close(cache);
}

static void what_is_held_stays_where_it_is(void)
{
    stoa_chunk_cache *cache = open_cache(4 * SIZE);
    const stoa_chunk_key key = {1, 0};

    put(cache, 1, 0);
    stoa_held_chunk *held = stoa_chunk_cache_hold(cache, key);
    CHECK(held != NULL);
    CHECK_U64((uintptr_t)stoa_held_bytes(held) % 64, 0);
    for (uint64_t i = 1; i < 8; i++) {
        put(cache, 1, i);
    }
    CHECK(!has(cache, 1, 0));
    CHECK(stoa_chunk_cache_hold(cache, key) == NULL);
    CHECK_U64(stoa_held_bytes(held)[SIZE - 1], 16);
    CHECK_U64(stoa_chunk_cache_bytes(cache), 4 * SIZE);
    stoa_chunk_cache_release(cache, held);
    stoa_chunk_cache_release(cache, NULL);
    stoa_chunk_cache_close(cache);
}

/* Two threads may unpack the same chunk; both may use what they made. */
static void the_second_of_two_that_are_the_same_goes_with_its_holder(void)
{
    stoa_chunk_cache *cache = open_cache(10 * SIZE);
    const stoa_chunk_key key = {1, 0};
    stoa_held_chunk *first = stoa_chunk_cache_make(cache, SIZE);
    stoa_held_chunk *second = stoa_chunk_cache_make(cache, SIZE);

    CHECK(first != NULL && second != NULL);
    memset(stoa_held_bytes(first), 1, SIZE);
    memset(stoa_held_bytes(second), 2, SIZE);
    stoa_chunk_cache_keep(cache, key, first);
    stoa_chunk_cache_keep(cache, key, second);
    CHECK_U64(stoa_chunk_cache_bytes(cache), SIZE);
    CHECK_U64(stoa_held_bytes(second)[0], 2);
    stoa_chunk_cache_release(cache, second);
    stoa_chunk_cache_release(cache, first);
    stoa_held_chunk *held = stoa_chunk_cache_hold(cache, key);
    CHECK(held == first);
    stoa_chunk_cache_release(cache, held);
    stoa_chunk_cache_close(cache);
}

static void a_chunk_is_wanted_when_it_is_asked_for_again(void)
{
    stoa_chunk_cache *cache = open_cache(10 * SIZE);

    CHECK(!stoa_chunk_cache_wants(cache, (stoa_chunk_key){1, 0}, SIZE));
    CHECK(!stoa_chunk_cache_wants(cache, (stoa_chunk_key){2, 0}, SIZE));
    CHECK(!stoa_chunk_cache_wants(cache, (stoa_chunk_key){1, 1}, SIZE));
    CHECK(stoa_chunk_cache_wants(cache, (stoa_chunk_key){1, 0}, SIZE));
    CHECK(!stoa_chunk_cache_wants(cache, (stoa_chunk_key){1, 0}, 3 * SIZE)); /* too large */
    stoa_chunk_cache_close(cache);
}

/* Its pages are at hand: asking the system for others costs more than unpacking. */
static void a_large_chunk_that_left_is_written_over(void)
{
    enum { LARGE = 1 << 20, N = 9 };
    stoa_chunk_cache *cache = open_cache(4 * LARGE);
    const stoa_held_chunk *places[N];
    size_t n_places = 0;

    for (uint64_t i = 0; i < 100; i++) {
        stoa_held_chunk *made = stoa_chunk_cache_make(cache, LARGE);
        size_t k = 0;
        CHECK(made != NULL);
        while (k < n_places && places[k] != made) {
            k++;
        }
        CHECK(k < N);
        n_places += k == n_places;
        places[k] = made;
        memset(stoa_held_bytes(made), (int)i, LARGE);
        stoa_chunk_cache_keep(cache, (stoa_chunk_key){1, i}, made);
        stoa_chunk_cache_release(cache, made);
    }
    CHECK_U64(stoa_chunk_cache_bytes(cache), 4 * LARGE);
    for (uint64_t i = 0; i < 100; i++) {
        uint8_t found = 0;
        const bool is_there =
            stoa_chunk_cache_get(cache, (stoa_chunk_key){1, i}, LARGE - 1, 1, &found);
        CHECK_U64(is_there, i >= 96);
        CHECK(!is_there || found == i);
    }
    stoa_chunk_cache_close(cache);
}

/* Chunks of one size leave no more behind than chunks of another size may drive out. */
static void chunks_of_another_size_are_not_written_over(void)
{
    enum { LARGE = 1 << 20 };
    stoa_chunk_cache *cache = open_cache(4 * LARGE);

    for (size_t n = LARGE; n < LARGE + 20; n++) {
        stoa_held_chunk *made = stoa_chunk_cache_make(cache, n);
        CHECK(made != NULL);
        memset(stoa_held_bytes(made), 1, n);
        stoa_chunk_cache_release(cache, made);
    }
    stoa_chunk_cache_close(cache);
}

TEST_MAIN(TEST(no_chunk_is_kept_that_fills_more_than_the_bound),
          TEST(what_is_held_stays_where_it_is), TEST(a_large_chunk_that_left_is_written_over),
          TEST(chunks_of_another_size_are_not_written_over),
          TEST(the_second_of_two_that_are_the_same_goes_with_its_holder),
          TEST(a_chunk_is_wanted_when_it_is_asked_for_again),
          TEST(what_was_used_longest_ago_goes_first),
          TEST(a_chunk_that_would_drive_out_much_is_not_kept),
          TEST(no_more_is_given_than_a_chunk_has), TEST(owners_differ))
