/* Tests of values with vectors of 64 bytes. */
#include <immintrin.h>
#include <string.h>

#include "core/memory.h"
#include "query/filter.h"

static inline __m512i load(const uint8_t *values, size_t i)
{
    return _mm512_loadu_si512(values + 64 * i);
}

static inline uint64_t block_8(const uint8_t *values, const stoa_bounds *b)
{
    const __m512i x = _mm512_sub_epi8(load(values, 0), _mm512_set1_epi8((char)b->low));

    return _mm512_cmple_epu8_mask(x, _mm512_set1_epi8((char)b->span));
}

static inline uint64_t block_16(const uint8_t *values, const stoa_bounds *b)
{
    const __m512i low = _mm512_set1_epi16((short)b->low);
    const __m512i span = _mm512_set1_epi16((short)b->span);
    const uint64_t first = _mm512_cmple_epu16_mask(_mm512_sub_epi16(load(values, 0), low), span);
    const uint64_t second = _mm512_cmple_epu16_mask(_mm512_sub_epi16(load(values, 1), low), span);

    return first | second << 32;
}

static inline __m512i f16_keys(__m512i x)
{
    return _mm512_xor_si512(x, _mm512_srli_epi16(_mm512_srai_epi16(x, 15), 1));
}

static inline uint64_t block_f16(const uint8_t *values, const stoa_bounds *b)
{
    const __m512i low = _mm512_set1_epi16((short)b->low);
    const __m512i span = _mm512_set1_epi16((short)b->span);
    uint64_t word = 0;

    for (int i = 0; i < 2; i++) {
        const __m512i x = _mm512_sub_epi16(f16_keys(load(values, i)), low);
        word |= (uint64_t)_mm512_cmple_epu16_mask(x, span) << (32 * i);
    }
    return word;
}

static inline uint64_t block_32(const uint8_t *values, const stoa_bounds *b)
{
    const __m512i low = _mm512_set1_epi32((int)b->low);
    const __m512i span = _mm512_set1_epi32((int)b->span);
    uint64_t word = 0;

    for (int i = 0; i < 4; i++) {
        const __m512i x = _mm512_sub_epi32(load(values, i), low);
        word |= (uint64_t)_mm512_cmple_epu32_mask(x, span) << (16 * i);
    }
    return word;
}

static inline uint64_t block_64(const uint8_t *values, const stoa_bounds *b)
{
    const __m512i low = _mm512_set1_epi64((long long)b->low);
    const __m512i span = _mm512_set1_epi64((long long)b->span);
    uint64_t word = 0;

    for (int i = 0; i < 8; i++) {
        const __m512i x = _mm512_sub_epi64(load(values, i), low);
        word |= (uint64_t)_mm512_cmple_epu64_mask(x, span) << (8 * i);
    }
    return word;
}

static inline uint64_t block_f32(const uint8_t *values, const stoa_bounds *b)
{
    const __m512 least = _mm512_set1_ps((float)b->least);
    const __m512 greatest = _mm512_set1_ps((float)b->greatest);
    uint64_t word = 0;

    for (int i = 0; i < 4; i++) {
        const __m512 x = _mm512_castsi512_ps(load(values, i));
        const __mmask16 above = _mm512_cmp_ps_mask(x, least, _CMP_GE_OQ);
        word |= (uint64_t)_mm512_mask_cmp_ps_mask(above, x, greatest, _CMP_LE_OQ) << (16 * i);
    }
    return word;
}

static inline uint64_t block_f64(const uint8_t *values, const stoa_bounds *b)
{
    const __m512d least = _mm512_set1_pd(b->least);
    const __m512d greatest = _mm512_set1_pd(b->greatest);
    uint64_t word = 0;

    for (int i = 0; i < 8; i++) {
        const __m512d x = _mm512_castsi512_pd(load(values, i));
        const __mmask8 above = _mm512_cmp_pd_mask(x, least, _CMP_GE_OQ);
        word |= (uint64_t)_mm512_mask_cmp_pd_mask(above, x, greatest, _CMP_LE_OQ) << (8 * i);
    }
    return word;
}

