/* Reductions with AVX2: four 64-bit values per vector. */
#include <immintrin.h>

#include "core/memory.h"
#include "query/aggregate/reduce.h"

#define W 4
typedef __m256d floats;
typedef __m256i integers;
typedef __m256i kept; /* per value, all bits set or none */

static inline kept keep(unsigned bits)
{
    const __m256i lanes = _mm256_set_epi64x(8, 4, 2, 1);

    return _mm256_cmpeq_epi64(_mm256_and_si256(_mm256_set1_epi64x(bits), lanes), lanes);
}

#define DEFINE_LOAD(name, widen, fetch, ctype)                                                     \
    static inline integers load_##name(const ctype *from)                                          \
    {                                                                                              \
        return widen(fetch((const void *)from));                                                   \
    }
DEFINE_LOAD(i8, _mm256_cvtepi8_epi64, _mm_loadu_si32, int8_t)
DEFINE_LOAD(u8, _mm256_cvtepu8_epi64, _mm_loadu_si32, uint8_t)
DEFINE_LOAD(i16, _mm256_cvtepi16_epi64, _mm_loadu_si64, int16_t)
DEFINE_LOAD(u16, _mm256_cvtepu16_epi64, _mm_loadu_si64, uint16_t)
DEFINE_LOAD(i32, _mm256_cvtepi32_epi64, _mm_loadu_si128, int32_t)
DEFINE_LOAD(u32, _mm256_cvtepu32_epi64, _mm_loadu_si128, uint32_t)

static inline integers load_i64(const void *from)
{
    return _mm256_loadu_si256(from);
}

static inline floats load_f32(const float *from)
{
    return _mm256_cvtps_pd(_mm_loadu_ps(from));
}

static inline floats load_f64(const double *from)
{
    return _mm256_loadu_pd(from);
}

static inline floats only_f(kept rows, floats x)
{
    return _mm256_and_pd(_mm256_castsi256_pd(rows), x);
}

static inline integers only_i(kept rows, integers x)
{
    return _mm256_and_si256(rows, x);
}

static inline integers add_i(kept rows, integers old, integers x)
{
    return _mm256_add_epi64(old, _mm256_and_si256(rows, x));
}

static inline integers upper_half(integers x)
{
    return _mm256_srli_epi64(x, 32);
}

/* The instruction returns its second operand if one is a NaN or both are zeros. */
static inline floats min_f(kept rows, floats old, floats x)
{
    return _mm256_blendv_pd(old, _mm256_min_pd(x, old), _mm256_castsi256_pd(rows));
}

static inline floats max_f(kept rows, floats old, floats x)
{
    return _mm256_blendv_pd(old, _mm256_max_pd(x, old), _mm256_castsi256_pd(rows));
}

static inline integers min_i(kept rows, integers old, integers x)
{
    return _mm256_blendv_epi8(old, x, _mm256_and_si256(rows, _mm256_cmpgt_epi64(old, x)));
}

static inline integers max_i(kept rows, integers old, integers x)
{
    return _mm256_blendv_epi8(old, x, _mm256_and_si256(rows, _mm256_cmpgt_epi64(x, old)));
}

typedef struct singles {
    __m256 half[2];
} singles;

static inline singles singles_of(const float *from, unsigned bits)
{
    const __m256i places = _mm256_set_epi32(128, 64, 32, 16, 8, 4, 2, 1);
    singles x;

    for (size_t i = 0; i < 2; i++) {
        const __m256i wanted = _mm256_set1_epi32((int)(bits >> (8 * i)));
        const __m256i rows = _mm256_cmpeq_epi32(_mm256_and_si256(wanted, places), places);
        x.half[i] = _mm256_and_ps(_mm256_castsi256_ps(rows), _mm256_loadu_ps(from + 8 * i));
    }
    return x;
}

static inline floats widen_singles(singles x, int v)
{
    const __m256 half = x.half[v / 2];

    return _mm256_cvtps_pd(v % 2 == 0 ? _mm256_castps256_ps128(half)
                                      : _mm256_extractf128_ps(half, 1));
}

static inline bool is_wide(const singles *rows)
{
    const __m256i without_sign = _mm256_set1_epi32(INT32_MAX);
    const __m256i apart = _mm256_set1_epi32(STOA_REDUCE_APART);
    __m256i wide = _mm256_setzero_si256();

    for (int h = 0; h < 2; h++) {
        __m256i less_one = _mm256_set1_epi32(-1); /* the least except zeros, minus one */
        __m256i most = _mm256_setzero_si256();
        for (int i = 0; i < STOA_REDUCE_BLOCK / STOA_REDUCE_LANES; i++) {
            const __m256i bits =
                _mm256_and_si256(_mm256_castps_si256(rows[i].half[h]), without_sign);
            most = _mm256_max_epu32(most, bits);
            less_one = _mm256_min_epu32(less_one, _mm256_sub_epi32(bits, _mm256_set1_epi32(1)));
        }
        less_one = _mm256_srli_epi32(less_one, STOA_FLOAT_SIGNIFICAND);
        most = _mm256_srli_epi32(most, STOA_FLOAT_SIGNIFICAND);
        wide = _mm256_or_si256(wide, _mm256_cmpgt_epi32(most, _mm256_add_epi32(less_one, apart)));
    }
    return _mm256_testz_si256(wide, wide) == 0;
}

#include "query/aggregate/reduce_loops.h"

const stoa_reductions stoa_reductions_avx2 = STOA_REDUCTIONS;
