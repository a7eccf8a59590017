/* Joins and splits planes with NEON. */
#include "core/simd_neon.h"

#include "codec/kernels/shuffle.h"

#define REST stoa_shuffle_scalar
enum { IS_APART = 1 };
#define join_order(n, x) (x)
#define split_order(n, x) (x)

/* Store 16 bytes: contiguous, or as two separate elements. */
static inline void put_elements(uint8_t *to, size_t stride, size_t n, size_t k, simd x)
{
    to += 16 / n * k * stride;
    if (stride == n) {
        simd_store(to, x);
    } else {
        vst1_u8(to, vget_low_u8(x));
        vst1_u8(to + stride, vget_high_u8(x));
    }
}

static inline simd get_elements(const uint8_t *from, size_t stride, size_t n, size_t k)
{
    from += 16 / n * k * stride;
    return stride == n ? simd_load(from) : vcombine_u8(vld1_u8(from), vld1_u8(from + stride));
}

#include "codec/kernels/shuffle_body.h"

static void transpose_bits(uint8_t *bytes, size_t n_bytes)
{
    transpose_loop(bytes, n_bytes);
}

const stoa_shuffle_kernels stoa_shuffle_neon = STOA_SHUFFLE_TABLE;
