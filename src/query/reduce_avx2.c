/* Reductions by AVX2: four 64-bit values a vector. */
#include <immintrin.h>

#include "core/memory.h"
#include "query/reduce.h"

#define W 4
typedef __m256d floats;
typedef __m256i integers;
typedef __m256i kept; /* all bits of a value, or none */

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

/* The instruction gives its second operand where one is a NaN and where both are zeros. */
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

#include "query/reduce_loops.h"

const stoa_reductions stoa_reductions_avx2 = STOA_REDUCTIONS;
