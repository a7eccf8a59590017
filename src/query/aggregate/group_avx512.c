/* Group kernels for AVX-512. */
#include <immintrin.h>

#include "query/aggregate/group_kernels.h"

/* The low byte of each of 64 numbers, shifted down. */
static inline __m512i bytes_of(const __m512i *numbers, unsigned shift)
{
    const __m128i a = _mm512_cvtepi32_epi8(_mm512_srli_epi32(numbers[0], shift));
    const __m128i b = _mm512_cvtepi32_epi8(_mm512_srli_epi32(numbers[1], shift));
    const __m128i c = _mm512_cvtepi32_epi8(_mm512_srli_epi32(numbers[2], shift));
    const __m128i d = _mm512_cvtepi32_epi8(_mm512_srli_epi32(numbers[3], shift));
    const __m512i low = _mm512_inserti32x4(_mm512_castsi128_si512(a), b, 1);

    return _mm512_inserti32x4(_mm512_inserti32x4(low, c, 2), d, 3);
}

/* The set has 128 bytes, which fit two registers. Bits 3 to 9 of a number select the byte, bits
 * 0 to 2 the bit. */
static uint64_t unknown(const uint32_t *numbers, const uint64_t *set)
{
    const __m512i powers = _mm512_set1_epi64((long long)0x8040201008040201u);
    const __m512i low_bits = _mm512_set1_epi8(7);
    __m512i all[4];

    for (size_t i = 0; i < 4; i++) {
        all[i] = _mm512_loadu_si512(numbers + 16 * i);
    }
    const __m512i known = _mm512_permutex2var_epi8(_mm512_loadu_si512(set), bytes_of(all, 3),
                                                   _mm512_loadu_si512(set + 8));
    const __m512i bit = _mm512_shuffle_epi8(powers, _mm512_and_si512(bytes_of(all, 0), low_bits));
    return _mm512_testn_epi8_mask(known, bit);
}

#include "query/aggregate/group_loops.h"

const stoa_group_kernels stoa_group_kernels_avx512 = STOA_GROUP_KERNELS;
