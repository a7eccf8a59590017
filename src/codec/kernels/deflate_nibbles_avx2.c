/* Decodes 64 4-bit codes at a time with AVX2: each code is an index into a register. */
#include <immintrin.h>

#include "codec/kernels/deflate_nibbles.h"

static inline __m256i load(const uint8_t *from)
{
    return _mm256_loadu_si256((const __m256i *)from);
}

bool stoa_nibbles_look_up_avx2(const uint8_t *in, unsigned shift, const uint8_t bytes[16],
                               uint8_t *out)
{
    const __m256i table = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)bytes));
    const __m256i nibble = _mm256_set1_epi8(15);
    const __m256i of_first = _mm256_set1_epi8((char)(0xff >> shift));
    const __m128i right = _mm_cvtsi32_si128((int)shift);
    const __m128i left = _mm_cvtsi32_si128((int)(8 - shift));
    __m256i ends = _mm256_setzero_si256();

    for (size_t i = 0; i < STOA_NIBBLES / 2; i += 32) {
        const __m256i first = _mm256_and_si256(_mm256_srl_epi16(load(in + i), right), of_first);
        const __m256i next =
            _mm256_andnot_si256(of_first, _mm256_sll_epi16(load(in + i + 1), left));
        const __m256i two = _mm256_or_si256(first, next);
        const __m256i low = _mm256_and_si256(two, nibble);
        const __m256i high = _mm256_and_si256(_mm256_srli_epi16(two, 4), nibble);
        const __m256i a = _mm256_shuffle_epi8(table, low);
        const __m256i b = _mm256_shuffle_epi8(table, high);
        const __m256i even = _mm256_unpacklo_epi8(a, b);
        const __m256i odd = _mm256_unpackhi_epi8(a, b);

        ends = _mm256_or_si256(
            ends, _mm256_or_si256(_mm256_cmpeq_epi8(low, nibble), _mm256_cmpeq_epi8(high, nibble)));
        _mm256_storeu_si256((__m256i *)(out + 2 * i), _mm256_permute2x128_si256(even, odd, 0x20));
        _mm256_storeu_si256((__m256i *)(out + 2 * i + 32),
                            _mm256_permute2x128_si256(even, odd, 0x31));
    }
    return _mm256_testz_si256(ends, ends) != 0;
}
