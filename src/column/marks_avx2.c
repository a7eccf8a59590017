/* Marking rows with AVX2: comparisons of 32 bytes, their signs gathered into bits. */
#include <immintrin.h>
#include <string.h>

#include "column/marks_loops.h"

/* The last elements, fewer than 64, are tested one by one. */
#define DEFINE_MARK(name, parameters, before, type, LANES, TEST, is_marked)                        \
    static uint64_t name parameters                                                                \
    {                                                                                              \
        const type *values = elements;                                                             \
        uint64_t n_marked = 0;                                                                     \
        uint64_t i = 0;                                                                            \
        before;                                                                                    \
        for (; n - i >= 64; i += 64) {                                                             \
            uint64_t marked = 0;                                                                   \
            for (size_t k = 0; k < 64 / (LANES); k++) {                                            \
                const __m256i *const at = (const __m256i *)(const void *)(values + i) +            \
                                          k * (LANES) * sizeof(type) / sizeof(__m256i);            \
                marked |= (uint64_t)(TEST) << (k * (LANES));                                       \
            }                                                                                      \
            n_marked += (uint64_t)__builtin_popcountll(marked);                                    \
            const uint64_t word = ~marked;                                                         \
            memcpy(bits + (i >> 3), &word, sizeof word);                                           \
        }                                                                                          \
        for (; i < n; i += 8) {                                                                    \
            unsigned byte = 0;                                                                     \
            for (unsigned k = 0; k < 8 && i + k < n; k++) {                                        \
                const type value = values[i + k];                                                  \
                const unsigned is = (is_marked);                                                   \
                byte |= (is ^ 1u) << k;                                                            \
                n_marked += is;                                                                    \
            }                                                                                      \
            bits[i >> 3] = (uint8_t)byte;                                                          \
        }                                                                                          \
        return n_marked;                                                                           \
    }

#define LOAD(k) _mm256_loadu_si256(at + (k))
#define UNEQUAL (const void *elements, uint64_t n, uint64_t marker, uint8_t *bits)
#define NUMBERS (const void *elements, uint64_t n, uint8_t *bits)

/* 16-bit verdicts of two vectors as bytes in their order: packing interleaves the halves. */
static inline uint32_t bits_of_words(__m256i low, __m256i high)
{
    const __m256i bytes = _mm256_permute4x64_epi64(_mm256_packs_epi16(low, high), 0xd8);

    return (uint32_t)_mm256_movemask_epi8(bytes);
}

static inline uint32_t bits_of_bytes(__m256i v)
{
    return (uint32_t)_mm256_movemask_epi8(v);
}

static inline uint32_t bits_of_ints(__m256i v)
{
    return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(v));
}

static inline uint32_t bits_of_longs(__m256i v)
{
    return (uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(v));
}

#define EQUAL_TO(vector) const __m256i wanted = vector

DEFINE_MARK(unequal_1, UNEQUAL, EQUAL_TO(_mm256_set1_epi8((char)(uint8_t)marker)), uint8_t, 32,
            bits_of_bytes(_mm256_cmpeq_epi8(LOAD(0), wanted)), value == (uint8_t)marker)
DEFINE_MARK(unequal_2, UNEQUAL, EQUAL_TO(_mm256_set1_epi16((short)(uint16_t)marker)), uint16_t, 32,
            bits_of_words(_mm256_cmpeq_epi16(LOAD(0), wanted), _mm256_cmpeq_epi16(LOAD(1), wanted)),
            value == (uint16_t)marker)
DEFINE_MARK(unequal_4, UNEQUAL, EQUAL_TO(_mm256_set1_epi32((int)(uint32_t)marker)), uint32_t, 8,
            bits_of_ints(_mm256_cmpeq_epi32(LOAD(0), wanted)), value == (uint32_t)marker)
DEFINE_MARK(unequal_8, UNEQUAL, EQUAL_TO(_mm256_set1_epi64x((long long)marker)), uint64_t, 4,
            bits_of_longs(_mm256_cmpeq_epi64(LOAD(0), wanted)), value == marker)

/* More than infinity, the sign left out. */
#define NAN_OVER(magnitude, infinity)                                                              \
    const __m256i without_sign = magnitude;                                                        \
    const __m256i infinite = infinity
#define SIZE(k) _mm256_and_si256(LOAD(k), without_sign)

DEFINE_MARK(numbers_2, NUMBERS, NAN_OVER(_mm256_set1_epi16(0x7fff), _mm256_set1_epi16(0x7c00)),
            uint16_t, 32,
            bits_of_words(_mm256_cmpgt_epi16(SIZE(0), infinite),
                          _mm256_cmpgt_epi16(SIZE(1), infinite)),
            (value & 0x7fffu) > 0x7c00u)
DEFINE_MARK(numbers_4, NUMBERS,
            NAN_OVER(_mm256_set1_epi32(0x7fffffff), _mm256_set1_epi32(0x7f800000)), uint32_t, 8,
            bits_of_ints(_mm256_cmpgt_epi32(SIZE(0), infinite)),
            (value & 0x7fffffffu) > 0x7f800000u)
DEFINE_MARK(numbers_8, NUMBERS,
            NAN_OVER(_mm256_set1_epi64x(0x7fffffffffffffff),
                     _mm256_set1_epi64x(0x7ff0000000000000)),
            uint64_t, 4, bits_of_longs(_mm256_cmpgt_epi64(SIZE(0), infinite)),
            (value & UINT64_C(0x7fffffffffffffff)) > UINT64_C(0x7ff0000000000000))

DEFINE_BELOW(below_1, uint8_t)
DEFINE_BELOW(below_2, uint16_t)
DEFINE_BELOW(below_4, uint32_t)
DEFINE_BELOW(below_8, uint64_t)

const stoa_marks stoa_marks_avx2 = STOA_MARKS_TABLE;
