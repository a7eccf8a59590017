/*
 * Rice decoding with AVX2.
 *
 * `positions` first gets the quotients of whole words, a byte of unary parts at once. All eight
 * places of a byte are written, and the next byte overwrites those without a 1. Then the low bits
 * are added, eight elements at once. These have k bytes of low bits, so all groups begin at the
 * same bit of a byte. Numbers are computed modulo 2^32, because positions are below that.
 */
#include <immintrin.h>

#include "codec/bytes.h"
#include "core/set_bits_avx2.h"
#include "sparse/format/positions_gaps.h"

enum {
    HALF = 16, /* bytes, which hold the low bits of half a group */
    LANES = 8,
    MAX_BITS = 25 /* more low bits would span five bytes */
};

static inline __m256i lane_numbers(void)
{
    return _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
}

static void get_highs(stoa_gaps *g, uint64_t base, uint64_t word, uint32_t *positions)
{
    const __m128i k = _mm_cvtsi32_si128((int)g->k);
    size_t i = g->i;

    for (unsigned j = 0; j < 64; j += LANES) {
        const unsigned byte = word >> j & 0xff;
        const __m256i before = _mm256_set1_epi32((int)((uint32_t)base + j - (uint32_t)i));
        const __m256i zeros =
            _mm256_add_epi32(_mm256_sub_epi32(stoa_lanes_of_bits(byte), lane_numbers()), before);
        _mm256_storeu_si256((void *)(positions + i), _mm256_sll_epi32(zeros, k));
        i += (unsigned)_mm_popcnt_u32(byte);
    }
    g->i = i;
    g->bit = word != 0 ? base + 63 - (unsigned)__builtin_clzll(word) : g->bit;
}

/* Prefix sum: each lane gets the sum of the lanes up to it. */
static inline __m256i add_up(__m256i x)
{
    x = _mm256_add_epi32(x, _mm256_slli_si256(x, 4));
    x = _mm256_add_epi32(x, _mm256_slli_si256(x, 8));
    const __m256i last = _mm256_shuffle_epi32(x, 0xff);
    return _mm256_add_epi32(x, _mm256_permute2x128_si256(last, last, 0x08));
}

/* Add the low bits of elements i .. g->i - 1, and their numbers. */
static void add_lows(stoa_gaps *g, size_t i, uint32_t *positions)
{
    const unsigned k = g->k;
    const uint64_t bit = (uint64_t)i * k;
    const uint8_t *low = g->lows + bit / 8;
    const uint8_t *high = g->lows + (bit + LANES / 2 * k) / 8;
    const __m256i firsts = /* of the bits of each lane, in its half */
        _mm256_add_epi32(_mm256_mullo_epi32(_mm256_setr_epi32(0, 1, 2, 3, 0, 1, 2, 3),
                                            _mm256_set1_epi32((int)k)),
                         _mm256_set_m128i(_mm_set1_epi32((int)((bit + LANES / 2 * k) & 7)),
                                          _mm_set1_epi32((int)(bit & 7))));
    const __m256i shifts = _mm256_and_si256(firsts, _mm256_set1_epi32(7));
    const __m256i bytes = _mm256_add_epi8(
        _mm256_mullo_epi32(_mm256_srli_epi32(firsts, 3), _mm256_set1_epi32(0x01010101)),
        _mm256_set1_epi32(0x03020100));
    const __m256i mask = _mm256_set1_epi32((int)((UINT32_C(1) << k) - 1));

    for (; g->i - i >= LANES; i += LANES, low += k, high += k) {
        void *to = positions + i;
        const __m256i both = _mm256_set_m128i(_mm_loadu_si128((const void *)high),
                                              _mm_loadu_si128((const void *)low));
        const __m256i sums = add_up(
            _mm256_and_si256(_mm256_srlv_epi32(_mm256_shuffle_epi8(both, bytes), shifts), mask));
        const __m256i before = _mm256_set1_epi32((int)((uint32_t)g->sum + (uint32_t)i));
        _mm256_storeu_si256(to, _mm256_add_epi32(_mm256_add_epi32(_mm256_loadu_si256(to), sums),
                                                 _mm256_add_epi32(lane_numbers(), before)));
        g->sum += (uint32_t)_mm256_extract_epi32(sums, LANES - 1);
    }
    for (; i < g->i; i++) {
        const uint64_t from = (uint64_t)i * k;
        g->sum += stoa_get_le64(g->lows + from / 8) >> (from & 7) & ((UINT32_C(1) << k) - 1);
        positions[i] += (uint32_t)(g->sum + i);
    }
}

uint64_t stoa_gaps_words_avx2(stoa_gaps *gaps, const uint8_t *highs, uint64_t base, uint64_t n_bits,
                              size_t n, uint32_t *positions)
{
    const size_t first = gaps->i;

    for (; gaps->k <= MAX_BITS && stoa_gaps_are_far(gaps, base, n_bits, n, HALF); base += 64) {
        get_highs(gaps, base, stoa_get_le64(highs + base / 8), positions);
    }
    add_lows(gaps, first, positions);
    return stoa_gaps_words_scalar(gaps, highs, base, n_bits, n,
                                  positions); /* the tail, with narrower reads */
}
