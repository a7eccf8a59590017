/* Libraries that are opened when they are first wanted, for src/codec/library.c. */
#include "core/library.h"

#include <pthread.h>
#include <string.h>

#include "codec/pipeline.h"
#include "support/check.h"

/* Every system of ours has libz, under one of these names. */
static const stoa_library_name libz = {
    .files = {"libz.so.1", "libz.1.dylib"},
    .calls = {"zlibVersion", "crc32"},
};

typedef unsigned long (*crc32_call)(unsigned long crc, const unsigned char *bytes, unsigned n);

static void its_calls_are_found_and_can_be_made(void)
{
    stoa_library library = {.handle = NULL};

    CHECK(stoa_library_open(&library, &libz));
    CHECK(stoa_library_open(&library, &libz)); /* it is open */
    CHECK_U64(((crc32_call)library.calls[1])(0, (const unsigned char *)"123456789", 9),
              UINT64_C(0xcbf43926)); /* the check value of every description of CRC-32 */
    stoa_library_close(&library);
    CHECK(library.handle == NULL && library.calls[1] == NULL);
    stoa_library_close(&library);
}

static void what_is_not_there_is_not_opened(void)
{
    const stoa_library_name no_file = {.files = {"libthere-is-none.so.1"}, .calls = {"crc32"}};
    const stoa_library_name no_call = {.files = {"libz.so.1", "libz.1.dylib"},
                                       .calls = {"crc32", "there_is_none"}};
    stoa_library library = {.handle = NULL};

    CHECK(!stoa_library_is_there(&no_file));
    CHECK(!stoa_library_is_there(&no_call));
    CHECK(!stoa_library_open(&library, &no_call));
    CHECK(library.handle == NULL && library.calls[0] == NULL);
    CHECK(stoa_library_is_there(&libz));
}

static void a_later_name_stands_in_for_the_first(void)
{
    const stoa_library_name second = {
        .files = {"libthere-is-none.so.1", "libz.so.1", "libz.1.dylib"}, .calls = {"crc32"}};

    CHECK(stoa_library_is_there(&second));
}

/* A chunk of 4,096 numbers, packed and unpacked again, in a scratch of this thread's own. */
static void *pack_and_unpack(void *pipeline)
{
    enum { N = 4096 };
    uint32_t values[N];
    _Alignas(64) uint32_t back[N];
    stoa_scratch there = {.sizes = {0}};
    stoa_scratch again = {.sizes = {0}};
    const uint8_t *stored = NULL;
    const uint8_t *chunk = NULL;
    size_t n_stored = 0;
    uint32_t mask = 0;
    stoa_error err = STOA_ERROR_INIT;

    for (uint32_t i = 0; i < N; i++) {
        values[i] = i / 7;
    }
    const bool is_right = stoa_pipeline_is_known(pipeline) &&
                          stoa_pipeline_apply(pipeline, (const uint8_t *)values, &there, &stored,
                                              &n_stored, &mask, &err) == STOA_OK &&
                          mask == 0 && n_stored < sizeof values &&
                          stoa_pipeline_undo(pipeline, 0, stored, n_stored, &again, (uint8_t *)back,
                                             &chunk, &err) == STOA_OK &&
                          memcmp(chunk, values, sizeof values) == 0;
    stoa_scratch_clear(&there);
    stoa_scratch_clear(&again);
    return is_right ? pipeline : NULL;
}

static void threads_may_want_one_at_the_same_time(void)
{
    static const uint32_t of_blosc[] = {2, 2, 4, 16384, 5, 1, 1};
    stoa_pipeline blosc = {.n_filters = 1,
                           .filters = {{.id = STOA_FILTER_BLOSC, .n_values = 7}},
                           .chunk_bytes = 16384,
                           .element_size = 4,
                           .simd = stoa_simd_of_cpu()};
    stoa_pipeline bzip2 = blosc;
    pthread_t threads[8];

    memcpy(blosc.filters[0].values, of_blosc, sizeof of_blosc);
    bzip2.filters[0] = (stoa_filter){.id = STOA_FILTER_BZIP2};
    if (!stoa_pipeline_is_known(&blosc) || !stoa_pipeline_is_known(&bzip2)) {
        SKIP("this system lacks libblosc or libbz2");
    }
    for (int i = 0; i < 8; i++) {
        CHECK_I64(pthread_create(&threads[i], NULL, pack_and_unpack, i % 2 == 0 ? &blosc : &bzip2),
                  0);
    }
    for (int i = 0; i < 8; i++) {
        void *answer = NULL;

        CHECK_I64(pthread_join(threads[i], &answer), 0);
        CHECK(answer != NULL);
    }
}

TEST_MAIN(TEST(its_calls_are_found_and_can_be_made), TEST(what_is_not_there_is_not_opened),
          TEST(a_later_name_stands_in_for_the_first), TEST(threads_may_want_one_at_the_same_time))
