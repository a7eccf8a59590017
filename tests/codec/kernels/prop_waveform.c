/*
 * The codecs of waveforms: what is packed comes back, and every instruction set says the same of
 * every row, sound or damaged. Rows and samples lie in blocks of just their size.
 */
#include <stdlib.h>
#include <string.h>

#include "codec/kernels/waveform.h"
#include "support/check.h"

enum { MAX_ROW_LENGTH = 70000, MAX_SIGCOMPRESS_LENGTH = 32767 };

typedef const char *undo(const stoa_waveform_kernels *kernels, const uint8_t *row, size_t n_bytes,
                         int32_t shift, int32_t *samples, size_t n);

static const char *undo_uleb128(const stoa_waveform_kernels *kernels, const uint8_t *row,
                                size_t n_bytes, int32_t shift, int32_t *samples, size_t n)
{
    (void)shift;
    return kernels->undo_uleb128(row, n_bytes, samples, n);
}

static const char *undo_sigcompress(const stoa_waveform_kernels *kernels, const uint8_t *row,
                                    size_t n_bytes, int32_t shift, int32_t *samples, size_t n)
{
    return kernels->undo_sigcompress(row, n_bytes, shift, samples, n);
}

/* A copy with not a byte behind it; of nothing, an address all the same. */
static void *copy_of(const void *from, size_t size)
{
    void *const copy = malloc(size + 1);

    CHECK(copy != NULL);
    if (size > 0) {
        memcpy(copy, from, size);
    }
    return realloc(copy, size > 0 ? size : 1);
}

static size_t some_length(size_t most)
{
    static const size_t shapes[] = {0, 1, 2, 15, 16, 17, 47, 48, 49, 127, 128, 129, 1400};
    const uint64_t shape = check_random_below(20);

    if (shape < sizeof shapes / sizeof *shapes) {
        return shapes[shape];
    }
    return check_random_below(10) == 0 ? most - check_random_below(3)
                                       : check_random_below(shape == 19 ? 5000 : 300);
}

/* A walk in [low, high]: constant, noise around a level, steps of a few sizes, or anything. */
static int32_t *some_samples(size_t n, int64_t low, int64_t high)
{
    static const int64_t steepness[] = {0, 1, 3, 60, 70, 500, 9000, 20000, 1 << 22};
    const uint64_t kind = check_random_below(10);
    int32_t *const samples = malloc(n * sizeof *samples + 1);
    int64_t x = low + (int64_t)check_random_below((uint64_t)(high - low) + 1);

    CHECK(samples != NULL);
    for (size_t i = 0; i < n; i++) {
        if (kind == 9 || check_random_below(200) == 0) {
            x = low + (int64_t)check_random_below((uint64_t)(high - low) + 1);
        } else {
            const int64_t most = steepness[kind];
            x += (int64_t)check_random_below(2 * (uint64_t)most + 1) - most;
            x = x < low ? low : x > high ? high : x;
        }
        samples[i] = (int32_t)x;
    }
    return samples;
}

/* What each instruction set says of a row, which is what the first one says. */
static const char *agreed(undo *way, const uint8_t *row, size_t n_bytes, int32_t shift, size_t n,
                          int32_t *samples)
{
    const stoa_simd best = stoa_simd_of_cpu();
    const char *const answer = way(&stoa_waveform_scalar, row, n_bytes, shift, samples, n);

    for (stoa_simd simd = STOA_SIMD_SCALAR + 1; simd <= best; simd++) {
        int32_t *const others = malloc(n * sizeof *others + 1);
        CHECK(others != NULL);
        const char *const other =
            way(stoa_waveform_kernels_of(simd), row, n_bytes, shift, others, n);
        CHECK_STR(other != NULL ? other : "fine", answer != NULL ? answer : "fine");
        if (answer == NULL) {
            CHECK_MEM(others, samples, n * sizeof *others);
        }
        free(others);
    }
    return answer;
}

static void damage(undo *way, const uint8_t *row, size_t n_bytes, int32_t shift, size_t n)
{
    int32_t *const samples = malloc((n + 3) * sizeof *samples);
    const size_t n_kept = check_random_below(3) == 0 ? check_random_below(n_bytes + 1) : n_bytes;
    uint8_t *const bytes = copy_of(row, n_kept);

    CHECK(samples != NULL);
    for (uint64_t i = check_random_below(4); i > 0 && n_kept > 0; i--) {
        bytes[check_random_below(n_kept)] ^= (uint8_t)(1U << check_random_below(8));
    }
    (void)agreed(way, bytes, n_kept, shift, n + check_random_below(3), samples);
    free(bytes);
    free(samples);
}

static void uleb128_brings_back_every_row(void)
{
    for (uint64_t i = check_n_cases(2000); i > 0; i--) {
        const size_t n = some_length(MAX_ROW_LENGTH);
        int32_t *const samples = check_random_below(2) == 0 ? some_samples(n, INT32_MIN, INT32_MAX)
                                                            : some_samples(n, 0, UINT16_MAX);
        int32_t *const found = malloc(n * sizeof *found + 1);
        uint8_t *const packed = malloc(stoa_uleb128_bound(n) + 1);
        CHECK(packed != NULL && found != NULL);
        const size_t n_bytes = stoa_uleb128_do(samples, n, packed);
        CHECK(n_bytes <= stoa_uleb128_bound(n));
        uint8_t *const row = copy_of(packed, n_bytes);
        CHECK(agreed(undo_uleb128, row, n_bytes, 0, n, found) == NULL);
        CHECK_MEM(found, samples, n * sizeof *found);
        damage(undo_uleb128, row, n_bytes, 0, n);
        free(row);
        free(packed);
        free(found);
        free(samples);
    }
}

static void sigcompress_brings_back_every_row(void)
{
    for (uint64_t i = check_n_cases(2000); i > 0; i--) {
        const size_t n = some_length(MAX_SIGCOMPRESS_LENGTH);
        const int32_t shift = (int32_t)check_random_below(3) * 32768 - 32768;
        int32_t *const samples = some_samples(n, INT16_MIN - shift, INT16_MAX - shift);
        int32_t *const found = malloc(n * sizeof *found + 1);
        uint8_t *const packed = malloc(stoa_sigcompress_bound(n));
        size_t n_bytes = 0;
        CHECK(packed != NULL && found != NULL);
        CHECK(stoa_sigcompress_do(samples, n, shift, packed, &n_bytes) == NULL);
        CHECK(n_bytes <= stoa_sigcompress_bound(n));
        uint8_t *const row = copy_of(packed, n_bytes);
        CHECK(agreed(undo_sigcompress, row, n_bytes, shift, n, found) == NULL);
        CHECK_MEM(found, samples, n * sizeof *found);
        damage(undo_sigcompress, row, n_bytes, shift, n);
        free(row);
        free(packed);
        free(found);
        free(samples);
    }
}

TEST_MAIN(TEST(uleb128_brings_back_every_row), TEST(sigcompress_brings_back_every_row))
