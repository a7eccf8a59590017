/* Deflate streams of nibbles, against zlib. */
#include "codec/kernels/deflate_nibbles.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "codec/kernels/inflate.h"
#include "codec/kit.h"

enum { N_FLOATS = 9 * STOA_NIBBLES + 1000, N_BYTES = 4 * N_FLOATS, N_DAMAGED = 2000 };

/* Noise below exponents: `n_exponents` of them from 100 on, twice as many bytes by signs. */
static void random_floats(uint8_t *elements, uint64_t n_exponents, bool has_signs)
{
    for (size_t i = 0; i < N_FLOATS; i++) {
        const uint32_t sign = has_signs ? (uint32_t)check_random_below(2) << 31 : 0;
        const uint32_t exponent = (uint32_t)(100 + 2 * check_random_below(n_exponents)) << 23;
        const uint32_t bits = sign | exponent | (uint32_t)check_random_below(1 << 24);
        for (size_t k = 0; k < 4; k++) {
            elements[4 * i + k] = (uint8_t)(bits >> (8 * k));
        }
    }
}

static stoa_pipeline pipeline(void)
{
    stoa_pipeline p = pipeline_of(N_BYTES, 4, stoa_simd_of_cpu());

    add_filter(&p, STOA_FILTER_SHUFFLE, 1, (uint32_t[]){4});
    add_filter(&p, STOA_FILTER_DEFLATE, 1, (uint32_t[]){1});
    return p;
}

/* A chunk as it is stored, which zlib inflates. */
static guarded pack(const uint8_t *elements)
{
    static uint8_t planes[N_BYTES];
    static uint8_t inflated[N_BYTES];
    const stoa_pipeline p = pipeline();
    stoa_scratch scratch = {.blocks = {NULL}};
    stoa_error err = STOA_ERROR_INIT;
    const uint8_t *packed = NULL;
    size_t n = 0;
    uint32_t mask = 0;
    uLongf n_inflated = sizeof inflated;

    CHECK_OK(stoa_pipeline_apply(&p, elements, &scratch, &packed, &n, &mask, &err), &err);
    CHECK_U64(mask, 0);
    naive_shuffle(planes, elements, N_FLOATS, 4);
    CHECK_I64(uncompress(inflated, &n_inflated, packed, n), Z_OK);
    CHECK_U64(n_inflated, N_BYTES);
    CHECK_MEM(inflated, planes, N_BYTES);
    check_undone(&p, packed, n, elements);
    guarded stored = guarded_new(n);
    memcpy(stored.bytes, packed, n);
    stoa_scratch_clear(&scratch);
    return stored;
}

/* Whether the fast reader undoes them; what it makes of them has the length `n`. */
static bool is_read_fast(const uint8_t *stored, size_t n_stored, stoa_simd simd, uint8_t *out,
                         size_t *n)
{
    uint8_t *const exact = exact_copy(stored, n_stored);
    const bool is_read = stoa_inflate(exact, n_stored, n_stored, simd, out, N_BYTES, n);

    free(exact);
    return is_read;
}

/* Half a byte for a plane of few bytes, all of it but what is no whole block. */
static void planes_of_few_bytes_are_nibbles(void)
{
    static uint8_t elements[N_BYTES];
    static uint8_t out[N_BYTES];
    static uint8_t planes[N_BYTES];
    size_t n = 0;

    for (uint64_t n_exponents = 8; n_exponents <= 15; n_exponents += 7) {
        random_floats(elements, n_exponents, false);
        naive_shuffle(planes, elements, N_FLOATS, 4);
        guarded stored = pack(elements);
        CHECK(stored.n > (size_t)N_BYTES * 7 / 8);
        CHECK(stored.n < (size_t)N_BYTES * 7 / 8 + STOA_NIBBLES);
        for (EACH_SIMD(simd)) {
            CHECK(is_read_fast(stored.bytes, stored.n, simd, out, &n));
            CHECK_U64(n, N_BYTES);
            CHECK_MEM(out, planes, N_BYTES);
        }
        guarded_end(&stored);
    }
}

/* Where codes of their own are clearly shorter, or there are too many bytes for nibbles. */
static void other_planes_get_codes_of_their_own(void)
{
    static uint8_t elements[N_BYTES];

    random_floats(elements, 2, false); /* a bit each */
    guarded stored = pack(elements);
    CHECK(stored.n < (size_t)N_BYTES * 7 / 8);
    guarded_end(&stored);

    random_floats(elements, 8, true); /* sixteen bytes, and the end makes seventeen */
    stored = pack(elements);
    CHECK(stored.n < (size_t)N_BYTES * 95 / 100);
    guarded_end(&stored);
}

