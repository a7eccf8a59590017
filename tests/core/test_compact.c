/* Moving the chosen elements together, for src/core/compact_*.c: every instruction set, width,
 * length and tail against one element after the other; blocks of their own length show what is
 * touched. */
#include <stdlib.h>
#include <string.h>

#include "core/compact.h"
#include "core/memory.h"
#include "support/check.h"

enum { MOST = 330 };

static const size_t sizes[] = {1, 2, 4, 8};

static void *block(size_t n)
{
    uint8_t *bytes = stoa_alloc(n != 0 ? n : 1, 1);

    CHECK(bytes != NULL);
    return bytes;
}

/* `share` of 256 bits are set; bits past n are, too, and must not count. */
static void choose_randomly(uint8_t *bits, uint64_t n, uint64_t share)
{
    memset(bits, 0, (size_t)stoa_bit_bytes(n));
    for (uint64_t i = 0; i < 8 * stoa_bit_bytes(n); i++) {
        if (i >= n || check_random_below(256) < share) {
            stoa_bit_set(bits, i);
        }
    }
}

static void check_compact(stoa_simd simd, size_t size, uint64_t n, uint64_t share)
{
    uint8_t *elements = block((size_t)n * size);
    uint8_t *bits = block((size_t)stoa_bit_bytes(n));
    uint8_t *expected = block((size_t)n * size);
    uint64_t n_expected = 0;

    for (size_t i = 0; i < (size_t)n * size; i++) {
        elements[i] = (uint8_t)check_random();
    }
    choose_randomly(bits, n, share);
    for (uint64_t i = 0; i < n; i++) {
        if (stoa_bit_get(bits, i)) {
            memcpy(expected + n_expected++ * size, elements + i * size, size);
        }
    }
    uint8_t *out = block((size_t)n_expected * size);
    stoa_compact *compact = stoa_compact_kernels_of(simd)->by_width[stoa_compact_place(size)];
    CHECK_U64(compact(elements, bits, n, out), n_expected);
    CHECK_MEM(out, expected, (size_t)n_expected * size);
    free(elements);
    free(bits);
    free(expected);
    free(out);
}

static void the_chosen_stand_together(void)
{
    static const uint64_t shares[] = {0, 1, 25, 60, 128, 230, 256};

    for (int simd = 0; simd <= (int)stoa_simd_of_cpu(); simd++) {
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
            for (uint64_t n = 0; n <= MOST; n++) {
                for (size_t k = 0; k < sizeof shares / sizeof shares[0]; k++) {
                    check_compact((stoa_simd)simd, sizes[s], n, shares[k]);
                }
            }
        }
    }
}

static void a_chosen_row_among_words_of_others_is_found(void)
{
    enum { N = 64 * 40 };
    static uint32_t elements[N];
    uint8_t bits[N / 8];
    uint32_t out[1];

    for (uint32_t i = 0; i < N; i++) {
        elements[i] = i * 7;
    }
    for (int simd = 0; simd <= (int)stoa_simd_of_cpu(); simd++) {
        for (uint32_t i = 0; i < N; i += 61) {
            memset(bits, 0, sizeof bits);
            stoa_bit_set(bits, i);
            CHECK_U64(stoa_compact_kernels_of((stoa_simd)simd)->by_width[2](elements, bits, N, out),
                      1);
            CHECK_U64(out[0], i * 7);
        }
    }
}

static void other_widths_have_no_loop(void)
{
    CHECK_I64(stoa_compact_place(3), -1);
    CHECK_I64(stoa_compact_place(16), -1);
    CHECK_I64(stoa_compact_place(8), 3);
}

TEST_MAIN(TEST(the_chosen_stand_together), TEST(a_chosen_row_among_words_of_others_is_found),
          TEST(other_widths_have_no_loop))
