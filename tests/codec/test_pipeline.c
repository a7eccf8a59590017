/* The rules of pipelines, for src/codec/pipeline.c. */
#include <stdlib.h>
#include <string.h>

#include "codec/kit.h"
#include "support/sweep.h"

enum { N = 1000, SIZE = 4, BYTES = N * SIZE };

static uint8_t ramp[BYTES];  /* packs well */
static uint8_t noise[BYTES]; /* does not */

static void fill_chunks(void)
{
    for (size_t i = 0; i < BYTES; i++) {
        ramp[i] = i % SIZE == 0 ? (uint8_t)(i / 64) : 0;
        noise[i] = (uint8_t)check_random();
    }
}

static stoa_pipeline empty(void)
{
    return pipeline_of(BYTES, SIZE, stoa_simd_of_cpu());
}

/* Filters by letters: s, d, f for shuffle, deflate, fletcher32; z, l, b, p, B for zstd, LZ4, Blosc,
 * bzip2 and bitshuffle with LZ4. */
static stoa_pipeline pipeline_by(const char *letters)
{
    stoa_pipeline p = empty();

    for (; *letters != '\0'; letters++) {
        switch (*letters) {
        case 's':
            add_filter(&p, STOA_FILTER_SHUFFLE, 1, (uint32_t[]){SIZE});
            break;
        case 'd':
            add_filter(&p, STOA_FILTER_DEFLATE, 1, (uint32_t[]){5});
            break;
        case 'f':
            add_filter(&p, STOA_FILTER_FLETCHER32, 0, NULL);
            break;
        case 'z':
            add_filter(&p, STOA_FILTER_ZSTD, 1, (uint32_t[]){3});
            break;
        case 'l':
            add_filter(&p, STOA_FILTER_LZ4, 1, (uint32_t[]){0});
            break;
        case 'b':
            add_filter(&p, STOA_FILTER_BLOSC, 7, (uint32_t[]){2, 2, SIZE, BYTES, 5, 1, 1});
            break;
        case 'p':
            add_filter(&p, STOA_FILTER_BZIP2, 3, (uint32_t[]){5, 27, 0});
            break;
        default:
            add_filter(&p, STOA_FILTER_BITSHUFFLE, 5, (uint32_t[]){0, 5, SIZE, 0, 2});
            break;
        }
    }
    return p;
}

/* --- what is known --------------------------------------------------------------------------- */

static bool is_known(uint32_t id, uint32_t n_values, const uint32_t *values)
{
    stoa_pipeline p = empty();

    add_filter(&p, id, n_values, values);
    return stoa_pipeline_is_known(&p);
}

static void filters_with_sense_are_known(void)
{
    static const char *const known[] = {"",   "s", "d",  "f", "sdf", "fsd",
                                        "dd", "z", "sl", "b", "B",   "p"};

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        const stoa_pipeline p = pipeline_by(known[i]);
        CHECK(stoa_pipeline_is_known(&p));
    }
    CHECK(is_known(STOA_FILTER_BLOSC, 4, (uint32_t[]){2, 2, 4, BYTES}));
    CHECK(is_known(STOA_FILTER_LZ4, 0, NULL));
    CHECK(is_known(STOA_FILTER_BLOSC2, 7, (uint32_t[]){1, BYTES, 4, BYTES, 5, 1, 5}));
    CHECK(is_known(STOA_FILTER_BLOSC2, 10, (uint32_t[]){1, BYTES, 4, BYTES, 5, 1, 5, 2, 10, 100}));
}

