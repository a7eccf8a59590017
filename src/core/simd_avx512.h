/* The operations of core/simd_avx2.h for AVX-512 with VBMI. */
#ifndef STOA_CORE_SIMD_AVX512_H
#define STOA_CORE_SIMD_AVX512_H

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#define SIMD_BYTES 64
typedef __m512i simd;
typedef __mmask64 simd_truth_8;
typedef __mmask16 simd_truth_32;
typedef __mmask8 simd_truth_64;

#define simd_load(from) _mm512_loadu_si512(from)
#define simd_store(to, x) _mm512_storeu_si512(to, x)
#define simd_splat_8(x) _mm512_set1_epi8((char)(x))
#define simd_splat_16(x) _mm512_set1_epi16((short)(x))
#define simd_splat_32(x) _mm512_set1_epi32((int)(x))
#define simd_splat_64(x) _mm512_set1_epi64((long long)(x))
#define simd_splat_f32(x) _mm512_castps_si512(_mm512_set1_ps(x))
#define simd_splat_f64(x) _mm512_castpd_si512(_mm512_set1_pd(x))

#define simd_and _mm512_and_si512
#define simd_or _mm512_or_si512
#define simd_xor _mm512_xor_si512
#define simd_sub_8 _mm512_sub_epi8
#define simd_sub_16 _mm512_sub_epi16
#define simd_sub_32 _mm512_sub_epi32
#define simd_sub_64 _mm512_sub_epi64
#define simd_mul_32 _mm512_mullo_epi32
#define simd_right_16 _mm512_srli_epi16
#define simd_right_32 _mm512_srli_epi32
#define simd_right_64 _mm512_srli_epi64
#define simd_left_16(x, n) _mm512_sll_epi16(x, _mm_cvtsi32_si128((int)(n)))
#define simd_left_32(x, n) _mm512_sll_epi32(x, _mm_cvtsi32_si128((int)(n)))
#define simd_left_64(x, n) _mm512_sll_epi64(x, _mm_cvtsi32_si128((int)(n)))
#define simd_signs_16(x) _mm512_srai_epi16(x, 15)

#define simd_zip_low _mm512_unpacklo_epi8
#define simd_zip_high _mm512_unpackhi_epi8
#define simd_look_up _mm512_shuffle_epi8

static inline simd simd_look_up_32(const uint8_t *table, simd at)
{
    const __m256i rows = _mm256_loadu_si256((const __m256i *)(const void *)table);

    return _mm512_permutexvar_epi8(at, _mm512_broadcast_i64x4(rows));
}

static inline simd simd_look_up_128(const uint8_t *table, simd at)
{
    return _mm512_permutex2var_epi8(simd_load(table), at, simd_load(table + 64));
}

static inline simd simd_fold_64(simd a, simd b)
{
    const simd lower = _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
    const simd upper = _mm512_or_si512(lower, simd_splat_32(1));

    return simd_xor(_mm512_permutex2var_epi32(a, lower, b), _mm512_permutex2var_epi32(a, upper, b));
}

static inline void simd_upper_bytes(const simd x[4], simd *fourth, simd *third)
{
    static const uint8_t ends[64] = {
        3,  7,  11, 15, 19, 23, 27, 31, 35, 39,  43,  47,  51,  55,  59,  63,
        67, 71, 75, 79, 83, 87, 91, 95, 99, 103, 107, 111, 115, 119, 123, 127,
        2,  6,  10, 14, 18, 22, 26, 30, 34, 38,  42,  46,  50,  54,  58,  62,
        66, 70, 74, 78, 82, 86, 90, 94, 98, 102, 106, 110, 114, 118, 122, 126,
    }; /* the fourth bytes of 32 numbers, then the third ones */
    const simd first = _mm512_permutex2var_epi8(x[0], simd_load(ends), x[1]);
    const simd last = _mm512_permutex2var_epi8(x[2], simd_load(ends), x[3]);

    *fourth = _mm512_shuffle_i64x2(first, last, 0x44);
    *third = _mm512_shuffle_i64x2(first, last, 0xee);
}
#define simd_in_order(truth) (truth)

#define simd_equal_8 _mm512_cmpeq_epi8_mask
#define simd_equal_16 _mm512_cmpeq_epi16_mask
#define simd_equal_32 _mm512_cmpeq_epi32_mask
#define simd_equal_64 _mm512_cmpeq_epi64_mask
#define simd_at_most_8 _mm512_cmple_epu8_mask
#define simd_at_most_16 _mm512_cmple_epu16_mask
#define simd_at_most_32 _mm512_cmple_epu32_mask
#define simd_above_64 _mm512_cmpgt_epi64_mask
#define simd_has_8(x, bit) _mm512_test_epi8_mask(x, bit)
#define simd_negative_8(x) _mm512_movepi8_mask(x)

#define simd_above_32 _mm512_cmpgt_epi32_mask
#define simd_any_32(truth) ((truth) != 0)
#define simd_lanes_32(bits) ((__mmask16)(bits))
#define simd_lanes_64(bits) ((__mmask8)(bits))
#define simd_only_32 _mm512_maskz_mov_epi32
#define simd_only_64 _mm512_maskz_mov_epi64
#define simd_min_u32 _mm512_min_epu32
#define simd_max_u32 _mm512_max_epu32

