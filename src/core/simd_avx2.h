/*
 * SIMD operations for AVX2. All headers core/simd_<set>.h define the same operations, so that a
 * kernel is one body for every set. A `simd` has SIMD_BYTES bytes. A number at the end of a name is
 * the lane width in bits.
 *
 * - zip_low, zip_high: interleave the lower or upper halves of two vectors, within each 16 bytes.
 * - look_up: bytes of the first vector at indices below 16, within each 16 bytes.
 * - look_up_32: bytes of a table of 32 bytes, at indices below 32.
 * - look_up_128: bytes of a table of 128 bytes, by the lower seven bits of the index.
 * - fold_64: the upper half of each 64-bit lane of two vectors, xored onto the lower half.
 * - upper_bytes: the fourth and the third byte of each 32-bit lane of four vectors. Their order
 *   depends on the set.
 * - in_order: restores the lane order in a mask of such bytes.
 * - equal, at_most: unsigned comparisons that give a mask.
 * - above_64: a signed comparison that gives a mask.
 * - has_8: whether a lane has the given bit set.
 * - negative_8: whether a lane's top bit is set.
 * - lanes_<n>: a mask of the lanes whose bits are set, lane 0 lowest.
 * - only_<n>: the lanes of a mask, 0 in the others.
 * - widen_<kind>: loads as many numbers of a kind as a vector has 64-bit lanes, widened.
 * - widen_low_f32, widen_high_f32: the doubles of half of a vector of floats.
 * - add_where, min_where_<kind>, max_where_<kind>: of a mask, `old` and `x`; in the lanes of the
 *   mask, the sum, or the lesser or the greater. In others, and where a float is a NaN or both are
 *   zeros, `old`.
 * - transpose_64: as many vectors as each has 64-bit lanes; lane i of vector k and lane k of vector
 * i change places.
 * - sums_f64: as many vectors as each has doubles; lane i is the sum of those of vector i.
 * - SIMD_BITS_<n>(T): 64 mask lanes as bits; T(k) is the mask of the k-th vector.
 */
#ifndef STOA_CORE_SIMD_AVX2_H
#define STOA_CORE_SIMD_AVX2_H

#include <immintrin.h>
#include <stdint.h>

#define SIMD_BYTES 32
typedef __m256i simd;
typedef __m256i simd_truth_8;
typedef __m256i simd_truth_32;
typedef __m256i simd_truth_64;

#define simd_load(from) _mm256_loadu_si256((const void *)(from))
#define simd_store(to, x) _mm256_storeu_si256((void *)(to), x)
#define simd_splat_8(x) _mm256_set1_epi8((char)(x))
#define simd_splat_16(x) _mm256_set1_epi16((short)(x))
#define simd_splat_32(x) _mm256_set1_epi32((int)(x))
#define simd_splat_64(x) _mm256_set1_epi64x((long long)(x))
#define simd_splat_f32(x) _mm256_castps_si256(_mm256_set1_ps(x))
#define simd_splat_f64(x) _mm256_castpd_si256(_mm256_set1_pd(x))
#define simd_splat_quarter(from) _mm256_broadcastsi128_si256(_mm_loadu_si128((const void *)(from)))

#define simd_and _mm256_and_si256
#define simd_or _mm256_or_si256
#define simd_xor _mm256_xor_si256
#define simd_sub_8 _mm256_sub_epi8
#define simd_sub_16 _mm256_sub_epi16
#define simd_sub_32 _mm256_sub_epi32
#define simd_sub_64 _mm256_sub_epi64
#define simd_mul_32 _mm256_mullo_epi32
#define simd_right_16 _mm256_srli_epi16
#define simd_right_32 _mm256_srli_epi32
#define simd_right_64 _mm256_srli_epi64
#define simd_left_16(x, n) _mm256_sll_epi16(x, _mm_cvtsi32_si128((int)(n)))
#define simd_left_32(x, n) _mm256_sll_epi32(x, _mm_cvtsi32_si128((int)(n)))
#define simd_left_64(x, n) _mm256_sll_epi64(x, _mm_cvtsi32_si128((int)(n)))
#define simd_signs_16(x) _mm256_srai_epi16(x, 15)

#define simd_zip_low _mm256_unpacklo_epi8
#define simd_zip_high _mm256_unpackhi_epi8
#define simd_look_up _mm256_shuffle_epi8

static inline simd simd_look_up_32(const uint8_t *table, simd at)
{
    const simd lower = simd_look_up(simd_splat_quarter(table), at);
    const simd upper = simd_look_up(simd_splat_quarter(table + 16), at);

    return _mm256_blendv_epi8(lower, upper, _mm256_slli_epi16(at, 3));
}

