/* Marking rows with AVX-512: a comparison of 64 bytes gives its bits at once. */
#include <immintrin.h>
#include <string.h>

#include "column/marks_loops.h"

/* The last bits, so that no element past n is loaded. */
static inline uint64_t below(uint64_t n)
{
    return n >= 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1;
}

/* 64 bits at a time; `MASK(k)` compares the k-th vector's worth of elements with those of `wanted`
 * loaded. A step has 64 / LANES vectors. */
#define DEFINE_MARK(name, parameters, before, type, LANES, MASKED_LOAD, LOAD, TEST)                \
    static uint64_t name parameters                                                                \
    {                                                                                              \
        const type *values = elements;                                                             \
        uint64_t n_marked = 0;                                                                     \
        before;                                                                                    \
        for (uint64_t i = 0; i < n; i += 64) {                                                     \
            const uint64_t wanted = below(n - i);                                                  \
            uint64_t marked = 0;                                                                   \
            for (size_t k = 0; k < 64 / (LANES); k++) {                                            \
                const uint64_t lanes = wanted >> (k * (LANES)&63);                                 \
                const __m512i v = n - i >= 64 ? LOAD(values + i + k * (LANES))                     \
                                              : MASKED_LOAD(lanes, values + i + k * (LANES));      \
                marked |= (uint64_t)(TEST) << (k * (LANES)&63);                                    \
            }                                                                                      \
            marked &= wanted;                                                                      \
            n_marked += (uint64_t)__builtin_popcountll(marked);                                    \
            const uint64_t word = ~marked & wanted;                                                \
            memcpy(bits + (i >> 3), &word, n - i >= 64 ? 8 : (size_t)((n - i + 7) >> 3));          \
        }                                                                                          \
        return n_marked;                                                                           \
    }

#define LOAD_ALL(p) _mm512_loadu_si512(p)
#define LOAD_1(lanes, p) _mm512_maskz_loadu_epi8((__mmask64)(lanes), p)
#define LOAD_2(lanes, p) _mm512_maskz_loadu_epi16((__mmask32)(lanes), p)
#define LOAD_4(lanes, p) _mm512_maskz_loadu_epi32((__mmask16)(lanes), p)
#define LOAD_8(lanes, p) _mm512_maskz_loadu_epi64((__mmask8)(lanes), p)

#define UNEQUAL (const void *elements, uint64_t n, uint64_t marker, uint8_t *bits)
#define NUMBERS (const void *elements, uint64_t n, uint8_t *bits)
#define EQUAL_TO(bits_of) const __m512i wanted_value = bits_of

DEFINE_MARK(unequal_1, UNEQUAL, EQUAL_TO(_mm512_set1_epi8((char)(uint8_t)marker)), uint8_t, 64,
            LOAD_1, LOAD_ALL, _mm512_cmpeq_epi8_mask(v, wanted_value))
DEFINE_MARK(unequal_2, UNEQUAL, EQUAL_TO(_mm512_set1_epi16((short)(uint16_t)marker)), uint16_t, 32,
            LOAD_2, LOAD_ALL, _mm512_cmpeq_epi16_mask(v, wanted_value))
DEFINE_MARK(unequal_4, UNEQUAL, EQUAL_TO(_mm512_set1_epi32((int)(uint32_t)marker)), uint32_t, 16,
            LOAD_4, LOAD_ALL, _mm512_cmpeq_epi32_mask(v, wanted_value))
DEFINE_MARK(unequal_8, UNEQUAL, EQUAL_TO(_mm512_set1_epi64((long long)marker)), uint64_t, 8, LOAD_8,
            LOAD_ALL, _mm512_cmpeq_epi64_mask(v, wanted_value))

/* More than infinity, the sign left out. */
#define NAN_OVER(magnitude, infinity)                                                              \
    const __m512i without_sign = magnitude;                                                        \
    const __m512i infinite = infinity

DEFINE_MARK(numbers_2, NUMBERS, NAN_OVER(_mm512_set1_epi16(0x7fff), _mm512_set1_epi16(0x7c00)),
            uint16_t, 32, LOAD_2, LOAD_ALL,
            _mm512_cmpgt_epi16_mask(_mm512_and_si512(v, without_sign), infinite))
DEFINE_MARK(numbers_4, NUMBERS,
            NAN_OVER(_mm512_set1_epi32(0x7fffffff), _mm512_set1_epi32(0x7f800000)), uint32_t, 16,
            LOAD_4, LOAD_ALL, _mm512_cmpgt_epi32_mask(_mm512_and_si512(v, without_sign), infinite))
DEFINE_MARK(numbers_8, NUMBERS,
            NAN_OVER(_mm512_set1_epi64(0x7fffffffffffffff), _mm512_set1_epi64(0x7ff0000000000000)),
            uint64_t, 8, LOAD_8, LOAD_ALL,
            _mm512_cmpgt_epi64_mask(_mm512_and_si512(v, without_sign), infinite))

/* The largest of all, by vectors; zeros stand for elements past the end. */
#define DEFINE_WIDE_BELOW(name, type, LANES, MASKED_LOAD, MAX)                                     \
    static bool name(const void *elements, uint64_t n, uint64_t limit)                             \
    {                                                                                              \
        const type *values = elements;                                                             \
        type lanes_of[LANES];                                                                      \
        type largest = 0;                                                                          \
        __m512i most = _mm512_setzero_si512();                                                     \
        uint64_t i = 0;                                                                            \
        for (; n - i >= (LANES); i += (LANES)) {                                                   \
            most = MAX(most, _mm512_loadu_si512(values + i));                                      \
        }                                                                                          \
        if (i < n) {                                                                               \
            most = MAX(most, MASKED_LOAD(below(n - i), values + i));                               \
        }                                                                                          \
        _mm512_storeu_si512(lanes_of, most);                                                       \
        for (unsigned k = 0; k < (LANES); k++) {                                                   \
            largest = lanes_of[k] > largest ? lanes_of[k] : largest;                               \
        }                                                                                          \
        return n == 0 || largest < limit;                                                          \
    }

DEFINE_WIDE_BELOW(below_1, uint8_t, 64, LOAD_1, _mm512_max_epu8)
DEFINE_WIDE_BELOW(below_2, uint16_t, 32, LOAD_2, _mm512_max_epu16)
DEFINE_WIDE_BELOW(below_4, uint32_t, 16, LOAD_4, _mm512_max_epu32)
DEFINE_WIDE_BELOW(below_8, uint64_t, 8, LOAD_8, _mm512_max_epu64)

const stoa_marks stoa_marks_avx512 = STOA_MARKS_TABLE;