static void filters_without_sense_are_not_known(void)
{
    CHECK(!is_known(4, 4, (uint32_t[]){0, 0, 0, 0})); /* szip */
    CHECK(!is_known(5, 0, NULL));                     /* n-bit */
    CHECK(!is_known(STOA_FILTER_SHUFFLE, 0, NULL));
    CHECK(!is_known(STOA_FILTER_SHUFFLE, 1, (uint32_t[]){0}));
    CHECK(!is_known(STOA_FILTER_DEFLATE, 1, (uint32_t[]){10}));
    CHECK(!is_known(STOA_FILTER_DEFLATE, 0, NULL));
    CHECK(!is_known(STOA_FILTER_BLOSC, 7, (uint32_t[]){2, 2, 4, BYTES, 5, 1, 9}));
    CHECK(!is_known(STOA_FILTER_BLOSC, 7, (uint32_t[]){2, 2, 4, BYTES, 10, 1, 0}));
    CHECK(!is_known(STOA_FILTER_BZIP2, 1, (uint32_t[]){0}));
    CHECK(!is_known(STOA_FILTER_BZIP2, 1, (uint32_t[]){10}));
    CHECK(!is_known(STOA_FILTER_BLOSC2, 7, (uint32_t[]){1, BYTES, 4, BYTES, 5, 1, 3})); /* snappy */
    CHECK(!is_known(STOA_FILTER_BLOSC2, 7,
                    (uint32_t[]){1, BYTES, 4, BYTES, 5, 1, 33})); /* a plugin */
    CHECK(!is_known(STOA_FILTER_BITSHUFFLE, 2, (uint32_t[]){0, 3}));
    CHECK(!is_known(STOA_FILTER_BITSHUFFLE, 5, (uint32_t[]){0, 3, 0, 0, 2}));
    CHECK(!is_known(STOA_FILTER_BITSHUFFLE, 5, (uint32_t[]){0, 3, 4, 12, 2}));
    CHECK(!is_known(STOA_FILTER_BITSHUFFLE, 5, (uint32_t[]){0, 3, 4, 0, 1}));
    CHECK(!is_known(STOA_FILTER_SCALEOFFSET, 0, NULL));
}

static void chunks_without_sense_are_not_known(void)
{
    stoa_pipeline p = empty();

    CHECK(stoa_pipeline_is_known(&p));
    p.n_filters = STOA_MAX_FILTERS + 1;
    CHECK(!stoa_pipeline_is_known(&p));
    p = pipeline_of(BYTES - 1, SIZE, STOA_SIMD_SCALAR);
    CHECK(!stoa_pipeline_is_known(&p));
    p = pipeline_of(0, SIZE, STOA_SIMD_SCALAR);
    CHECK(!stoa_pipeline_is_known(&p));
    p = pipeline_by("f");
    p.filters[0].n_values = STOA_MAX_FILTER_VALUES + 1;
    CHECK(!stoa_pipeline_is_known(&p));
}

/* blosc.h: a buffer has BLOSC_MAX_BUFFERSIZE bytes at most, which is 2^31 - 17; ours half of it. */
static void chunks_too_large_for_blosc_are_not_known(void)
{
    stoa_pipeline p = pipeline_by("b");

    p.chunk_bytes = (INT32_MAX - 16) / 2 / SIZE * SIZE;
    CHECK(stoa_pipeline_is_known(&p));
    p.chunk_bytes += SIZE;
    CHECK(!stoa_pipeline_is_known(&p));
}

/* --- there and back -------------------------------------------------------------------------- */

static const char *const orders[] = {
    "",  "s",  "d", "f",  "sd", "sdf",  "fsd",  "dd",   "fd",  "dfd", "sz", "zf", "sl", "lf",
    "b", "bf", "B", "Bf", "fB", "sfdf", "Bzlb", "fzsl", "ddd", "ldz", "p",  "sp", "pf"};

static void check_both_ways(const stoa_pipeline *p, const uint8_t *chunk, bool packs)
{
    stoa_scratch scratch = {.blocks = {NULL}};
    stoa_error err = STOA_ERROR_INIT;
    guarded out = guarded_new(BYTES);
    const uint8_t *stored = NULL;
    const uint8_t *back = NULL;
    size_t n_stored = 0;
    uint32_t mask = 0;

    CHECK(stoa_pipeline_is_known(p));
    CHECK_OK(stoa_pipeline_apply(p, chunk, &scratch, &stored, &n_stored, &mask, &err), &err);
    CHECK(n_stored <= stoa_pipeline_bound(p));
    CHECK(!packs || (mask == 0 && n_stored < BYTES));
    /* `stored` lies in the scratch that undoing uses. */
    CHECK_OK(stoa_pipeline_undo(p, mask, stored, n_stored, &scratch, out.bytes, &back, &err), &err);
    CHECK_MEM(back, chunk, BYTES);
    stoa_scratch_clear(&scratch);
    guarded_end(&out);
}

static void every_order_comes_back(void)
{
    fill_chunks();
    for (EACH_SIMD(simd)) {
        for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++) {
            stoa_pipeline p = pipeline_by(orders[i]);
            p.simd = simd;
            check_both_ways(&p, ramp, strpbrk(orders[i], "dzlbBp") != NULL);
            check_both_ways(&p, noise, false);
        }
    }
}

