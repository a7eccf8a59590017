/*
 * Joins and splits planes with AVX-512, and transposes bits with GFNI.
 *
 * One permutation of each plane makes the 16-byte lanes of the result contiguous in memory. Each
 * lane is transposed with the parts of the planes that belong to it. Elements with gaps between
 * them are left to AVX2.
 */
#include "core/simd_avx512.h"

#include "codec/kernels/shuffle.h"

#define REST stoa_shuffle_avx2
enum { IS_APART = 0 };

static inline simd join_order(size_t n, simd x)
{
    if (n == 4) {
        return _mm512_permutexvar_epi32(
            _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15), x);
    }
    return _mm512_permutexvar_epi16(_mm512_set_epi16(31, 27, 23, 19, 15, 11, 7, 3, 30, 26, 22, 18,
                                                     14, 10, 6, 2, 29, 25, 21, 17, 13, 9, 5, 1, 28,
                                                     24, 20, 16, 12, 8, 4, 0),
                                    x);
}

static inline simd split_order(size_t n, simd x)
{
    if (n == 4) {
        return join_order(4, x);
    }
    return _mm512_permutexvar_epi16(_mm512_set_epi16(31, 23, 15, 7, 30, 22, 14, 6, 29, 21, 13, 5,
                                                     28, 20, 12, 4, 27, 19, 11, 3, 26, 18, 10, 2,
                                                     25, 17, 9, 1, 24, 16, 8, 0),
                                    x);
}

static inline void put_elements(uint8_t *to, size_t stride, size_t n, size_t k, simd x)
{
    simd_store(to + 64 / n * k * stride, x);
}

static inline simd get_elements(const uint8_t *from, size_t stride, size_t n, size_t k)
{
    return simd_load(from + 64 / n * k * stride);
}

#include "codec/kernels/shuffle_body.h"

/* Apply each matrix to the unit vectors, which gives its columns. GFNI's first row is the last
 * byte. */
static void transpose_bits(uint8_t *bytes, size_t n_bytes)
{
    const simd units = simd_splat_64(0x8040201008040201);
    const simd reversed =
        _mm512_broadcast_i32x4(_mm_setr_epi8(7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8));
    size_t i = 0;

    for (; i + 64 <= n_bytes; i += 64) {
        const simd rows = simd_look_up(simd_load(bytes + i), reversed);
        simd_store(bytes + i, _mm512_gf2p8affine_epi64_epi8(units, rows, 0));
    }
    transpose_loop(bytes + i, n_bytes - i);
}

const stoa_shuffle_kernels stoa_shuffle_avx512 = STOA_SHUFFLE_TABLE;