/* Look up the lower four bits in each row of 16 bytes, then select the row by the upper three. */
static inline simd simd_look_up_128(const uint8_t *table, simd at)
{
    const simd in_sixteen = simd_and(at, simd_splat_8(15));
    simd rows[8];

    for (int i = 0; i < 8; i++) {
        rows[i] = simd_look_up(simd_splat_quarter(table + 16 * i), in_sixteen);
    }
    for (int i = 0; i < 4; i++) {
        rows[i] = _mm256_blendv_epi8(rows[2 * i], rows[2 * i + 1], _mm256_slli_epi16(at, 3));
    }
    for (int i = 0; i < 2; i++) {
        rows[i] = _mm256_blendv_epi8(rows[2 * i], rows[2 * i + 1], _mm256_slli_epi16(at, 2));
    }
    return _mm256_blendv_epi8(rows[0], rows[1], _mm256_slli_epi16(at, 1));
}

static inline simd simd_fold_64(simd a, simd b)
{
    const __m256 x = _mm256_castsi256_ps(a);
    const __m256 y = _mm256_castsi256_ps(b);
    const __m256 folded =
        _mm256_xor_ps(_mm256_shuffle_ps(x, y, 0x88), _mm256_shuffle_ps(x, y, 0xdd));

    return _mm256_permute4x64_epi64(_mm256_castps_si256(folded), 0xd8);
}

/* Packing works within 128-bit halves: the groups of four of the lower halves come first. */
static inline void simd_upper_bytes(const simd x[4], simd *fourth, simd *third)
{
    const simd first = _mm256_packus_epi32(simd_right_32(x[0], 16), simd_right_32(x[1], 16));
    const simd last = _mm256_packus_epi32(simd_right_32(x[2], 16), simd_right_32(x[3], 16));
    const simd lower = simd_splat_16(255);

    *fourth = _mm256_packus_epi16(simd_right_16(first, 8), simd_right_16(last, 8));
    *third = _mm256_packus_epi16(simd_and(first, lower), simd_and(last, lower));
}
#define simd_in_order(truth)                                                                       \
    _mm256_permutevar8x32_epi32(truth, _mm256_set_epi32(7, 3, 6, 2, 5, 1, 4, 0))

/* AVX2 has no unsigned comparison: x <= y if min(x, y) == x. */
#define simd_equal_8 _mm256_cmpeq_epi8
#define simd_equal_16 _mm256_cmpeq_epi16
#define simd_equal_32 _mm256_cmpeq_epi32
#define simd_equal_64 _mm256_cmpeq_epi64
#define simd_at_most_8(x, y) _mm256_cmpeq_epi8(_mm256_min_epu8(x, y), x)
#define simd_at_most_16(x, y) _mm256_cmpeq_epi16(_mm256_min_epu16(x, y), x)
#define simd_at_most_32(x, y) _mm256_cmpeq_epi32(_mm256_min_epu32(x, y), x)
#define simd_above_64 _mm256_cmpgt_epi64
#define simd_has_8(x, bit) _mm256_cmpeq_epi8(simd_and(x, bit), bit)
#define simd_negative_8(x) (x)

#define simd_above_32 _mm256_cmpgt_epi32
#define simd_any_32(truth) (_mm256_testz_si256(truth, truth) == 0)

static inline simd_truth_32 simd_lanes_32(unsigned bits)
{
    const simd places = _mm256_set_epi32(128, 64, 32, 16, 8, 4, 2, 1);

    return simd_equal_32(simd_and(simd_splat_32(bits), places), places);
}

static inline simd_truth_64 simd_lanes_64(unsigned bits)
{
    const simd places = _mm256_set_epi64x(8, 4, 2, 1);

    return simd_equal_64(simd_and(simd_splat_64(bits), places), places);
}

#define simd_only_32 simd_and
#define simd_only_64 simd_and
#define simd_min_u32 _mm256_min_epu32
#define simd_max_u32 _mm256_max_epu32

#define simd_widen_i8(from) _mm256_cvtepi8_epi64(_mm_loadu_si32(from))
#define simd_widen_u8(from) _mm256_cvtepu8_epi64(_mm_loadu_si32(from))
#define simd_widen_i16(from) _mm256_cvtepi16_epi64(_mm_loadu_si64(from))
#define simd_widen_u16(from) _mm256_cvtepu16_epi64(_mm_loadu_si64(from))
#define simd_widen_i32(from) _mm256_cvtepi32_epi64(_mm_loadu_si128((const void *)(from)))
#define simd_widen_u32(from) _mm256_cvtepu32_epi64(_mm_loadu_si128((const void *)(from)))
#define simd_widen_f32(from) _mm256_cvtps_pd(_mm_loadu_ps(from))
#define simd_widen_low_f32(x) _mm256_cvtps_pd(_mm256_castps256_ps128(_mm256_castsi256_ps(x)))
#define simd_widen_high_f32(x) _mm256_cvtps_pd(_mm256_extractf128_ps(_mm256_castsi256_ps(x), 1))

