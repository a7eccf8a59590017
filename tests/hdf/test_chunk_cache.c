/* src/hdf/chunk_cache.c: what was used last is kept, up to so many bytes. */
#include "hdf/chunk_cache.h"

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

TEST_MAIN(TEST(what_was_used_longest_ago_goes_first),
          TEST(a_chunk_that_would_drive_out_much_is_not_kept),
          TEST(no_more_is_given_than_a_chunk_has), TEST(owners_differ))
