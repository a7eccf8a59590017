/*
 * Rice decoding with AVX-512, VBMI and VBMI2: sixteen elements at once.
 *
 * The positions of a word's ones are found by compressing the numbers 0 .. 63. Sixteen elements
 * have 2k bytes of low bits, so all groups of a word begin at the same bit of a byte. Each lane
 * therefore gathers its four bytes and shifts them. Numbers are computed modulo 2^32, because
 * positions are below that. Whole vectors are stored, beyond the elements decoded so far.
 */
#include <immintrin.h>

#include "codec/bytes.h"
#include "sparse/format/positions_gaps.h"

enum {
    VECTOR = 64, /* bytes */
    LANES = 16,
    MAX_BITS = 25 /* more low bits would span five bytes */
};

/* Prefix sum: each lane gets the sum of the lanes up to it. */
static inline __m512i add_up(__m512i x)
{
    const __m512i zero = _mm512_setzero_si512();

    x = _mm512_add_epi32(x, _mm512_alignr_epi32(x, zero, LANES - 1));
    x = _mm512_add_epi32(x, _mm512_alignr_epi32(x, zero, LANES - 2));
    x = _mm512_add_epi32(x, _mm512_alignr_epi32(x, zero, LANES - 4));
    return _mm512_add_epi32(x, _mm512_alignr_epi32(x, zero, LANES - 8));
}

/* Constants: k, and per lane its number and the first bit of its low bits. */
typedef struct lanes {
    __m512i number;
    __m512i first;
    __m512i mask;
    __m128i k;
} lanes;

static inline lanes lanes_of(unsigned k)
{
    const __m512i number = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);

    return (lanes){.number = number,
                   .first = _mm512_mullo_epi32(number, _mm512_set1_epi32((int)k)),
                   .mask = _mm512_set1_epi32((int)((UINT32_C(1) << k) - 1)),
                   .k = _mm_cvtsi32_si128((int)k)};
}

/* The indices of the set bits, ascending. */
static inline __m512i ones_of(uint64_t word)
{
    const __m512i eight = _mm512_set1_epi64(0x0706050403020100);
    const __m512i begins = _mm512_setr_epi64(
        0x0000000000000000, 0x0808080808080808, 0x1010101010101010, 0x1818181818181818,
        0x2020202020202020, 0x2828282828282828, 0x3030303030303030, 0x3838383838383838);

    return _mm512_maskz_compress_epi8(word, _mm512_add_epi8(eight, begins));
}

static void get_word(stoa_gaps *g, const lanes *l, uint64_t base, uint64_t word,
                     uint32_t *positions)
{
    const __m512i copies = _mm512_set4_epi32(0x0c0c0c0c, 0x08080808, 0x04040404, 0);
    const unsigned n = (unsigned)_mm_popcnt_u64(word);
    const uint64_t from = (uint64_t)g->i * g->k;
    const uint8_t *lows = g->lows + from / 8;
    const __m512i first = _mm512_add_epi32(l->first, _mm512_set1_epi32((int)(from & 7)));
    const __m512i shift = _mm512_and_si512(first, _mm512_set1_epi32(7));
    const __m512i bytes = _mm512_add_epi8(_mm512_shuffle_epi8(_mm512_srli_epi32(first, 3), copies),
                                          _mm512_set1_epi32(0x03020100));
    __m512i ones = ones_of(word);

    for (unsigned done = 0; done < n; done += LANES) {
        const uint32_t i = (uint32_t)(g->i + done);
        const __mmask16 are_there = (__mmask16)_bzhi_u32(0xffff, n - done);
        const __m512i four = _mm512_permutexvar_epi8(bytes, _mm512_loadu_si512(lows));
        const __m512i low =
            _mm512_maskz_and_epi32(are_there, _mm512_srlv_epi32(four, shift), l->mask);
        const __m512i sums = add_up(low);
        const __m512i one = _mm512_cvtepu8_epi32(_mm512_castsi512_si128(ones));
        const __m512i zeros = _mm512_add_epi32(_mm512_sub_epi32(one, l->number),
                                               _mm512_set1_epi32((int)((uint32_t)base - i)));
        const __m512i high = _mm512_add_epi32(
            _mm512_sll_epi32(zeros, l->k),
            _mm512_add_epi32(l->number, _mm512_set1_epi32((int)((uint32_t)g->sum + i))));
        _mm512_storeu_si512(positions + g->i + done, _mm512_add_epi32(high, sums));
        g->sum += (uint32_t)_mm_extract_epi32(_mm512_extracti32x4_epi32(sums, 3), 3);
        ones = _mm512_alignr_epi64(ones, ones, 2);
        lows += (size_t)2 * g->k;
    }
    g->i += n;
    g->bit = word != 0 ? base + 63 - (unsigned)__builtin_clzll(word) : g->bit;
}

uint64_t stoa_gaps_words_avx512(stoa_gaps *gaps, const uint8_t *highs, uint64_t base,
                                uint64_t n_bits, size_t n, uint32_t *positions)
{
    const lanes l = lanes_of(gaps->k);

    for (; gaps->k <= MAX_BITS && stoa_gaps_are_far(gaps, base, n_bits, n, VECTOR); base += 64) {
        get_word(gaps, &l, base, stoa_get_le64(highs + base / 8), positions);
    }
    return stoa_gaps_words_scalar(gaps, highs, base, n_bits, n,
                                  positions); /* the tail, with narrower reads */
}