#define simd_add_where(truth, old, x) _mm256_add_epi64(old, simd_and(truth, x))
#define simd_min_where_i64(truth, old, x)                                                          \
    _mm256_blendv_epi8(old, x, simd_and(truth, _mm256_cmpgt_epi64(old, x)))
#define simd_max_where_i64(truth, old, x)                                                          \
    _mm256_blendv_epi8(old, x, simd_and(truth, _mm256_cmpgt_epi64(x, old)))
/* The instruction returns its second operand if one is a NaN or both are zeros. */
#define simd_min_where_f64(truth, old, x)                                                          \
    _mm256_blendv_pd(old, _mm256_min_pd(x, old), _mm256_castsi256_pd(truth))
#define simd_max_where_f64(truth, old, x)                                                          \
    _mm256_blendv_pd(old, _mm256_max_pd(x, old), _mm256_castsi256_pd(truth))

static inline void simd_transpose_64(simd x[4])
{
    const simd a = _mm256_unpacklo_epi64(x[0], x[1]);
    const simd b = _mm256_unpackhi_epi64(x[0], x[1]);
    const simd c = _mm256_unpacklo_epi64(x[2], x[3]);
    const simd d = _mm256_unpackhi_epi64(x[2], x[3]);

    x[0] = _mm256_permute2x128_si256(a, c, 0x20);
    x[1] = _mm256_permute2x128_si256(b, d, 0x20);
    x[2] = _mm256_permute2x128_si256(a, c, 0x31);
    x[3] = _mm256_permute2x128_si256(b, d, 0x31);
}

static inline simd simd_sums_f64(const simd x[4])
{
    const __m256d a = _mm256_hadd_pd(_mm256_castsi256_pd(x[0]), _mm256_castsi256_pd(x[1]));
    const __m256d b = _mm256_hadd_pd(_mm256_castsi256_pd(x[2]), _mm256_castsi256_pd(x[3]));

    return _mm256_castpd_si256(
        _mm256_add_pd(_mm256_permute2f128_pd(a, b, 0x20), _mm256_permute2f128_pd(a, b, 0x31)));
}

static inline simd simd_between_f32(simd x, simd least, simd greatest)
{
    const __m256 values = _mm256_castsi256_ps(x);

    return _mm256_castps_si256(
        _mm256_and_ps(_mm256_cmp_ps(values, _mm256_castsi256_ps(least), _CMP_GE_OQ),
                      _mm256_cmp_ps(values, _mm256_castsi256_ps(greatest), _CMP_LE_OQ)));
}

static inline simd simd_between_f64(simd x, simd least, simd greatest)
{
    const __m256d values = _mm256_castsi256_pd(x);

    return _mm256_castpd_si256(
        _mm256_and_pd(_mm256_cmp_pd(values, _mm256_castsi256_pd(least), _CMP_GE_OQ),
                      _mm256_cmp_pd(values, _mm256_castsi256_pd(greatest), _CMP_LE_OQ)));
}

static inline uint64_t simd_bits_of_8(simd x)
{
    return (uint32_t)_mm256_movemask_epi8(x);
}

static inline uint64_t simd_bits_of_16(simd a, simd b)
{
    return simd_bits_of_8(_mm256_permute4x64_epi64(_mm256_packs_epi16(a, b), 0xd8));
}

static inline uint64_t simd_bits_of_32(simd x)
{
    return (uint64_t)(unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(x));
}

static inline uint64_t simd_bits_of_64(simd x)
{
    return (uint64_t)(unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(x));
}

#define SIMD_BITS_8(T) (simd_bits_of_8(T(0)) | simd_bits_of_8(T(1)) << 32)
#define SIMD_BITS_16(T) (simd_bits_of_16(T(0), T(1)) | simd_bits_of_16(T(2), T(3)) << 32)
#define SIMD_BITS_32(T)                                                                            \
    (simd_bits_of_32(T(0)) | simd_bits_of_32(T(1)) << 8 | simd_bits_of_32(T(2)) << 16 |            \
     simd_bits_of_32(T(3)) << 24 | simd_bits_of_32(T(4)) << 32 | simd_bits_of_32(T(5)) << 40 |     \
     simd_bits_of_32(T(6)) << 48 | simd_bits_of_32(T(7)) << 56)
#define SIMD_FOUR_64(T, k)                                                                         \
    (simd_bits_of_64(T(k)) | simd_bits_of_64(T(k + 1)) << 4 | simd_bits_of_64(T(k + 2)) << 8 |     \
     simd_bits_of_64(T(k + 3)) << 12)
#define SIMD_BITS_64(T)                                                                            \
    (SIMD_FOUR_64(T, 0) | SIMD_FOUR_64(T, 4) << 16 | SIMD_FOUR_64(T, 8) << 32 |                    \
     SIMD_FOUR_64(T, 12) << 48)

#endif
