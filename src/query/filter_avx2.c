/* Tests of values with vectors of 32 bytes. */
#include <immintrin.h>
#include <string.h>

#include "core/memory.h"
#include "query/filter.h"

static inline __m256i load(const uint8_t *values, int i)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)values + i);
}

/* Two vectors of 16-bit truths as 32 bits. */
static inline uint64_t bits_of_16(__m256i a, __m256i b)
{
    const __m256i bytes = _mm256_permute4x64_epi64(_mm256_packs_epi16(a, b), 0xd8);

    return (uint32_t)_mm256_movemask_epi8(bytes);
}

/* There is no unsigned comparison: x <= span if the lesser of them is x. */
static inline uint64_t block_8(const uint8_t *values, const stoa_bounds *b)
{
    const __m256i low = _mm256_set1_epi8((char)b->low);
    const __m256i span = _mm256_set1_epi8((char)b->span);
    uint64_t word = 0;

    for (int i = 0; i < 2; i++) {
        const __m256i x = _mm256_sub_epi8(load(values, i), low);
        const __m256i truth = _mm256_cmpeq_epi8(_mm256_min_epu8(x, span), x);
        word |= (uint64_t)(uint32_t)_mm256_movemask_epi8(truth) << (32 * i);
    }
    return word;
}

static inline __m256i within_16_of(__m256i x, __m256i low, __m256i span)
{
    x = _mm256_sub_epi16(x, low);
    return _mm256_cmpeq_epi16(_mm256_min_epu16(x, span), x);
}

static inline uint64_t block_16(const uint8_t *values, const stoa_bounds *b)
{
    const __m256i low = _mm256_set1_epi16((short)b->low);
    const __m256i span = _mm256_set1_epi16((short)b->span);
    uint64_t word = 0;

    for (int i = 0; i < 2; i++) {
        word |= bits_of_16(within_16_of(load(values, 2 * i), low, span),
                           within_16_of(load(values, 2 * i + 1), low, span))
                << (32 * i);
    }
    return word;
}

static inline __m256i f16_keys(__m256i x)
{
    return _mm256_xor_si256(x, _mm256_srli_epi16(_mm256_srai_epi16(x, 15), 1));
}

static inline uint64_t block_f16(const uint8_t *values, const stoa_bounds *b)
{
    const __m256i low = _mm256_set1_epi16((short)b->low);
    const __m256i span = _mm256_set1_epi16((short)b->span);
    uint64_t word = 0;

    for (int i = 0; i < 2; i++) {
        word |= bits_of_16(within_16_of(f16_keys(load(values, 2 * i)), low, span),
                           within_16_of(f16_keys(load(values, 2 * i + 1)), low, span))
                << (32 * i);
    }
    return word;
}

static inline uint64_t block_32(const uint8_t *values, const stoa_bounds *b)
{
    const __m256i low = _mm256_set1_epi32((int)b->low);
    const __m256i span = _mm256_set1_epi32((int)b->span);
    uint64_t word = 0;

    for (int i = 0; i < 8; i++) {
        const __m256i x = _mm256_sub_epi32(load(values, i), low);
        const __m256i truth = _mm256_cmpeq_epi32(_mm256_min_epu32(x, span), x);
        word |= (uint64_t)(unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(truth)) << (8 * i);
    }
    return word;
}

static inline uint64_t block_64(const uint8_t *values, const stoa_bounds *b)
{
    /* Signed comparison is what there is: both sides are moved by half the range. */
    const __m256i low = _mm256_set1_epi64x((long long)(b->low ^ 1ull << 63));
    const __m256i span = _mm256_set1_epi64x((long long)(b->span ^ 1ull << 63));
    uint64_t word = 0;

    for (int i = 0; i < 16; i++) {
        const __m256i x = _mm256_sub_epi64(load(values, i), low);
        const __m256i beyond = _mm256_cmpgt_epi64(x, span);
        word |= (uint64_t)(unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(beyond)) << (4 * i);
    }
    return ~word;
}

