/* The scale-offset filter, src/codec/kernels/scaleoffset.c: chunks worked out by hand, client data,
 * damage.
 */
#include "codec/so_kit.h"

#include <stdlib.h>

static const so_variety small = {.size = 2, .is_signed = true};

/* 7 bits would do for 3, 100, 5: 3 + 97; as binary 0000000 1100001 0000010. */
static const uint8_t three_stored[] = {7, 0, 0, 0, 8, 3, 0, 0, 0, 0,    0,    0,
                                       0, 0, 0, 0, 0, 0, 0, 0, 0, 0x01, 0x84, 0x10};

static void three_values_are_what_was_worked_out_by_hand(void)
{
    const int16_t values[] = {3, 100, 5};
    uint8_t little[6];
    uint8_t out[64];
    const stoa_scaleoffset so = so_of(&small, 3, STOA_SIMD_SCALAR);

    for (size_t i = 0; i < 3; i++) {
        so_put(&small, little, i, (uint64_t)values[i]);
    }
    CHECK(stoa_scaleoffset_bound(&so) <= sizeof out);
    CHECK_U64(stoa_scaleoffset_encode(&so, little, out), sizeof three_stored);
    CHECK_MEM(out, three_stored, sizeof three_stored);
    CHECK(stoa_scaleoffset_decode(&so, three_stored, sizeof three_stored, out));
    CHECK_MEM(out, little, sizeof little);
}

static void a_fill_is_all_ones_and_the_least_value_keeps_its_sign(void)
{
    /* -2, fill, 0: codes 0 .. 2 and the fill's make 2 bits: 00 11 10 */
    const so_variety variety = {
        .size = 4, .is_signed = true, .is_big_endian = true, .has_fill = true, .fill = 77};
    const uint8_t values[] = {0xff, 0xff, 0xff, 0xfe, 0, 0, 0, 77, 0, 0, 0, 0};
    const uint8_t stored[] = {2,    0,    0, 0, 8, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff,
                              0xff, 0xff, 0, 0, 0, 0,    0,    0,    0,    0,    0x38};
    const stoa_scaleoffset so = so_of(&variety, 3, STOA_SIMD_SCALAR);
    uint8_t out[64];

    CHECK_U64(stoa_scaleoffset_encode(&so, values, out), sizeof stored);
    CHECK_MEM(out, stored, sizeof stored);
    CHECK(stoa_scaleoffset_decode(&so, stored, sizeof stored, out));
    CHECK_MEM(out, values, sizeof values);
}

static void no_bits_are_one_value_or_nothing_but_fills(void)
{
    so_variety variety = {.size = 1};
    const uint8_t stored[SO_HEADER] = {0, 0, 0, 0, 8, 9};
    uint8_t out[3];

    stoa_scaleoffset so = so_of(&variety, 3, STOA_SIMD_SCALAR);
    CHECK(stoa_scaleoffset_decode(&so, stored, sizeof stored, out));
    CHECK_MEM(out, "\x09\x09\x09", 3);
    variety.has_fill = true;
    variety.fill = 5;
    so = so_of(&variety, 3, STOA_SIMD_SCALAR);
    CHECK(stoa_scaleoffset_decode(&so, stored, sizeof stored, out));
    CHECK_MEM(out, "\x05\x05\x05", 3);
}

static void values_over_the_whole_type_are_not_encoded_but_decoded(void)
{
    const stoa_scaleoffset so = so_of(&small, 2, STOA_SIMD_SCALAR);
    const uint8_t values[] = {0x00, 0x80, 0xff, 0x7f};
    const uint8_t stored[SO_HEADER + 4] = {16, 0, 0, 0, 8, [SO_HEADER] = 0x00, 0x80, 0xff, 0x7f};
    uint8_t out[64];

    CHECK_U64(stoa_scaleoffset_encode(&so, values, out), 0);
    CHECK(stoa_scaleoffset_decode(&so, stored, sizeof stored, out));
    CHECK_MEM(out, values, sizeof values);
}

static void bits_that_are_too_few_are_not_used(void)
{
    so_variety variety = {.size = 1, .bits = 3};
    uint8_t out[64];

    stoa_scaleoffset so = so_of(&variety, 2, STOA_SIMD_SCALAR);
    CHECK_U64(stoa_scaleoffset_encode(&so, (const uint8_t[]){10, 17}, out), SO_HEADER + 1);
    CHECK_U64(stoa_scaleoffset_encode(&so, (const uint8_t[]){10, 18}, out), 0);
    variety.has_fill = true; /* its code is 7 */
    so = so_of(&variety, 2, STOA_SIMD_SCALAR);
    CHECK_U64(stoa_scaleoffset_encode(&so, (const uint8_t[]){10, 16}, out), SO_HEADER + 1);
    CHECK_U64(stoa_scaleoffset_encode(&so, (const uint8_t[]){10, 17}, out), 0);
}

static void as_many_bits_as_the_type_has_leave_the_values_as_they_are(void)
{
    const so_variety variety = {.size = 2, .bits = 16, .is_big_endian = true};
    const stoa_scaleoffset so = so_of(&variety, 2, STOA_SIMD_SCALAR);
    uint8_t out[64];

    CHECK_U64(stoa_scaleoffset_encode(&so, (const uint8_t *)"abcd", out), 4);
    CHECK_MEM(out, "abcd", 4);
    CHECK(stoa_scaleoffset_decode(&so, (const uint8_t *)"abcd", 4, out));
    CHECK_MEM(out, "abcd", 4);
    CHECK(stoa_scaleoffset_decode_range(&so, (const uint8_t *)"abcd", 4, 1, 1, out));
    CHECK_MEM(out, "cd", 2);
    CHECK(!stoa_scaleoffset_decode(&so, (const uint8_t *)"abcd", 3, out));
}

