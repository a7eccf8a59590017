/*
 * Planes joined and split 64 elements at a time, with AVX-512; bits transposed with GFNI.
 *
 * Within each quarter of a register it goes as in shuffle_avx2.c; one permutation of each plane
 * sees to it that the quarters of what comes out are neighbours in memory. Elements that lie apart
 * are left to AVX2.
 */
#include <immintrin.h>

#include "codec/shuffle.h"

static inline __m512i load(const uint8_t *from)
{
    return _mm512_loadu_si512(from);
}

static inline void store(uint8_t *to, __m512i x)
{
    _mm512_storeu_si512(to, x);
}

/* --- two planes ------------------------------------------------------------------------------ */

static void join2(uint8_t *elements, size_t stride, const uint8_t *planes, size_t distance,
                  size_t n)
{
    const __m512i order = _mm512_setr_epi64(0, 4, 1, 5, 2, 6, 3, 7);
    size_t i = 0;

    for (; i + 64 <= n; i += 64) {
        const __m512i a = _mm512_permutexvar_epi64(order, load(planes + i));
        const __m512i b = _mm512_permutexvar_epi64(order, load(planes + distance + i));
        store(elements + i * 2, _mm512_unpacklo_epi8(a, b));
        store(elements + i * 2 + 64, _mm512_unpackhi_epi8(a, b));
    }
    stoa_shuffle_avx2.join2(elements + i * 2, stride, planes + i, distance, n - i);
}

static void split2(uint8_t *planes, size_t distance, const uint8_t *elements, size_t stride,
                   size_t n)
{
    const __m512i sorted =
        _mm512_broadcast_i32x4(_mm_setr_epi8(0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15));
    const __m512i order = _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7);
    size_t i = 0;

    for (; i + 64 <= n; i += 64) {
        const __m512i a = _mm512_shuffle_epi8(load(elements + i * 2), sorted);
        const __m512i b = _mm512_shuffle_epi8(load(elements + i * 2 + 64), sorted);
        store(planes + i, _mm512_permutexvar_epi64(order, _mm512_unpacklo_epi64(a, b)));
        store(planes + distance + i, _mm512_permutexvar_epi64(order, _mm512_unpackhi_epi64(a, b)));
    }
    stoa_shuffle_avx2.split2(planes + i, distance, elements + i * 2, stride, n - i);
}

/* --- four planes ----------------------------------------------------------------------------- */

static void join4(uint8_t *elements, size_t stride, const uint8_t *planes, size_t distance,
                  size_t n)
{
    const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    size_t i = 0;

    for (; i + 64 <= n; i += 64) {
        const __m512i a = _mm512_permutexvar_epi32(order, load(planes + i));
        const __m512i b = _mm512_permutexvar_epi32(order, load(planes + distance + i));
        const __m512i c = _mm512_permutexvar_epi32(order, load(planes + 2 * distance + i));
        const __m512i d = _mm512_permutexvar_epi32(order, load(planes + 3 * distance + i));
        const __m512i ab_low = _mm512_unpacklo_epi8(a, b);
        const __m512i ab_high = _mm512_unpackhi_epi8(a, b);
        const __m512i cd_low = _mm512_unpacklo_epi8(c, d);
        const __m512i cd_high = _mm512_unpackhi_epi8(c, d);
        uint8_t *to = elements + i * 4;
        store(to, _mm512_unpacklo_epi16(ab_low, cd_low));
        store(to + 64, _mm512_unpackhi_epi16(ab_low, cd_low));
        store(to + 128, _mm512_unpacklo_epi16(ab_high, cd_high));
        store(to + 192, _mm512_unpackhi_epi16(ab_high, cd_high));
    }
    stoa_shuffle_avx2.join4(elements + i * 4, stride, planes + i, distance, n - i);
}

static void split4(uint8_t *planes, size_t distance, const uint8_t *elements, size_t stride,
                   size_t n)
{
    const __m512i sorted =
        _mm512_broadcast_i32x4(_mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15));
    const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    size_t i = 0;

    for (; i + 64 <= n; i += 64) {
        const uint8_t *from = elements + i * 4;
        const __m512i a = _mm512_shuffle_epi8(load(from), sorted);
        const __m512i b = _mm512_shuffle_epi8(load(from + 64), sorted);
        const __m512i c = _mm512_shuffle_epi8(load(from + 128), sorted);
        const __m512i d = _mm512_shuffle_epi8(load(from + 192), sorted);
        const __m512i ab_low = _mm512_unpacklo_epi32(a, b);
        const __m512i ab_high = _mm512_unpackhi_epi32(a, b);
        const __m512i cd_low = _mm512_unpacklo_epi32(c, d);
        const __m512i cd_high = _mm512_unpackhi_epi32(c, d);
        uint8_t *to = planes + i;
        store(to, _mm512_permutexvar_epi32(order, _mm512_unpacklo_epi64(ab_low, cd_low)));
        store(to + distance,
              _mm512_permutexvar_epi32(order, _mm512_unpackhi_epi64(ab_low, cd_low)));
        store(to + 2 * distance,
              _mm512_permutexvar_epi32(order, _mm512_unpacklo_epi64(ab_high, cd_high)));
        store(to + 3 * distance,
              _mm512_permutexvar_epi32(order, _mm512_unpackhi_epi64(ab_high, cd_high)));
    }
    stoa_shuffle_avx2.split4(planes + i, distance, elements + i * 4, stride, n - i);
}

/* --- eight planes ---------------------------------------------------------------------------- */