/* The byte of the table that holds a value's bit, and that bit in it. */
static inline uint64_t block_table(const uint8_t *values, const uint8_t *table)
{
    const __m512i rows =
        _mm512_broadcast_i64x4(_mm256_loadu_si256((const __m256i *)(const void *)table));
    const __m512i powers = _mm512_set1_epi64((long long)0x8040201008040201u);
    const __m512i x = load(values, 0);
    const __m512i place = _mm512_and_si512(_mm512_srli_epi16(x, 3), _mm512_set1_epi8(31));
    const __m512i bit = _mm512_shuffle_epi8(powers, _mm512_and_si512(x, _mm512_set1_epi8(7)));

    return _mm512_test_epi8_mask(_mm512_permutexvar_epi8(place, rows), bit);
}

/* Whether bits of a table of 128 bytes are set. */
static inline uint64_t bits_of_table(const uint8_t *table, __m512i byte, __m512i bit)
{
    const __m512i powers = _mm512_set1_epi64((long long)0x8040201008040201u);
    const __m512i rows = _mm512_permutex2var_epi8(load(table, 0), byte, load(table, 1));

    return _mm512_test_epi8_mask(
        rows, _mm512_shuffle_epi8(powers, _mm512_and_si512(bit, _mm512_set1_epi8(7))));
}

/* 64 values by their hashes. */
static inline uint64_t sieve_hashes(const __m512i hashes[4], const stoa_sieve *sieve)
{
    static const uint8_t ends[64] = {
        3,  7,  11, 15, 19, 23, 27, 31, 35, 39,  43,  47,  51,  55,  59,  63,
        67, 71, 75, 79, 83, 87, 91, 95, 99, 103, 107, 111, 115, 119, 123, 127,
        2,  6,  10, 14, 18, 22, 26, 30, 34, 38,  42,  46,  50,  54,  58,  62,
        66, 70, 74, 78, 82, 86, 90, 94, 98, 102, 106, 110, 114, 118, 122, 126,
    }; /* of 32 numbers the fourth bytes, then the third ones */
    const __m512i first = _mm512_permutex2var_epi8(hashes[0], load(ends, 0), hashes[1]);
    const __m512i last = _mm512_permutex2var_epi8(hashes[2], load(ends, 0), hashes[3]);
    const __m512i high = _mm512_shuffle_i64x2(first, last, 0x44);
    const __m512i low = _mm512_shuffle_i64x2(first, last, 0xee);

    return bits_of_table(sieve->tables[0], high, low) &
           bits_of_table(sieve->tables[1], low, _mm512_srli_epi16(high, 5));
}

static inline uint64_t block_sieve_32(const uint8_t *values, const stoa_sieve *sieve)
{
    const __m512i factor = _mm512_set1_epi32((int)STOA_SIEVE_FACTOR);
    __m512i hashes[4];

    for (size_t i = 0; i < 4; i++) {
        hashes[i] = _mm512_mullo_epi32(load(values, i), factor);
    }
    return sieve_hashes(hashes, sieve);
}

static inline uint64_t block_sieve_64(const uint8_t *values, const stoa_sieve *sieve)
{
    const __m512i factor = _mm512_set1_epi32((int)STOA_SIEVE_FACTOR);
    const __m512i lower =
        _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
    const __m512i upper = _mm512_or_si512(lower, _mm512_set1_epi32(1));
    __m512i hashes[4];

    for (size_t i = 0; i < 4; i++) {
        const __m512i a = load(values, 2 * i);
        const __m512i b = load(values, 2 * i + 1);
        const __m512i folded = _mm512_xor_si512(_mm512_permutex2var_epi32(a, lower, b),
                                                _mm512_permutex2var_epi32(a, upper, b));
        hashes[i] = _mm512_mullo_epi32(folded, factor);
    }
    return sieve_hashes(hashes, sieve);
}

static inline uint64_t pack_flags(const uint8_t flags[64])
{
    const __m512i bytes = load(flags, 0);

    return _mm512_test_epi8_mask(bytes, bytes);
}

#include "query/filter_body.h"

const stoa_filter_kernels stoa_filter_avx512 = FILTER_TABLE;