#define simd_widen_i8(from) _mm512_cvtepi8_epi64(_mm_loadu_si64(from))
#define simd_widen_u8(from) _mm512_cvtepu8_epi64(_mm_loadu_si64(from))
#define simd_widen_i16(from) _mm512_cvtepi16_epi64(_mm_loadu_si128((const void *)(from)))
#define simd_widen_u16(from) _mm512_cvtepu16_epi64(_mm_loadu_si128((const void *)(from)))
#define simd_widen_i32(from) _mm512_cvtepi32_epi64(_mm256_loadu_si256((const void *)(from)))
#define simd_widen_u32(from) _mm512_cvtepu32_epi64(_mm256_loadu_si256((const void *)(from)))
#define simd_widen_f32(from) _mm512_cvtps_pd(_mm256_loadu_ps(from))
#define simd_widen_low_f32(x) _mm512_cvtps_pd(_mm512_castps512_ps256(_mm512_castsi512_ps(x)))
#define simd_widen_high_f32(x) _mm512_cvtps_pd(_mm512_extractf32x8_ps(_mm512_castsi512_ps(x), 1))

#define simd_add_where(truth, old, x) _mm512_mask_add_epi64(old, truth, old, x)
#define simd_min_where_i64(truth, old, x) _mm512_mask_min_epi64(old, truth, x, old)
#define simd_max_where_i64(truth, old, x) _mm512_mask_max_epi64(old, truth, x, old)
/* The instruction returns its second operand if one is a NaN or both are zeros. */
#define simd_min_where_f64(truth, old, x) _mm512_mask_min_pd(old, truth, x, old)
#define simd_max_where_f64(truth, old, x) _mm512_mask_max_pd(old, truth, x, old)

static inline void simd_transpose_64(simd x[8])
{
    simd low[4];
    simd high[4];

    for (size_t i = 0; i < 4; i++) {
        low[i] = _mm512_unpacklo_epi64(x[2 * i], x[2 * i + 1]);
        high[i] = _mm512_unpackhi_epi64(x[2 * i], x[2 * i + 1]);
    }
    for (size_t i = 0; i < 2; i++) { /* then the same of lanes of 128 bits */
        const simd *const pair = i == 0 ? low : high;
        const simd a = _mm512_shuffle_i64x2(pair[0], pair[1], 0x44);
        const simd b = _mm512_shuffle_i64x2(pair[2], pair[3], 0x44);
        const simd c = _mm512_shuffle_i64x2(pair[0], pair[1], 0xee);
        const simd d = _mm512_shuffle_i64x2(pair[2], pair[3], 0xee);
        x[i] = _mm512_shuffle_i64x2(a, b, 0x88);
        x[i + 2] = _mm512_shuffle_i64x2(a, b, 0xdd);
        x[i + 4] = _mm512_shuffle_i64x2(c, d, 0x88);
        x[i + 6] = _mm512_shuffle_i64x2(c, d, 0xdd);
    }
}

/* Add even and odd lanes, and join what two vectors have. */
static inline __m512d simd_halve_f64(__m512d x, __m512d y)
{
    return _mm512_add_pd(_mm512_shuffle_f64x2(x, y, 0x88), _mm512_shuffle_f64x2(x, y, 0xdd));
}

static inline simd simd_sums_f64(const simd x[8])
{
    __m512d pairs[4]; /* each has sums of two vectors in turn */

    for (size_t i = 0; i < 4; i++) {
        const __m512d a = _mm512_castsi512_pd(x[2 * i]);
        const __m512d b = _mm512_castsi512_pd(x[2 * i + 1]);
        pairs[i] = _mm512_add_pd(_mm512_unpacklo_pd(a, b), _mm512_unpackhi_pd(a, b));
    }
    return _mm512_castpd_si512(
        simd_halve_f64(simd_halve_f64(pairs[0], pairs[1]), simd_halve_f64(pairs[2], pairs[3])));
}

static inline __mmask16 simd_between_f32(simd x, simd least, simd greatest)
{
    const __m512 values = _mm512_castsi512_ps(x);
    const __mmask16 above = _mm512_cmp_ps_mask(values, _mm512_castsi512_ps(least), _CMP_GE_OQ);

    return _mm512_mask_cmp_ps_mask(above, values, _mm512_castsi512_ps(greatest), _CMP_LE_OQ);
}

static inline __mmask8 simd_between_f64(simd x, simd least, simd greatest)
{
    const __m512d values = _mm512_castsi512_pd(x);
    const __mmask8 above = _mm512_cmp_pd_mask(values, _mm512_castsi512_pd(least), _CMP_GE_OQ);

    return _mm512_mask_cmp_pd_mask(above, values, _mm512_castsi512_pd(greatest), _CMP_LE_OQ);
}

/* Force the mask into a general register. gcc 12 spills a mask with a 32-bit store and reloads it
 * with a 64-bit load. */
static inline uint64_t simd_number_of(uint32_t mask)
{
    __asm__("" : "+r"(mask));
    return mask;
}

#define SIMD_MASK_16(T, k) (simd_number_of(T(k)) << 32 * (k))
#define SIMD_MASK_32(T, k) (simd_number_of(T(k)) << 16 * (k))
#define SIMD_MASK_64(T, k) (simd_number_of(T(k)) << 8 * (k))
#define SIMD_BITS_8(T) ((uint64_t)T(0))
#define SIMD_BITS_16(T) (SIMD_MASK_16(T, 0) | SIMD_MASK_16(T, 1))
#define SIMD_BITS_32(T)                                                                            \
    (SIMD_MASK_32(T, 0) | SIMD_MASK_32(T, 1) | SIMD_MASK_32(T, 2) | SIMD_MASK_32(T, 3))
#define SIMD_BITS_64(T)                                                                            \
    (SIMD_MASK_64(T, 0) | SIMD_MASK_64(T, 1) | SIMD_MASK_64(T, 2) | SIMD_MASK_64(T, 3) |           \
     SIMD_MASK_64(T, 4) | SIMD_MASK_64(T, 5) | SIMD_MASK_64(T, 6) | SIMD_MASK_64(T, 7))

#endif
