/* Joins and splits planes with AVX2. The halves of a vector are loaded and stored separately. */
#include "core/simd_avx2.h"

#include "codec/kernels/shuffle.h"

#define REST stoa_shuffle_scalar
enum { IS_APART = 1 };
#define join_order(n, x) (x)
#define split_order(n, x) (x)

/* Store 16 bytes: contiguous, or as two separate elements. */
static inline void put_sixteen(uint8_t *to, size_t stride, __m128i x)
{
    if (stride <= 8) {
        _mm_storeu_si128((__m128i *)to, x);
    } else {
        _mm_storel_epi64((__m128i *)to, x);
        _mm_storel_epi64((__m128i *)(to + stride), _mm_unpackhi_epi64(x, x));
    }
}

static inline __m128i get_sixteen(const uint8_t *from, size_t stride)
{
    return stride <= 8 ? _mm_loadu_si128((const __m128i *)from)
                       : _mm_unpacklo_epi64(_mm_loadl_epi64((const __m128i *)from),
                                            _mm_loadl_epi64((const __m128i *)(from + stride)));
}

static inline void put_elements(uint8_t *to, size_t stride, size_t n, size_t k, simd x)
{
    to += 16 / n * k * stride;
    put_sixteen(to, stride, _mm256_castsi256_si128(x));
    put_sixteen(to + 16 * stride, stride, _mm256_extracti128_si256(x, 1));
}

static inline simd get_elements(const uint8_t *from, size_t stride, size_t n, size_t k)
{
    from += 16 / n * k * stride;
    return _mm256_inserti128_si256(_mm256_castsi128_si256(get_sixteen(from, stride)),
                                   get_sixteen(from + 16 * stride, stride), 1);
}

#include "codec/kernels/shuffle_body.h"

static void transpose_bits(uint8_t *bytes, size_t n_bytes)
{
    transpose_loop(bytes, n_bytes);
}

const stoa_shuffle_kernels stoa_shuffle_avx2 = STOA_SHUFFLE_TABLE;
