/*
 * Planes joined and split 32 elements at a time, with AVX2.
 *
 * A register's two halves never meet: each holds 16 bytes of a plane, or as many bytes of elements,
 * and is loaded and stored by itself.
 */
#include <immintrin.h>

#include "codec/shuffle.h"

/* The halves of what is stored 16 bytes and `apart` bytes away. */
static inline __m256i load_halves(const uint8_t *low, const uint8_t *high)
{
    const __m128i l = _mm_loadu_si128((const __m128i *)low);
    const __m128i h = _mm_loadu_si128((const __m128i *)high);

    return _mm256_inserti128_si256(_mm256_castsi128_si256(l), h, 1);
}

static inline void store_halves(uint8_t *low, uint8_t *high, __m256i x)
{
    _mm_storeu_si128((__m128i *)low, _mm256_castsi256_si128(x));
    _mm_storeu_si128((__m128i *)high, _mm256_extracti128_si256(x, 1));
}

static inline __m256i load(const uint8_t *from)
{
    return _mm256_loadu_si256((const __m256i *)from);
}

static inline void store(uint8_t *to, __m256i x)
{
    _mm256_storeu_si256((__m256i *)to, x);
}

/* --- two planes ------------------------------------------------------------------------------ */

static void join2(uint8_t *elements, size_t stride, const uint8_t *planes, size_t distance,
                  size_t n)
{
    size_t i = 0;

    for (; i + 32 <= n; i += 32) {
        const __m256i a = load(planes + i);
        const __m256i b = load(planes + distance + i);
        const __m256i low = _mm256_unpacklo_epi8(a, b);
        const __m256i high = _mm256_unpackhi_epi8(a, b);
        store(elements + i * 2, _mm256_permute2x128_si256(low, high, 0x20));
        store(elements + i * 2 + 32, _mm256_permute2x128_si256(low, high, 0x31));
    }
    stoa_shuffle_scalar.join2(elements + i * 2, stride, planes + i, distance, n - i);
}

static void split2(uint8_t *planes, size_t distance, const uint8_t *elements, size_t stride,
                   size_t n)
{
    const __m256i sorted = _mm256_setr_epi8(0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15, 0,
                                            2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15);
    size_t i = 0;

    for (; i + 32 <= n; i += 32) {
        const uint8_t *from = elements + i * 2;
        const __m256i a = _mm256_shuffle_epi8(load_halves(from, from + 32), sorted);
        const __m256i b = _mm256_shuffle_epi8(load_halves(from + 16, from + 48), sorted);
        store(planes + i, _mm256_unpacklo_epi64(a, b));
        store(planes + distance + i, _mm256_unpackhi_epi64(a, b));
    }
    stoa_shuffle_scalar.split2(planes + i, distance, elements + i * 2, stride, n - i);
}

/* --- four planes ----------------------------------------------------------------------------- */

static void join4(uint8_t *elements, size_t stride, const uint8_t *planes, size_t distance,
                  size_t n)
{
    size_t i = 0;

    for (; i + 32 <= n; i += 32) {
        const __m256i a = load(planes + i);
        const __m256i b = load(planes + distance + i);
        const __m256i c = load(planes + 2 * distance + i);
        const __m256i d = load(planes + 3 * distance + i);
        const __m256i ab_low = _mm256_unpacklo_epi8(a, b);
        const __m256i ab_high = _mm256_unpackhi_epi8(a, b);
        const __m256i cd_low = _mm256_unpacklo_epi8(c, d);
        const __m256i cd_high = _mm256_unpackhi_epi8(c, d);
        uint8_t *to = elements + i * 4;
        store_halves(to, to + 64, _mm256_unpacklo_epi16(ab_low, cd_low));
        store_halves(to + 16, to + 80, _mm256_unpackhi_epi16(ab_low, cd_low));
        store_halves(to + 32, to + 96, _mm256_unpacklo_epi16(ab_high, cd_high));
        store_halves(to + 48, to + 112, _mm256_unpackhi_epi16(ab_high, cd_high));
    }
    stoa_shuffle_scalar.join4(elements + i * 4, stride, planes + i, distance, n - i);
}

