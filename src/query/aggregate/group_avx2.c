/* Group kernels for AVX2. */
#include <immintrin.h>

#include "query/aggregate/group_kernels.h"

static uint64_t unknown(const uint32_t *numbers, const uint64_t *set)
{
    const __m256i low_bits = _mm256_set1_epi32(31);
    uint64_t bits = 0;

    for (int i = 0; i < 64; i += 8) {
        const __m256i eight = _mm256_loadu_si256((const void *)(numbers + i));
        const __m256i words =
            _mm256_i32gather_epi32((const void *)set, _mm256_srli_epi32(eight, 5), 4);
        /* Shift the number's bit to the sign position. */
        const __m256i up = _mm256_sub_epi32(low_bits, _mm256_and_si256(eight, low_bits));
        const int known = _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_sllv_epi32(words, up)));
        bits |= (uint64_t)(~known & 0xff) << i;
    }
    return bits;
}

#include "query/aggregate/group_loops.h"

const stoa_group_kernels stoa_group_kernels_avx2 = STOA_GROUP_KERNELS;