static inline uint64_t block_f32(const uint8_t *values, const stoa_bounds *b)
{
    const __m256 least = _mm256_set1_ps((float)b->least);
    const __m256 greatest = _mm256_set1_ps((float)b->greatest);
    uint64_t word = 0;

    for (int i = 0; i < 8; i++) {
        const __m256 x = _mm256_castsi256_ps(load(values, i));
        const __m256 truth = _mm256_and_ps(_mm256_cmp_ps(x, least, _CMP_GE_OQ),
                                           _mm256_cmp_ps(x, greatest, _CMP_LE_OQ));
        word |= (uint64_t)(unsigned)_mm256_movemask_ps(truth) << (8 * i);
    }
    return word;
}

static inline uint64_t block_f64(const uint8_t *values, const stoa_bounds *b)
{
    const __m256d least = _mm256_set1_pd(b->least);
    const __m256d greatest = _mm256_set1_pd(b->greatest);
    uint64_t word = 0;

    for (int i = 0; i < 16; i++) {
        const __m256d x = _mm256_castsi256_pd(load(values, i));
        const __m256d truth = _mm256_and_pd(_mm256_cmp_pd(x, least, _CMP_GE_OQ),
                                            _mm256_cmp_pd(x, greatest, _CMP_LE_OQ));
        word |= (uint64_t)(unsigned)_mm256_movemask_pd(truth) << (4 * i);
    }
    return word;
}

/* The byte of the table that holds a value's bit, and that bit in it. */
static inline uint64_t block_table(const uint8_t *values, const uint8_t *table)
{
    const __m256i halves = _mm256_loadu_si256((const __m256i *)(const void *)table);
    const __m256i lower = _mm256_permute4x64_epi64(halves, 0x44);
    const __m256i upper = _mm256_permute4x64_epi64(halves, 0xee);
    const __m256i powers = _mm256_set1_epi64x((long long)0x8040201008040201u);
    uint64_t word = 0;

    for (int i = 0; i < 2; i++) {
        const __m256i x = load(values, i);
        const __m256i place = _mm256_and_si256(_mm256_srli_epi16(x, 3), _mm256_set1_epi8(15));
        const __m256i row = _mm256_blendv_epi8(_mm256_shuffle_epi8(lower, place),
                                               _mm256_shuffle_epi8(upper, place), x);
        const __m256i bit = _mm256_shuffle_epi8(powers, _mm256_and_si256(x, _mm256_set1_epi8(7)));
        const __m256i truth = _mm256_cmpeq_epi8(_mm256_and_si256(row, bit), bit);
        word |= (uint64_t)(uint32_t)_mm256_movemask_epi8(truth) << (32 * i);
    }
    return word;
}

/* Bytes of a table of 128: of each sixteen the one that its lower bits say, and one of those. */
static inline __m256i bytes_of_table(const uint8_t *table, __m256i place)
{
    const __m256i in_sixteen = _mm256_and_si256(place, _mm256_set1_epi8(15));
    __m256i rows[8];

    for (size_t i = 0; i < 8; i++) {
        const __m128i sixteen = _mm_loadu_si128((const __m128i *)(const void *)table + i);
        rows[i] = _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(sixteen), in_sixteen);
    }
    for (size_t i = 0; i < 4; i++) {
        rows[i] = _mm256_blendv_epi8(rows[2 * i], rows[2 * i + 1], _mm256_slli_epi16(place, 3));
    }
    for (size_t i = 0; i < 2; i++) {
        rows[i] = _mm256_blendv_epi8(rows[2 * i], rows[2 * i + 1], _mm256_slli_epi16(place, 2));
    }
    return _mm256_blendv_epi8(rows[0], rows[1], _mm256_slli_epi16(place, 1));
}