static void client_data_say_what_the_dataset_does(void)
{
    const so_variety variety = {.size = 8,
                                .bits = 11,
                                .is_signed = true,
                                .is_big_endian = true,
                                .has_fill = true,
                                .fill = UINT64_C(0xfedcba9876543210)};
    const hid_t file = so_file();
    const hid_t dataset = so_dataset(file, &variety, 5);
    const stoa_filter filter = so_filter(dataset);
    stoa_scaleoffset so;

    CHECK_U64(filter.id, STOA_FILTER_SCALEOFFSET);
    CHECK(stoa_scaleoffset_of(&filter, 40, STOA_SIMD_AVX2, &so));
    CHECK_U64(so.n, 5);
    CHECK_U64(so.size, 8);
    CHECK_U64(so.bits, 11);
    CHECK(so.is_signed && so.is_big_endian && so.has_fill);
    CHECK_U64(so.fill, UINT64_C(0xfedcba9876543210));
    CHECK_U64(so.simd, STOA_SIMD_AVX2);
    CHECK(!stoa_scaleoffset_of(&filter, 39, STOA_SIMD_AVX2, &so));
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Fclose(file));
}

static void client_data_that_make_no_sense_are_refused(void)
{
    /* type, factor, values, class, size, sign, order, fill or not */
    const stoa_filter good = {
        .id = STOA_FILTER_SCALEOFFSET, .n_values = 20, .values = {2, 0, 10, 0, 4, 1, 0, 1}};
    const struct {
        int place;
        uint32_t value;
    } bad[] = {{0, 0}, {0, 1}, {0, 3}, {1, 33}, {1, INT32_MAX},  {2, 0}, {2, 9}, {2, UINT32_MAX},
               {3, 1}, {4, 0}, {4, 3}, {4, 16}, {4, UINT32_MAX}, {5, 2}, {6, 2}, {7, 2}};
    stoa_scaleoffset so;

    CHECK(stoa_scaleoffset_of(&good, 40, STOA_SIMD_SCALAR, &so));
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        stoa_filter filter = good;
        filter.values[bad[i].place] = bad[i].value;
        if (stoa_scaleoffset_of(&filter, 40, STOA_SIMD_SCALAR, &so)) {
            FAIL("value %d may not be %u", bad[i].place, bad[i].value);
        }
    }
    stoa_filter filter = good;
    filter.n_values = 19;
    CHECK(!stoa_scaleoffset_of(&filter, 40, STOA_SIMD_SCALAR, &so));
    filter = good;
    filter.values[1] = (uint32_t)-5; /* libhdf5 takes it for 0 */
    CHECK(stoa_scaleoffset_of(&filter, 40, STOA_SIMD_SCALAR, &so));
    CHECK_U64(so.bits, 0);
}

static void a_chunk_that_is_cut_short_is_refused(void)
{
    const stoa_scaleoffset so = so_of(&small, 3, STOA_SIMD_SCALAR);
    uint8_t out[6];

    for (size_t n = 0; n < sizeof three_stored; n++) {
        uint8_t *part = malloc(n + 1); /* of n bytes alone, for the sanitizers */
        uint8_t *exact = realloc(part, n > 0 ? n : 1);
        memcpy(exact, three_stored, n);
        CHECK(!stoa_scaleoffset_decode(&so, exact, n, out));
        CHECK(!stoa_scaleoffset_decode_range(&so, exact, n, 0, 1, out));
        free(exact);
    }
}

static void more_bits_than_the_type_has_are_refused(void)
{
    const stoa_scaleoffset so = so_of(&small, 3, STOA_SIMD_SCALAR);
    const uint8_t bad[][4] = {{17},      {64},         {255},           {7, 1},
                              {7, 0, 1}, {7, 0, 0, 1}, {7, 0, 0, 0x80}, {255, 255, 255, 255}};
    uint8_t stored[256] = {0};
    uint8_t out[6];

    memcpy(stored, three_stored, sizeof three_stored);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        memcpy(stored, bad[i], 4);
        CHECK(!stoa_scaleoffset_decode(&so, stored, sizeof stored, out));
    }
}

static void the_least_value_may_take_up_fewer_bytes(void)
{
    const stoa_scaleoffset so = so_of(&small, 3, STOA_SIMD_SCALAR);
    uint8_t stored[sizeof three_stored];
    uint8_t out[6];

    memcpy(stored, three_stored, sizeof stored);
    stored[4] = 1;
    stored[6] = 99; /* not a part of it */
    CHECK(stoa_scaleoffset_decode(&so, stored, sizeof stored, out));
    CHECK_U64(so_get(&small, out, 0), 3);
    stored[4] = 16; /* of which 8 count */
    CHECK(stoa_scaleoffset_decode(&so, stored, sizeof stored, out));
    CHECK_U64(so_get(&small, out, 0), 3 + 99 * 256);
}

TEST_MAIN(TEST(three_values_are_what_was_worked_out_by_hand),
          TEST(a_fill_is_all_ones_and_the_least_value_keeps_its_sign),
          TEST(no_bits_are_one_value_or_nothing_but_fills),
          TEST(values_over_the_whole_type_are_not_encoded_but_decoded),
          TEST(bits_that_are_too_few_are_not_used),
          TEST(as_many_bits_as_the_type_has_leave_the_values_as_they_are),
          TEST(client_data_say_what_the_dataset_does),
          TEST(client_data_that_make_no_sense_are_refused),
          TEST(a_chunk_that_is_cut_short_is_refused), TEST(more_bits_than_the_type_has_are_refused),
          TEST(the_least_value_may_take_up_fewer_bytes))
