/* Byte swapping with AVX2, 32 bytes at a time. */
#include <immintrin.h>

#include "codec/kernels/byteswap.h"

size_t stoa_byteswap_avx2(uint8_t *out, const uint8_t *in, size_t n, size_t size)
{
    const __m128i two = _mm_setr_epi8(1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14);
    const __m128i four = _mm_setr_epi8(3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12);
    const __m128i eight = _mm_setr_epi8(7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8);
    const __m256i order = _mm256_broadcastsi128_si256(size == 2 ? two : size == 4 ? four : eight);
    const size_t n_bytes = n * size / 32 * 32;

    for (size_t i = 0; i < n_bytes; i += 32) {
        const __m256i x = _mm256_loadu_si256((const __m256i *)(in + i));
        _mm256_storeu_si256((__m256i *)(out + i), _mm256_shuffle_epi8(x, order));
    }
    return n_bytes / size;
}