static void split4(uint8_t *planes, size_t distance, const uint8_t *elements, size_t stride,
                   size_t n)
{
    const __m256i sorted = _mm256_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15, 0,
                                            4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    size_t i = 0;

    for (; i + 32 <= n; i += 32) {
        const uint8_t *from = elements + i * 4;
        const __m256i a = _mm256_shuffle_epi8(load_halves(from, from + 64), sorted);
        const __m256i b = _mm256_shuffle_epi8(load_halves(from + 16, from + 80), sorted);
        const __m256i c = _mm256_shuffle_epi8(load_halves(from + 32, from + 96), sorted);
        const __m256i d = _mm256_shuffle_epi8(load_halves(from + 48, from + 112), sorted);
        const __m256i ab_low = _mm256_unpacklo_epi32(a, b);
        const __m256i ab_high = _mm256_unpackhi_epi32(a, b);
        const __m256i cd_low = _mm256_unpacklo_epi32(c, d);
        const __m256i cd_high = _mm256_unpackhi_epi32(c, d);
        store(planes + i, _mm256_unpacklo_epi64(ab_low, cd_low));
        store(planes + distance + i, _mm256_unpackhi_epi64(ab_low, cd_low));
        store(planes + 2 * distance + i, _mm256_unpacklo_epi64(ab_high, cd_high));
        store(planes + 3 * distance + i, _mm256_unpackhi_epi64(ab_high, cd_high));
    }
    stoa_shuffle_scalar.split4(planes + i, distance, elements + i * 4, stride, n - i);
}

/* --- eight planes ---------------------------------------------------------------------------- */

/* In each half: planes x[k] of 16 bytes become elements 2r and 2r + 1 in x[r]. */
static inline void join_halves(__m256i x[8])
{
    __m256i y[8];

    for (size_t k = 0; k < 4; k++) {
        y[k] = _mm256_unpacklo_epi8(x[2 * k], x[2 * k + 1]);
        y[k + 4] = _mm256_unpackhi_epi8(x[2 * k], x[2 * k + 1]);
    }
    for (size_t k = 0; k < 2; k++) { /* y[0..3]: elements 0 to 7, bytes 2k and 2k + 1 */
        x[4 * k] = _mm256_unpacklo_epi16(y[4 * k], y[4 * k + 1]);
        x[4 * k + 1] = _mm256_unpacklo_epi16(y[4 * k + 2], y[4 * k + 3]);
        x[4 * k + 2] = _mm256_unpackhi_epi16(y[4 * k], y[4 * k + 1]);
        x[4 * k + 3] = _mm256_unpackhi_epi16(y[4 * k + 2], y[4 * k + 3]);
    }
    for (size_t k = 0; k < 4; k++) { /* four elements each, bytes 0 to 3 beside bytes 4 to 7 */
        y[2 * k] = _mm256_unpacklo_epi32(x[2 * k], x[2 * k + 1]);
        y[2 * k + 1] = _mm256_unpackhi_epi32(x[2 * k], x[2 * k + 1]);
    }
    for (size_t k = 0; k < 8; k++) {
        x[k] = y[k];
    }
}

/* The same undone. */
static inline void split_halves(__m256i x[8])
{
    const __m256i sorted = /* of two elements: byte 0 of both, byte 1 of both, ... */
        _mm256_setr_epi8(0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15, 0, 8, 1, 9, 2, 10, 3,
                         11, 4, 12, 5, 13, 6, 14, 7, 15);
    __m256i y[8];

    for (size_t k = 0; k < 4; k++) {
        const __m256i a = _mm256_shuffle_epi8(x[2 * k], sorted);
        const __m256i b = _mm256_shuffle_epi8(x[2 * k + 1], sorted);
        y[2 * k] = _mm256_unpacklo_epi16(a, b);     /* bytes 0 to 3 of elements 4k to 4k + 3 */
        y[2 * k + 1] = _mm256_unpackhi_epi16(a, b); /* bytes 4 to 7 */
    }
    for (size_t k = 0; k < 2; k++) { /* elements 8k to 8k + 7: bytes 0 1, 2 3, 4 5, 6 7 */
        x[4 * k] = _mm256_unpacklo_epi32(y[4 * k], y[4 * k + 2]);
        x[4 * k + 1] = _mm256_unpackhi_epi32(y[4 * k], y[4 * k + 2]);
        x[4 * k + 2] = _mm256_unpacklo_epi32(y[4 * k + 1], y[4 * k + 3]);
        x[4 * k + 3] = _mm256_unpackhi_epi32(y[4 * k + 1], y[4 * k + 3]);
    }
    for (size_t k = 0; k < 4; k++) {
        y[2 * k] = _mm256_unpacklo_epi64(x[k], x[k + 4]);
        y[2 * k + 1] = _mm256_unpackhi_epi64(x[k], x[k + 4]);
    }
    for (size_t k = 0; k < 8; k++) {
        x[k] = y[k];
    }
}