static inline __m256i truth_of_table(const uint8_t *table, __m256i byte, __m256i bit)
{
    const __m256i powers = _mm256_set1_epi64x((long long)0x8040201008040201u);
    const __m256i power = _mm256_shuffle_epi8(powers, _mm256_and_si256(bit, _mm256_set1_epi8(7)));

    return _mm256_cmpeq_epi8(_mm256_and_si256(bytes_of_table(table, byte), power), power);
}

/* 32 values by their hashes. */
static inline uint32_t sieve_hashes(const __m256i hashes[4], const stoa_sieve *sieve)
{
    const __m256i first =
        _mm256_packus_epi32(_mm256_srli_epi32(hashes[0], 16), _mm256_srli_epi32(hashes[1], 16));
    const __m256i last =
        _mm256_packus_epi32(_mm256_srli_epi32(hashes[2], 16), _mm256_srli_epi32(hashes[3], 16));
    const __m256i lower = _mm256_set1_epi16(255);
    const __m256i high =
        _mm256_packus_epi16(_mm256_srli_epi16(first, 8), _mm256_srli_epi16(last, 8));
    const __m256i low =
        _mm256_packus_epi16(_mm256_and_si256(first, lower), _mm256_and_si256(last, lower));
    const __m256i truth =
        _mm256_and_si256(truth_of_table(sieve->tables[0], high, low),
                         truth_of_table(sieve->tables[1], low, _mm256_srli_epi16(high, 5)));

    /* Packing goes on within halves: fours of the lower ones first, then those of the upper. */
    return (uint32_t)_mm256_movemask_epi8(
        _mm256_permutevar8x32_epi32(truth, _mm256_set_epi32(7, 3, 6, 2, 5, 1, 4, 0)));
}

static inline uint64_t block_sieve_32(const uint8_t *values, const stoa_sieve *sieve)
{
    const __m256i factor = _mm256_set1_epi32((int)STOA_SIEVE_FACTOR);
    uint64_t word = 0;

    for (int half = 0; half < 2; half++) {
        __m256i hashes[4];
        for (int i = 0; i < 4; i++) {
            hashes[i] = _mm256_mullo_epi32(load(values, 4 * half + i), factor);
        }
        word |= (uint64_t)sieve_hashes(hashes, sieve) << (32 * half);
    }
    return word;
}

/* Eight values of 64 bits, their halves on each other. */
static inline __m256i fold(__m256i a, __m256i b)
{
    const __m256 x = _mm256_castsi256_ps(a);
    const __m256 y = _mm256_castsi256_ps(b);
    const __m256i folded = _mm256_castps_si256(
        _mm256_xor_ps(_mm256_shuffle_ps(x, y, 0x88), _mm256_shuffle_ps(x, y, 0xdd)));

    return _mm256_permute4x64_epi64(folded, 0xd8);
}

static inline uint64_t block_sieve_64(const uint8_t *values, const stoa_sieve *sieve)
{
    const __m256i factor = _mm256_set1_epi32((int)STOA_SIEVE_FACTOR);
    uint64_t word = 0;

    for (int half = 0; half < 2; half++) {
        __m256i hashes[4];
        for (int i = 0; i < 4; i++) {
            const int at = 8 * half + 2 * i;
            hashes[i] = _mm256_mullo_epi32(fold(load(values, at), load(values, at + 1)), factor);
        }
        word |= (uint64_t)sieve_hashes(hashes, sieve) << (32 * half);
    }
    return word;
}

static inline uint64_t pack_flags(const uint8_t flags[64])
{
    uint64_t word = 0;

    for (int i = 0; i < 2; i++) {
        const __m256i truth = _mm256_cmpgt_epi8(load(flags, i), _mm256_setzero_si256());
        word |= (uint64_t)(uint32_t)_mm256_movemask_epi8(truth) << (32 * i);
    }
    return word;
}

#include "query/filter_body.h"

const stoa_filter_kernels stoa_filter_avx2 = FILTER_TABLE;
