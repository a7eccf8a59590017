/* Reductions with AVX-512: eight 64-bit values per vector. */
#include <immintrin.h>

#include "core/memory.h"
#include "query/aggregate/reduce.h"

#define W 8
typedef __m512d floats;
typedef __m512i integers;
typedef __mmask8 kept;

static inline kept keep(unsigned bits)
{
    return (kept)bits;
}

#define DEFINE_LOAD(name, widen, fetch, ctype)                                                     \
    static inline integers load_##name(const ctype *from)                                          \
    {                                                                                              \
        return widen(fetch((const void *)from));                                                   \
    }
DEFINE_LOAD(i8, _mm512_cvtepi8_epi64, _mm_loadu_si64, int8_t)
DEFINE_LOAD(u8, _mm512_cvtepu8_epi64, _mm_loadu_si64, uint8_t)
DEFINE_LOAD(i16, _mm512_cvtepi16_epi64, _mm_loadu_si128, int16_t)
DEFINE_LOAD(u16, _mm512_cvtepu16_epi64, _mm_loadu_si128, uint16_t)
DEFINE_LOAD(i32, _mm512_cvtepi32_epi64, _mm256_loadu_si256, int32_t)
DEFINE_LOAD(u32, _mm512_cvtepu32_epi64, _mm256_loadu_si256, uint32_t)

static inline integers load_i64(const void *from)
{
    return _mm512_loadu_si512(from);
}

static inline floats load_f32(const float *from)
{
    return _mm512_cvtps_pd(_mm256_loadu_ps(from));
}

static inline floats load_f64(const double *from)
{
    return _mm512_loadu_pd(from);
}

static inline floats only_f(kept rows, floats x)
{
    return _mm512_maskz_mov_pd(rows, x);
}

static inline integers only_i(kept rows, integers x)
{
    return _mm512_maskz_mov_epi64(rows, x);
}

static inline integers add_i(kept rows, integers old, integers x)
{
    return _mm512_mask_add_epi64(old, rows, old, x);
}

static inline integers upper_half(integers x)
{
    return _mm512_srli_epi64(x, 32);
}

/* The instruction returns its second operand if one is a NaN or both are zeros. */
static inline floats min_f(kept rows, floats old, floats x)
{
    return _mm512_mask_min_pd(old, rows, x, old);
}

static inline floats max_f(kept rows, floats old, floats x)
{
    return _mm512_mask_max_pd(old, rows, x, old);
}

static inline integers min_i(kept rows, integers old, integers x)
{
    return _mm512_mask_min_epi64(old, rows, x, old);
}

static inline integers max_i(kept rows, integers old, integers x)
{
    return _mm512_mask_max_epi64(old, rows, x, old);
}

typedef __m512 singles;

static inline singles singles_of(const float *from, unsigned bits)
{
    return _mm512_maskz_loadu_ps((__mmask16)bits, from);
}

static inline floats widen_singles(singles x, int v)
{
    return _mm512_cvtps_pd(v == 0 ? _mm512_castps512_ps256(x) : _mm512_extractf32x8_ps(x, 1));
}

static inline bool is_wide(const singles *rows)
{
    const __m512i without_sign = _mm512_set1_epi32(INT32_MAX);
    const __m512i apart = _mm512_set1_epi32(STOA_REDUCE_APART);
    __m512i less_one = _mm512_set1_epi32(-1); /* the least except zeros, minus one */
    __m512i most = _mm512_setzero_si512();

    for (int i = 0; i < STOA_REDUCE_BLOCK / STOA_REDUCE_LANES; i++) {
        const __m512i bits = _mm512_and_si512(_mm512_castps_si512(rows[i]), without_sign);
        most = _mm512_max_epu32(most, bits);
        less_one = _mm512_min_epu32(less_one, _mm512_sub_epi32(bits, _mm512_set1_epi32(1)));
    }
    less_one = _mm512_srli_epi32(less_one, STOA_FLOAT_SIGNIFICAND);
    most = _mm512_srli_epi32(most, STOA_FLOAT_SIGNIFICAND);
    return _mm512_cmpgt_epu32_mask(most, _mm512_add_epi32(less_one, apart)) != 0;
}

#include "query/aggregate/reduce_loops.h"

const stoa_reductions stoa_reductions_avx512 = STOA_REDUCTIONS;