/* 16 bytes of two elements, where they lie apart. */
static inline void store_pair(uint8_t *to, size_t stride, __m128i pair)
{
    _mm_storel_epi64((__m128i *)to, pair);
    _mm_storel_epi64((__m128i *)(to + stride), _mm_unpackhi_epi64(pair, pair));
}

static inline __m128i load_pair(const uint8_t *from, size_t stride)
{
    const __m128i low = _mm_loadl_epi64((const __m128i *)from);

    return _mm_unpacklo_epi64(low, _mm_loadl_epi64((const __m128i *)(from + stride)));
}

static void join8(uint8_t *elements, size_t stride, const uint8_t *planes, size_t distance,
                  size_t n)
{
    size_t i = 0;

    for (; i + 32 <= n; i += 32) {
        __m256i x[8];
        uint8_t *to = elements + i * stride;

        for (size_t k = 0; k < 8; k++) {
            x[k] = load(planes + k * distance + i);
        }
        join_halves(x);
        for (size_t r = 0; r < 8; r++) {
            if (stride == 8) {
                store_halves(to + 16 * r, to + 128 + 16 * r, x[r]);
            } else {
                store_pair(to + 2 * r * stride, stride, _mm256_castsi256_si128(x[r]));
                store_pair(to + (2 * r + 16) * stride, stride, _mm256_extracti128_si256(x[r], 1));
            }
        }
    }
    stoa_shuffle_scalar.join8(elements + i * stride, stride, planes + i, distance, n - i);
}

static void split8(uint8_t *planes, size_t distance, const uint8_t *elements, size_t stride,
                   size_t n)
{
    size_t i = 0;

    for (; i + 32 <= n; i += 32) {
        __m256i x[8];
        const uint8_t *from = elements + i * stride;

        for (size_t r = 0; r < 8; r++) {
            if (stride == 8) {
                x[r] = load_halves(from + 16 * r, from + 128 + 16 * r);
            } else {
                const __m128i low = load_pair(from + 2 * r * stride, stride);
                const __m128i high = load_pair(from + (2 * r + 16) * stride, stride);
                x[r] = _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
            }
        }
        split_halves(x);
        for (size_t k = 0; k < 8; k++) {
            store(planes + k * distance + i, x[k]);
        }
    }
    stoa_shuffle_scalar.split8(planes + i, distance, elements + i * stride, stride, n - i);
}

/* --- bits ------------------------------------------------------------------------------------ */

/* Bits under `mask` and those `by` above them change places. */
#define SWAP_BITS(x, by, mask)                                                                     \
    do {                                                                                           \
        const __m256i t = _mm256_and_si256(_mm256_xor_si256(x, _mm256_srli_epi64(x, by)),          \
                                           _mm256_set1_epi64x((long long)(mask)));                 \
        x = _mm256_xor_si256(x, _mm256_xor_si256(t, _mm256_slli_epi64(t, by)));                    \
    } while (0)

static void transpose_bits(uint8_t *bytes, size_t n_bytes)
{
    size_t i = 0;

    for (; i + 32 <= n_bytes; i += 32) {
        __m256i x = load(bytes + i);
        SWAP_BITS(x, 7, 0x00aa00aa00aa00aa);
        SWAP_BITS(x, 14, 0x0000cccc0000cccc);
        SWAP_BITS(x, 28, 0x00000000f0f0f0f0);
        store(bytes + i, x);
    }
    stoa_shuffle_scalar.transpose_bits(bytes + i, n_bytes - i);
}

const stoa_shuffle_kernels stoa_shuffle_avx2 = {
    .join2 = join2,
    .join4 = join4,
    .join8 = join8,
    .split2 = split2,
    .split4 = split4,
    .split8 = split8,
    .transpose_bits = transpose_bits,
};
