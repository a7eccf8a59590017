/* The codecs of waveforms, src/codec/kernels/waveform*.c: rows worked out by hand (LH5 notes §6),
 * damage.
 */
#include "codec/kernels/waveform.h"

#include <stdlib.h>
#include <string.h>

#include "support/check.h"

static const stoa_waveform_kernels *kernels(stoa_simd simd)
{
    return stoa_waveform_kernels_of(simd);
}

/* Samples of a row, and the row as hexadecimal digits. */
typedef struct example {
    const char *row;
    size_t n;
    int32_t samples[12];
    int32_t shift;
} example;

static const example uleb128_examples[] = {
    {"", 0, {0}, 0},
    {"0a", 1, {5}, 0},
    {"0000", 2, {0, 0}, 0},
    {"0102", 2, {-1, 0}, 0},
    {"7e8001ff01", 3, {63, 127, -1}, 0},
    {"8001", 1, {64}, 0},
    {"c801020300"
     "8d03",
     5,
     {100, 101, 99, 99, -100},
     0},
    {"a0d6010039ea1a", 4, {13712, 13712, 13683, 15400}, 0},
    {"feff07fdff07", 2, {65535, 0}, 0},
    {"ffff03feff07", 2, {-32768, 32767}, 0},
    {"feffffff0f02", 2, {INT32_MAX, INT32_MIN}, 0},
};

/* Without the word that may follow for alignment, where it does. */
static const example sigcompress_examples[] = {
    {"0000"
     "0000",
     0,
     {0},
     0},
    {"0001"
     "0001002200053e80"
     "0000",
     1,
     {5},
     0},
    {"0002"
     "0002000200050000"
     "0000",
     2,
     {5, 5},
     0},
    {"0003"
     "00030022000100010000",
     3,
     {1, 2, 3},
     0},
    {"0005"
     "00050002000a2700"
     "0000",
     5,
     {10, 12, 11, 13, 10},
     0},
    {"0006"
     "0006000300001c71c000",
     6,
     {0, 7, 0, 7, 0, 7},
     0},
    {"0002"
     "0002002c00003e80fa00",
     2,
     {0, 20000},
     0},
    {"0002"
     "0002002c4e20b1e00000",
     2,
     {20000, 0},
     0},
    {"0002"
     "0002003080003e80c17f",
     2,
     {-32768, 32767},
     0},
    {"0004"
     "0004001080000000ffff80000001",
     4,
     {0, 65535, 32768, 1},
     -32768},
    {"0004"
     "0004000bb57303a074006b50"
     "0000",
     4,
     {13712, 13712, 13683, 15400},
     -32768},
    {"000c"
     "000c00250000000100886429"
     "8e84a800"
     "0000",
     12,
     {0, 1, 4, 9, 16, 25, 36, 49, 64, 81, 100, 121},
     0},
};

static size_t bytes_of(const char *hex, uint8_t *bytes)
{
    size_t n = 0;

    for (; *hex != '\0'; hex += 2) {
        const char pair[3] = {hex[0], hex[1], '\0'};
        bytes[n++] = (uint8_t)strtoul(pair, NULL, 16);
    }
    return n;
}

static void uleb128_rows_are_what_was_worked_out_by_hand(void)
{
    for (size_t i = 0; i < sizeof uleb128_examples / sizeof *uleb128_examples; i++) {
        const example *const e = &uleb128_examples[i];
        uint8_t row[64];
        uint8_t made[64];
        int32_t samples[12];
        const size_t n_bytes = bytes_of(e->row, row);
        CHECK_U64(stoa_uleb128_do(e->samples, e->n, made), n_bytes);
        CHECK_MEM(made, row, n_bytes);
        CHECK(kernels(STOA_SIMD_SCALAR)->undo_uleb128(row, n_bytes, samples, e->n) == NULL);
        CHECK_MEM(samples, e->samples, e->n * sizeof *samples);
    }
}

static void sigcompress_rows_are_what_was_worked_out_by_hand(void)
{
    for (size_t i = 0; i < sizeof sigcompress_examples / sizeof *sigcompress_examples; i++) {
        const example *const e = &sigcompress_examples[i];
        uint8_t row[64];
        uint8_t made[64];
        int32_t samples[12];
        size_t n_made = 0;
        const size_t n_bytes = bytes_of(e->row, row);
        CHECK(stoa_sigcompress_do(e->samples, e->n, e->shift, made, &n_made) == NULL);
        CHECK_U64(n_made, n_bytes);
        CHECK_MEM(made, row, n_bytes);
        CHECK(kernels(STOA_SIMD_SCALAR)->undo_sigcompress(row, n_bytes, e->shift, samples, e->n) ==
              NULL);
        CHECK_MEM(samples, e->samples, e->n * sizeof *samples);
    }
}