/* libblosc takes elements of 1 to 255 bytes: others are packed as bytes. */
static void blosc_packs_elements_of_odd_sizes_as_bytes(void)
{
    fill_chunks();
    for (uint32_t size = 0; size <= 256; size += 256) {
        stoa_pipeline p = empty();
        add_filter(&p, STOA_FILTER_BLOSC, 7, (uint32_t[]){2, 2, size, BYTES, 5, 1, 1});
        check_both_ways(&p, ramp, true);
    }
}

/* Input and output may lie in the scratch, anywhere. */
static void the_scratch_may_hold_what_is_given(void)
{
    fill_chunks();
    for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++) {
        const stoa_pipeline p = pipeline_by(orders[i]);
        for (int at = 0; at < 16; at++) {
            stoa_scratch scratch = {.blocks = {NULL}};
            stoa_error err = STOA_ERROR_INIT;
            uint8_t *chunk = stoa_scratch_block(&scratch, at % 4, BYTES);
            const uint8_t *stored = NULL;
            const uint8_t *back = NULL;
            size_t n_stored = 0;
            uint32_t mask = 0;

            memcpy(chunk, at % 2 == 0 ? ramp : noise, BYTES);
            CHECK_OK(stoa_pipeline_apply(&p, chunk, &scratch, &stored, &n_stored, &mask, &err),
                     &err);
            CHECK_MEM(chunk, at % 2 == 0 ? ramp : noise, BYTES);
            if (at / 4 != at % 4) {
                uint8_t *kept = exact_copy(stored, n_stored);
                uint8_t *in = stoa_scratch_block(&scratch, at / 4, n_stored);
                uint8_t *out = stoa_scratch_block(&scratch, at % 4, BYTES);
                memcpy(in, kept, n_stored);
                memset(out, 0, BYTES);
                CHECK_OK(stoa_pipeline_undo(&p, mask, in, n_stored, &scratch, out, &back, &err),
                         &err);
                CHECK(back == out || back == in);
                CHECK_MEM(back, at % 2 == 0 ? ramp : noise, BYTES);
                free(kept);
            }
            stoa_scratch_clear(&scratch);
        }
    }
}

static void from_chunk_to_chunk_nothing_is_allocated(void)
{
    stoa_scratch scratch = {.blocks = {NULL}};
    uint8_t *out = stoa_alloc_aligned(64, BYTES);
    const uint8_t *stored = NULL;
    const uint8_t *back = NULL;
    size_t n_stored = 0;
    uint32_t mask = 0;

    fill_chunks();
    for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++) {
        const stoa_pipeline p = pipeline_by(orders[i]);
        for (unsigned again = 0; again < 4; again++) {
            stoa_memory_fail_after(again < 2 ? UINT64_MAX : 0);
            const stoa_status applied =
                stoa_pipeline_apply(&p, ramp, &scratch, &stored, &n_stored, &mask, NULL);
            const stoa_status undone =
                applied != STOA_OK
                    ? applied
                    : stoa_pipeline_undo(&p, mask, stored, n_stored, &scratch, out, &back, NULL);
            stoa_memory_fail_after(UINT64_MAX);
            CHECK_OK(applied);
            CHECK_OK(undone);
        }
    }
    stoa_scratch_clear(&scratch);
    free(out);
}

static const char *swept;

static stoa_status both_ways(stoa_error *err)
{
    const stoa_pipeline p = pipeline_by(swept);
    stoa_status status = STOA_OK;
    stoa_scratch scratch = {.blocks = {NULL}};
    uint8_t *out = NULL;
    const uint8_t *stored = NULL;
    const uint8_t *back = NULL;
    size_t n_stored = 0;
    uint32_t mask = 0;

    STOA_TRY(stoa_pipeline_apply(&p, ramp, &scratch, &stored, &n_stored, &mask, err));
    out = stoa_alloc_aligned(64, BYTES);
    if (out == NULL) {
        STOA_TRY(stoa_fail_memory(err));
    }
    STOA_TRY(stoa_pipeline_undo(&p, mask, stored, n_stored, &scratch, out, &back, err));
    CHECK_MEM(back, ramp, BYTES);

done:
    stoa_scratch_clear(&scratch);
    free(out);
    return status;
}

