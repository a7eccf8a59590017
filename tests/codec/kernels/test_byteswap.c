/* Elements in the other byte order, for src/codec/kernels/byteswap*.c. */
#include "codec/kernels/byteswap.h"

#include <string.h>

#include "codec/kit.h"

enum { MOST = 300, MAX_BYTES = MOST * 16 };

static void check_swap(size_t n, size_t size, stoa_simd simd)
{
    static uint8_t in[MAX_BYTES];
    guarded out = guarded_new(n * size);

    for (size_t i = 0; i < n * size; i++) {
        in[i] = (uint8_t)check_random();
    }
    stoa_byteswap(out.bytes, in, n, size, simd);
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < size; k++) {
            CHECK_U64(out.bytes[i * size + k], in[i * size + size - 1 - k]);
        }
    }
    stoa_byteswap(out.bytes, out.bytes, n, size, simd);
    CHECK_MEM(out.bytes, in, n * size);
    guarded_end(&out);
}

static void bytes_are_reversed_there_and_in_place(void)
{
    static const size_t sizes[] = {1, 2, 3, 4, 5, 8, 9, 16};
    static const size_t counts[] = {0, 1, 3, 15, 16, 17, 31, 32, 64, 65, 299};

    for (EACH_SIMD(simd)) {
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
            for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
                check_swap(counts[c], sizes[s], simd);
            }
        }
    }
}

TEST_MAIN(TEST(bytes_are_reversed_there_and_in_place))