static void long_blocks_end_where_a_sample_does_not_fit_and_after_128(void)
{
    int32_t samples[129];
    uint8_t row[1000];
    uint8_t expected[64];
    size_t n_bytes = 0;

    for (size_t i = 0; i < 129; i++) {
        samples[i] = 7;
    }
    CHECK(stoa_sigcompress_do(samples, 129, 0, row, &n_bytes) == NULL);
    CHECK_U64(n_bytes, 2 * (1 + 3 + 16 + 4));
    (void)bytes_of("0081008000020007", expected);
    CHECK_MEM(row, expected, 8);
    (void)bytes_of("0001002200073e80", expected);
    CHECK_MEM(row + 8 + 32, expected, 8);

    for (size_t i = 0; i < 50; i++) {
        samples[i] = 100;
    }
    samples[50] = 4000;
    CHECK(stoa_sigcompress_do(samples, 51, 0, row, &n_bytes) == NULL);
    (void)bytes_of("0033003200020064", expected);
    CHECK_MEM(row, expected, 8);
    (void)bytes_of("000100220fa03e800000", expected);
    CHECK_MEM(row + 8 + 14, expected, 10);

    for (size_t i = 0; i < 50; i++) {
        samples[i] = i < 40 ? 0 : 3;
    }
    CHECK(stoa_sigcompress_do(samples, 50, 0, row, &n_bytes) == NULL);
    CHECK_U64(n_bytes, 24);
    CHECK_U64(bytes_of("003200320002000000000000000000000000fffff0000000", expected), 24);
    CHECK_MEM(row, expected, 24);
}

static void what_sigcompress_does_not_hold_is_refused(void)
{
    int32_t *const samples = calloc(32768, sizeof *samples);
    uint8_t *const row = malloc(stoa_sigcompress_bound(32768));
    size_t n_bytes = 0;

    CHECK(samples != NULL && row != NULL);
    CHECK_CONTAINS(stoa_sigcompress_do(samples, 32768, 0, row, &n_bytes), "32767 samples");
    CHECK(stoa_sigcompress_do(samples, 32767, 0, row, &n_bytes) == NULL);
    samples[3] = 40000;
    CHECK_CONTAINS(stoa_sigcompress_do(samples, 4, 0, row, &n_bytes), "beyond 16 bits");
    CHECK(stoa_sigcompress_do(samples, 4, -32768, row, &n_bytes) == NULL);
    free(samples);
    free(row);
}

static void check_answer(bool is_uleb128, const char *hex, size_t n, const char *expected)
{
    uint8_t bytes[128];
    int32_t samples[128];
    const size_t n_bytes = bytes_of(hex, bytes);
    const stoa_simd best = stoa_simd_of_cpu();

    for (stoa_simd simd = STOA_SIMD_SCALAR; simd <= best; simd++) {
        const char *const found =
            is_uleb128 ? kernels(simd)->undo_uleb128(bytes, n_bytes, samples, n)
                       : kernels(simd)->undo_sigcompress(bytes, n_bytes, 0, samples, n);
        CHECK_CONTAINS(found != NULL ? found : "fine", expected);
    }
}

static void damaged_rows_are_told(void)
{
    check_answer(true, "0a80", 2, "ends within a number");
    check_answer(true, "0a", 2, "ends before its last sample");
    check_answer(true, "0a00", 1, "goes on behind its last sample");
    check_answer(true, "8080808080808080808000", 1, "more than ten bytes");
    check_answer(true, "80808080808080808000", 1, "fine"); /* of ten bytes, and 0 */
    check_answer(true, "0a8000", 2, "fine");               /* longer than it need be */

    check_answer(false, "", 0, "no sequence of 16-bit words");
    check_answer(false, "000100", 1, "no sequence of 16-bit words");
    check_answer(false, "0002", 1, "another number of samples");
    check_answer(false, "0001", 1, "damaged or cut short");
    check_answer(false, "000100010022", 1, "damaged or cut short"); /* within a header */
    check_answer(false,
                 "0001000000220005"
                 "3e80",
                 1, "damaged"); /* no samples */
    check_answer(false,
                 "0001000200220005"
                 "3e80",
                 1, "damaged"); /* too many */
    check_answer(false,
                 "0001000100010005"
                 "3e80",
                 1, "damaged"); /* width 1 */
    check_answer(false,
                 "0001000100310005"
                 "3e80",
                 1, "damaged"); /* width 17 */
    check_answer(false,
                 "0001000100110005"
                 "3e80",
                 1, "damaged"); /* and absolute */
    check_answer(false,
                 "0003000300100005"
                 "00010002",
                 3, "cut short"); /* fields */
    check_answer(false,
                 "0001000100220005"
                 "3e80e947",
                 1, "fine"); /* garbage behind */
    check_answer(false,
                 "0001000100220005"
                 "3e8000000000",
                 1, "goes on"); /* too much of it */
}

TEST_MAIN(TEST(uleb128_rows_are_what_was_worked_out_by_hand),
          TEST(sigcompress_rows_are_what_was_worked_out_by_hand),
          TEST(long_blocks_end_where_a_sample_does_not_fit_and_after_128),
          TEST(what_sigcompress_does_not_hold_is_refused), TEST(damaged_rows_are_told))