static void memory_may_run_out_anywhere(void)
{
    fill_chunks();
    for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++) {
        swept = orders[i];
        (void)sweep_memory(both_ways);
    }
}

/* --- undoing --------------------------------------------------------------------------------- */

static void what_needs_no_undoing_stays_where_it_is(void)
{
    static const char *const idle[] = {"", "f", "s", "sf"};
    static const uint32_t masks[] = {0, 0, 1, 1};
    uint8_t stored[BYTES + 4];
    uint8_t out[BYTES];

    fill_chunks();
    memcpy(stored, noise, BYTES);
    for (unsigned i = 0; i < 4; i++) {
        stored[BYTES + i] = (uint8_t)(naive_fletcher32(noise, BYTES) >> (8 * i));
    }
    for (size_t i = 0; i < 4; i++) {
        const stoa_pipeline p = pipeline_by(idle[i]);
        const size_t n = strchr(idle[i], 'f') != NULL ? BYTES + 4 : BYTES;
        stoa_scratch scratch = {.blocks = {NULL}};
        stoa_error err = STOA_ERROR_INIT;
        const uint8_t *chunk = NULL;

        CHECK_OK(stoa_pipeline_undo(&p, masks[i], stored, n, &scratch, out, &chunk, &err), &err);
        CHECK(chunk == stored);
        CHECK_STATUS(STOA_EDATA,
                     stoa_pipeline_undo(&p, masks[i], stored, n - 1, &scratch, out, &chunk, &err));
        CHECK_STATUS(STOA_EDATA,
                     stoa_pipeline_undo(&p, masks[i], stored, 0, &scratch, out, &chunk, &err));
        stoa_scratch_clear(&scratch);
    }
}

/* One step, of a chunk whose length stands nowhere. */
static void one_filter_is_undone_into_what_room_there_is(void)
{
    static const char letters[][2] = {"s", "d", "f", "z", "l", "b", "p", "B"};

    fill_chunks();
    for (size_t i = 0; i < sizeof letters / sizeof letters[0]; i++) {
        const stoa_pipeline p = pipeline_by(letters[i]);
        stoa_scratch scratch = {.blocks = {NULL}};
        stoa_error err = STOA_ERROR_INIT;
        const uint8_t *stored = NULL;
        size_t n_stored = 0;
        size_t n = 0;
        uint32_t mask = 0;

        CHECK_OK(stoa_pipeline_apply(&p, ramp, &scratch, &stored, &n_stored, &mask, &err), &err);
        uint8_t *in = exact_copy(stored, n_stored);
        for (size_t room = BYTES - 1; room < BYTES + 100; room += room == BYTES ? 99 : 1) {
            guarded out = guarded_new(room);
            const stoa_status status =
                stoa_filter_undo(&p.filters[0], in, n_stored, &scratch, out.bytes, room, &n);
            CHECK_U64(status, room < BYTES ? STOA_EDATA : STOA_OK);
            CHECK_U64(n, room < BYTES ? 0 : BYTES);
            CHECK_MEM(out.bytes, ramp, n);
            guarded_end(&out);
        }
        CHECK_CONTAINS("shuffle deflate fletcher32 zstd lz4 blosc bzip2 bitshuffle",
                       stoa_filter_name(p.filters[0].id));
        free(in);
        stoa_scratch_clear(&scratch);
    }
}

static void a_filter_that_is_not_known_undoes_nothing(void)
{
    const stoa_filter szip = {.id = 4};
    stoa_scratch scratch = {.blocks = {NULL}};
    uint8_t out[4] = {0};
    size_t n = 7;

    CHECK(stoa_filter_name(4) == NULL);
    CHECK_STATUS(STOA_EDATA,
                 stoa_filter_undo(&szip, (const uint8_t *)"1234", 4, &scratch, out, 4, &n));
    CHECK_U64(n, 0);
    stoa_scratch_clear(&scratch);
}

/* --- picking --------------------------------------------------------------------------------- */