/* In each quarter: planes x[k] of 16 bytes become two elements in each x[r]. */
static inline void join_quarters(__m512i x[8])
{
    __m512i y[8];

    for (size_t k = 0; k < 4; k++) {
        y[k] = _mm512_unpacklo_epi8(x[2 * k], x[2 * k + 1]);
        y[k + 4] = _mm512_unpackhi_epi8(x[2 * k], x[2 * k + 1]);
    }
    for (size_t k = 0; k < 2; k++) {
        x[4 * k] = _mm512_unpacklo_epi16(y[4 * k], y[4 * k + 1]);
        x[4 * k + 1] = _mm512_unpacklo_epi16(y[4 * k + 2], y[4 * k + 3]);
        x[4 * k + 2] = _mm512_unpackhi_epi16(y[4 * k], y[4 * k + 1]);
        x[4 * k + 3] = _mm512_unpackhi_epi16(y[4 * k + 2], y[4 * k + 3]);
    }
    for (size_t k = 0; k < 4; k++) {
        y[2 * k] = _mm512_unpacklo_epi32(x[2 * k], x[2 * k + 1]);
        y[2 * k + 1] = _mm512_unpackhi_epi32(x[2 * k], x[2 * k + 1]);
    }
    for (size_t k = 0; k < 8; k++) {
        x[k] = y[k];
    }
}

/* The same undone. */
static inline void split_quarters(__m512i x[8])
{
    const __m512i sorted =
        _mm512_broadcast_i32x4(_mm_setr_epi8(0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15));
    __m512i y[8];

    for (size_t k = 0; k < 4; k++) {
        const __m512i a = _mm512_shuffle_epi8(x[2 * k], sorted);
        const __m512i b = _mm512_shuffle_epi8(x[2 * k + 1], sorted);
        y[2 * k] = _mm512_unpacklo_epi16(a, b);
        y[2 * k + 1] = _mm512_unpackhi_epi16(a, b);
    }
    for (size_t k = 0; k < 2; k++) {
        x[4 * k] = _mm512_unpacklo_epi32(y[4 * k], y[4 * k + 2]);
        x[4 * k + 1] = _mm512_unpackhi_epi32(y[4 * k], y[4 * k + 2]);
        x[4 * k + 2] = _mm512_unpacklo_epi32(y[4 * k + 1], y[4 * k + 3]);
        x[4 * k + 3] = _mm512_unpackhi_epi32(y[4 * k + 1], y[4 * k + 3]);
    }
    for (size_t k = 0; k < 4; k++) {
        y[2 * k] = _mm512_unpacklo_epi64(x[k], x[k + 4]);
        y[2 * k + 1] = _mm512_unpackhi_epi64(x[k], x[k + 4]);
    }
    for (size_t k = 0; k < 8; k++) {
        x[k] = y[k];
    }
}

/* A plane is 4 quarters of 8 words, and these are transposed: word r of quarter q of what is joined
 * comes from word q of group r. */
static inline __m512i order_of_join(void)
{
    return _mm512_set_epi16(31, 27, 23, 19, 15, 11, 7, 3, 30, 26, 22, 18, 14, 10, 6, 2, 29, 25, 21,
                            17, 13, 9, 5, 1, 28, 24, 20, 16, 12, 8, 4, 0);
}

static inline __m512i order_of_split(void)
{
    return _mm512_set_epi16(31, 23, 15, 7, 30, 22, 14, 6, 29, 21, 13, 5, 28, 20, 12, 4, 27, 19, 11,
                            3, 26, 18, 10, 2, 25, 17, 9, 1, 24, 16, 8, 0);
}

static void join8(uint8_t *elements, size_t stride, const uint8_t *planes, size_t distance,
                  size_t n)
{
    const __m512i order = order_of_join();
    size_t i = 0;

    for (; stride == 8 && i + 64 <= n; i += 64) {
        __m512i x[8];

        for (size_t k = 0; k < 8; k++) {
            x[k] = _mm512_permutexvar_epi16(order, load(planes + k * distance + i));
        }
        join_quarters(x);
        for (size_t r = 0; r < 8; r++) {
            store(elements + i * 8 + r * 64, x[r]);
        }
    }
    stoa_shuffle_avx2.join8(elements + i * stride, stride, planes + i, distance, n - i);
}

static void split8(uint8_t *planes, size_t distance, const uint8_t *elements, size_t stride,
                   size_t n)
{
    const __m512i order = order_of_split();
    size_t i = 0;

    for (; stride == 8 && i + 64 <= n; i += 64) {
        __m512i x[8];

        for (size_t r = 0; r < 8; r++) {
            x[r] = load(elements + i * 8 + r * 64);
        }
        split_quarters(x);
        for (size_t k = 0; k < 8; k++) {
            store(planes + k * distance + i, _mm512_permutexvar_epi16(order, x[k]));
        }
    }
    stoa_shuffle_avx2.split8(planes + i, distance, elements + i * stride, stride, n - i);
}

/* --- bits ------------------------------------------------------------------------------------ */

/* An affine map of the unit vectors by each matrix: its columns. GFNI's first row is the last byte.
 */
static void transpose_bits(uint8_t *bytes, size_t n_bytes)
{
    const __m512i units = _mm512_set1_epi64((long long)0x8040201008040201);
    const __m512i reversed =
        _mm512_broadcast_i32x4(_mm_setr_epi8(7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8));
    size_t i = 0;

    for (; i + 64 <= n_bytes; i += 64) {
        const __m512i rows = _mm512_shuffle_epi8(load(bytes + i), reversed);
        store(bytes + i, _mm512_gf2p8affine_epi64_epi8(units, rows, 0));
    }
    stoa_shuffle_avx2.transpose_bits(bytes + i, n_bytes - i);
}

const stoa_shuffle_kernels stoa_shuffle_avx512 = {
    .join2 = join2,
    .join4 = join4,
    .join8 = join8,
    .split2 = split2,
    .split4 = split4,
    .split8 = split8,
    .transpose_bits = transpose_bits,
};