/* One block with a byte too many for nibbles is stored between the others. */
static void rare_bytes_cost_a_block(void)
{
    static uint8_t elements[N_BYTES];
    static uint8_t out[N_BYTES];
    size_t n = 0;

    random_floats(elements, 15, false);
    elements[3] = 0x7f;
    guarded stored = pack(elements);
    CHECK(stored.n > (size_t)N_BYTES * 7 / 8 + STOA_NIBBLES / 4);
    CHECK(stored.n < (size_t)N_BYTES * 7 / 8 + 2 * STOA_NIBBLES);
    CHECK(is_read_fast(stored.bytes, stored.n, stoa_simd_of_cpu(), out, &n));
    guarded_end(&stored);
}

/* Bits flipped, bytes lost: whatever the fast reader takes, zlib takes for the same. */
static void damage_is_no_other_chunk(void)
{
    static uint8_t elements[N_BYTES];
    static uint8_t out[N_BYTES];
    static uint8_t inflated[N_BYTES];
    size_t n = 0;

    random_floats(elements, 12, false);
    guarded stored = pack(elements);
    const size_t first_coded = 3 * (size_t)N_FLOATS; /* about there */
    for (uint64_t i = check_n_cases(N_DAMAGED); i > 0; i--) {
        const size_t begin = i % 2 == 0 ? first_coded - 100 : 0;
        const size_t at = begin + (size_t)check_random_below(i % 4 == 0 ? 500 : stored.n - begin);
        const uint8_t flip = (uint8_t)(1U << check_random_below(8));
        uLongf n_inflated = sizeof inflated;

        stored.bytes[at] ^= flip;
        if (is_read_fast(stored.bytes, stored.n, stoa_simd_of_cpu(), out, &n)) {
            CHECK_I64(uncompress(inflated, &n_inflated, stored.bytes, stored.n), Z_OK);
            CHECK_U64(n_inflated, n);
            CHECK_MEM(inflated, out, n);
        }
        stored.bytes[at] ^= flip;
        CHECK(!is_read_fast(stored.bytes, at, stoa_simd_of_cpu(), out, &n));
    }
    const stoa_pipeline p = pipeline();
    stored.bytes[stored.n / 2] ^= 1;
    check_refused(&p, stored.bytes, stored.n, "deflate");
    stored.bytes[stored.n / 2] ^= 1;
    check_refused(&p, stored.bytes, stored.n - 1, "deflate");
    guarded_end(&stored);
}

/* More than there is room for. */
static void no_more_is_written_than_there_is_room_for(void)
{
    static uint8_t elements[N_BYTES];
    size_t n = 0;

    random_floats(elements, 12, false);
    guarded stored = pack(elements);
    for (size_t room = 0; room < N_BYTES; room += 5 * STOA_NIBBLES / 2 + 1) {
        guarded out = guarded_new(room);
        CHECK(!stoa_inflate(stored.bytes, stored.n, stored.n, stoa_simd_of_cpu(), out.bytes, room,
                            &n));
        guarded_end(&out);
    }
    guarded_end(&stored);
}

/* By definition: bits from the lowest on. */
static void look_ups_are_those_of_the_definition(void)
{
    static uint8_t in[STOA_NIBBLES / 2 + 1];
    static uint8_t out[STOA_NIBBLES];
    uint8_t bytes[16];

    for (unsigned shift = 0; shift < 8; shift++) {
        for (size_t i = 0; i < sizeof in; i++) {
            in[i] = (uint8_t)check_random();
        }
        for (size_t i = 0; i < 16; i++) {
            bytes[i] = (uint8_t)check_random();
        }
        bool has_end = false;
        uint8_t expected[STOA_NIBBLES];
        for (size_t i = 0; i < STOA_NIBBLES; i++) {
            unsigned code = 0;
            for (size_t b = 0; b < 4; b++) {
                const size_t bit = shift + 4 * i + b;
                code |= (in[bit / 8] >> bit % 8 & 1U) << b;
            }
            if (code == 15 && shift % 2 == 0) { /* none, in every second trial */
                const size_t bit = shift + 4 * i;
                in[bit / 8] ^= (uint8_t)(1U << bit % 8);
                code = 14;
            }
            has_end = has_end || code == 15;
            expected[i] = bytes[code];
        }
        CHECK_I64(has_end, shift % 2);
        CHECK_I64(stoa_nibbles_look_up_scalar(in, shift, bytes, out), !has_end);
        CHECK_MEM(out, expected, sizeof out);
#if defined(__x86_64__)
        if (stoa_simd_of_cpu() != STOA_SIMD_SCALAR) {
            memset(out, 0, sizeof out);
            CHECK_I64(stoa_nibbles_look_up_avx2(in, shift, bytes, out), !has_end);
            CHECK_MEM(out, expected, sizeof out);
        }
#endif
    }
}

TEST_MAIN(TEST(planes_of_few_bytes_are_nibbles), TEST(other_planes_get_codes_of_their_own),
          TEST(rare_bytes_cost_a_block), TEST(damage_is_no_other_chunk),
          TEST(no_more_is_written_than_there_is_room_for),
          TEST(look_ups_are_those_of_the_definition))