static void elements_of_plain_chunks_are_picked(void)
{
    const stoa_pipeline plain = pipeline_by("");
    const stoa_pipeline packed = pipeline_by("sd");
    const stoa_pipeline summed = pipeline_by("f");
    stoa_error err = STOA_ERROR_INIT;
    uint8_t out[BYTES];
    bool found = false;

    fill_chunks();
    for (uint64_t first = 0; first <= N; first += 125) {
        for (uint64_t n = 0; n <= N - first; n += 125) {
            guarded g = guarded_new((size_t)n * SIZE);
            CHECK_OK(stoa_pipeline_decode_range(&plain, 0, noise, BYTES, first, n, g.bytes, &found,
                                                &err));
            CHECK(found);
            CHECK_MEM(g.bytes, noise + first * SIZE, (size_t)n * SIZE);
            CHECK_OK(stoa_pipeline_decode_range(&packed, 3, noise, BYTES, first, n, g.bytes, &found,
                                                &err));
            CHECK(found);
            guarded_end(&g);
        }
    }
    CHECK_OK(stoa_pipeline_decode_range(&packed, 1, noise, BYTES, 0, 1, out, &found, &err));
    CHECK(!found);
    CHECK_OK(stoa_pipeline_decode_range(&summed, 0, noise, BYTES, 0, 1, out, &found, &err));
    CHECK(!found); /* what a checksum stands for is the whole chunk */
    CHECK_STATUS(STOA_EDATA,
                 stoa_pipeline_decode_range(&plain, 0, noise, BYTES - 1, 0, 1, out, &found, &err));
    CHECK_STATUS(STOA_ERANGE,
                 stoa_pipeline_decode_range(&plain, 0, noise, BYTES, N, 1, out, &found, NULL));
    CHECK_STATUS(STOA_ERANGE, stoa_pipeline_decode_range(&plain, 0, noise, BYTES, 1, UINT64_MAX,
                                                         out, &found, NULL));
}

/* --- applying -------------------------------------------------------------------------------- */

static void check_noise_in(const stoa_pipeline *p, uint32_t expected_mask, size_t expected_n)
{
    stoa_scratch scratch = {.blocks = {NULL}};
    stoa_error err = STOA_ERROR_INIT;
    const uint8_t *stored = NULL;
    size_t n_stored = 0;
    uint32_t mask = 0;

    CHECK_OK(stoa_pipeline_apply(p, noise, &scratch, &stored, &n_stored, &mask, &err), &err);
    CHECK_U64(mask, expected_mask);
    CHECK_U64(n_stored, expected_n);
    if (mask == (UINT32_C(1) << p->n_filters) - 1) {
        CHECK(stored == noise);
    }
    stoa_scratch_clear(&scratch);
}

static void check_noise(const char *letters, uint32_t expected_mask, size_t expected_n)
{
    const stoa_pipeline p = pipeline_by(letters);

    check_noise_in(&p, expected_mask, expected_n);
}

static void what_packing_does_not_shrink_is_stored_as_it_is(void)
{
    fill_chunks();
    check_noise("", 0, BYTES);
    check_noise("d", 1, BYTES);
    check_noise("sd", 2, BYTES); /* shuffled: see pipeline.h */
    check_noise("sdf", 2, BYTES + 4);
    check_noise("fsd", 4, BYTES + 4);
    check_noise("fdf", 2, BYTES + 8);
    check_noise("z", 1, BYTES);
    check_noise("l", 1, BYTES);
    check_noise("b", 1, BYTES);
    check_noise("B", 1, BYTES);
    check_noise("f", 0, BYTES + 4);
    check_noise("s", 0, BYTES);
    stoa_pipeline bits = empty();
    add_filter(&bits, STOA_FILTER_BITSHUFFLE, 5, (uint32_t[]){0, 5, SIZE, 0, 0});
    check_noise_in(&bits, 0, BYTES);
}

TEST_MAIN(TEST(filters_with_sense_are_known), TEST(filters_without_sense_are_not_known),
          TEST(chunks_without_sense_are_not_known), TEST(chunks_too_large_for_blosc_are_not_known),
          TEST(every_order_comes_back), TEST(blosc_packs_elements_of_odd_sizes_as_bytes),
          TEST(the_scratch_may_hold_what_is_given), TEST(from_chunk_to_chunk_nothing_is_allocated),
          TEST(memory_may_run_out_anywhere), TEST(what_needs_no_undoing_stays_where_it_is),
          TEST(one_filter_is_undone_into_what_room_there_is),
          TEST(a_filter_that_is_not_known_undoes_nothing),
          TEST(elements_of_plain_chunks_are_picked),
          TEST(what_packing_does_not_shrink_is_stored_as_it_is))
