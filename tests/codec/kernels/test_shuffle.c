/* Bytes and bits of elements sorted by their place, for src/codec/kernels/shuffle*.c. */
#include "codec/kernels/shuffle.h"

#include <stdlib.h>
#include <string.h>

#include "codec/kit.h"

static const size_t sizes[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 15, 16, 17, 23, 24, 31, 41};
static const size_t counts[] = {0, 1, 2, 7, 8, 31, 32, 33, 63, 64, 65, 100, 127, 129, 1000, 5003};

static void check_shuffle(size_t n, size_t size, stoa_simd simd)
{
    guarded planes = guarded_new(n * size);
    guarded back = guarded_new(n * size);
    uint8_t *elements = malloc(n * size + 1);
    uint8_t *expected = malloc(n * size + 1);

    CHECK(elements != NULL && expected != NULL);
    for (size_t i = 0; i < n * size; i++) {
        elements[i] = (uint8_t)check_random();
    }
    naive_shuffle(expected, elements, n, size);
    stoa_shuffle(planes.bytes, elements, n, size, simd);
    CHECK_MEM(planes.bytes, expected, n * size);
    stoa_unshuffle(back.bytes, expected, n, size, simd);
    CHECK_MEM(back.bytes, elements, n * size);
    guarded_end(&planes);
    guarded_end(&back);
    free(elements);
    free(expected);
}

static void every_kernel_shuffles_as_defined(void)
{
    for (EACH_SIMD(simd)) {
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
            for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
                check_shuffle(counts[c], sizes[s], simd);
            }
        }
    }
}

/* Nothing is aligned, and planes need not lie side by side. */
static void planes_may_lie_anywhere(void)
{
    enum { N = 200, APART = 331 };
    static uint8_t planes[8 * APART + 1];
    static uint8_t elements[N * 11 + 3];
    static uint8_t split[8 * APART + 1];

    for (size_t i = 0; i < sizeof planes; i++) {
        planes[i] = (uint8_t)check_random();
    }
    for (EACH_SIMD(simd)) {
        const stoa_shuffle_kernels *kernels = stoa_shuffle_kernels_of(simd);
        memset(elements, 0x5a, sizeof elements);
        kernels->join8(elements + 3, 11, planes + 1, APART, N);
        for (size_t i = 0; i < N; i++) {
            for (size_t k = 0; k < 11; k++) {
                CHECK_U64(elements[3 + i * 11 + k], k < 8 ? planes[1 + k * APART + i] : 0x5a);
            }
        }
        memset(split, 0x5a, sizeof split);
        kernels->split8(split + 1, APART, elements + 3, 11, N);
        for (size_t i = 0; i + 1 < sizeof split; i++) {
            CHECK_U64(split[1 + i], i % APART < N ? planes[1 + i] : 0x5a);
        }
    }
}

static void every_kernel_transposes_bits_as_defined(void)
{
    enum { N = 200 };
    uint8_t bytes[N * 8];
    uint8_t transposed[N * 8];

    for (EACH_SIMD(simd)) {
        for (size_t n = 0; n <= N; n++) {
            for (size_t i = 0; i < sizeof bytes; i++) {
                bytes[i] = transposed[i] = (uint8_t)check_random();
            }
            stoa_shuffle_kernels_of(simd)->transpose_bits(transposed, n * 8);
            for (size_t i = 0; i < N; i++) {
                for (size_t bit = 0; i < n && bit < 64; bit++) {
                    CHECK_U64(transposed[i * 8 + bit % 8] >> (bit / 8) & 1,
                              bytes[i * 8 + bit / 8] >> (bit % 8) & 1);
                }
            }
            CHECK_MEM(transposed + n * 8, bytes + n * 8, (N - n) * 8);
        }
    }
}

TEST_MAIN(TEST(every_kernel_shuffles_as_defined), TEST(planes_may_lie_anywhere),
          TEST(every_kernel_transposes_bits_as_defined))
