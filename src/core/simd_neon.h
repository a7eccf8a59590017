/* The operations of core/simd_avx2.h for NEON, which every arm64 processor has. Addition and
 * comparison of lanes use the compiler's vector operators. */
#ifndef STOA_CORE_SIMD_NEON_H
#define STOA_CORE_SIMD_NEON_H

#include <arm_neon.h>
#include <stdint.h>

#define SIMD_BYTES 16
typedef uint8x16_t simd;
typedef uint8x16_t simd_truth_8;
typedef uint8x16_t simd_truth_32;
typedef uint8x16_t simd_truth_64;

#define simd_load(from) vld1q_u8((const void *)(from))
#define simd_store(to, x) vst1q_u8((void *)(to), x)
#define simd_splat_8(x) vdupq_n_u8((uint8_t)(x))
#define simd_splat_16(x) ((simd)vdupq_n_u16((uint16_t)(x)))
#define simd_splat_32(x) ((simd)vdupq_n_u32((uint32_t)(x)))
#define simd_splat_64(x) ((simd)vdupq_n_u64((uint64_t)(x)))
#define simd_splat_f32(x) ((simd)vdupq_n_f32(x))
#define simd_splat_f64(x) ((simd)vdupq_n_f64(x))

#define simd_and vandq_u8
#define simd_xor veorq_u8
#define simd_sub_8 vsubq_u8
#define simd_sub_16(a, b) ((simd)((uint16x8_t)(a) - (uint16x8_t)(b)))
#define simd_sub_32(a, b) ((simd)((uint32x4_t)(a) - (uint32x4_t)(b)))
#define simd_sub_64(a, b) ((simd)((uint64x2_t)(a) - (uint64x2_t)(b)))
#define simd_mul_32(a, b) ((simd)((uint32x4_t)(a) * (uint32x4_t)(b)))
#define simd_right_16(x, n) ((simd)((uint16x8_t)(x) >> (n)))
#define simd_right_32(x, n) ((simd)((uint32x4_t)(x) >> (n)))
#define simd_right_64(x, n) ((simd)((uint64x2_t)(x) >> (n)))
#define simd_signs_16(x) ((simd)((int16x8_t)(x) >> 15))

#define simd_zip_low vzip1q_u8
#define simd_zip_high vzip2q_u8
#define simd_look_up vqtbl1q_u8

static inline simd simd_look_up_32(const uint8_t *table, simd at)
{
    return vqtbl2q_u8(vld1q_u8_x2(table), at);
}

/* vqtbl4q_u8() gives 0 for an index outside its half of the table. */
static inline simd simd_look_up_128(const uint8_t *table, simd at)
{
    at = vandq_u8(at, simd_splat_8(127));
    return vqtbl4q_u8(vld1q_u8_x4(table), at) |
           vqtbl4q_u8(vld1q_u8_x4(table + 64), at - simd_splat_8(64));
}

#define simd_even_8 vuzp1q_u8
#define simd_even_16(a, b) ((simd)vuzp1q_u16((uint16x8_t)(a), (uint16x8_t)(b)))
#define simd_even_32(a, b) ((simd)vuzp1q_u32((uint32x4_t)(a), (uint32x4_t)(b)))

static inline simd simd_fold_64(simd a, simd b)
{
    const uint32x4_t x = (uint32x4_t)a;
    const uint32x4_t y = (uint32x4_t)b;

    return (simd)(vuzp1q_u32(x, y) ^ vuzp2q_u32(x, y));
}

static inline void simd_upper_bytes(const simd x[4], simd *fourth, simd *third)
{
    const uint16x8_t first = vuzp2q_u16((uint16x8_t)x[0], (uint16x8_t)x[1]);
    const uint16x8_t last = vuzp2q_u16((uint16x8_t)x[2], (uint16x8_t)x[3]);

    *fourth = vuzp2q_u8((simd)first, (simd)last);
    *third = vuzp1q_u8((simd)first, (simd)last);
}
#define simd_in_order(truth) (truth)

#define simd_equal_8 vceqq_u8
#define simd_equal_16(a, b) ((simd)((uint16x8_t)(a) == (uint16x8_t)(b)))
#define simd_equal_32(a, b) ((simd)((uint32x4_t)(a) == (uint32x4_t)(b)))
#define simd_equal_64(a, b) ((simd)((uint64x2_t)(a) == (uint64x2_t)(b)))
#define simd_at_most_8 vcleq_u8
#define simd_at_most_16(a, b) ((simd)((uint16x8_t)(a) <= (uint16x8_t)(b)))
#define simd_at_most_32(a, b) ((simd)((uint32x4_t)(a) <= (uint32x4_t)(b)))
#define simd_above_64(a, b) ((simd)((int64x2_t)(a) > (int64x2_t)(b)))
#define simd_has_8 vtstq_u8
#define simd_negative_8(x) vcltzq_s8((int8x16_t)(x))
#define simd_between_f32(x, least, greatest)                                                       \
    ((simd)(((float32x4_t)(x) >= (float32x4_t)(least)) &                                           \
            ((float32x4_t)(x) <= (float32x4_t)(greatest))))
#define simd_between_f64(x, least, greatest)                                                       \
    ((simd)(((float64x2_t)(x) >= (float64x2_t)(least)) &                                           \
            ((float64x2_t)(x) <= (float64x2_t)(greatest))))

#define simd_above_32(x, y) ((simd)((int32x4_t)(x) > (int32x4_t)(y)))
#define simd_any_32(truth) (vmaxvq_u32((uint32x4_t)(truth)) != 0)
#define simd_lanes_32(bits) ((simd)vtstq_u32(vdupq_n_u32(bits), (uint32x4_t){1, 2, 4, 8}))
#define simd_lanes_64(bits) ((simd)vtstq_u64(vdupq_n_u64(bits), (uint64x2_t){1, 2}))
#define simd_only_32 vandq_u8
#define simd_only_64 vandq_u8
#define simd_min_u32(x, y) ((simd)vminq_u32((uint32x4_t)(x), (uint32x4_t)(y)))
#define simd_max_u32(x, y) ((simd)vmaxq_u32((uint32x4_t)(x), (uint32x4_t)(y)))

#define simd_widen_i8(from) ((int64x2_t){(from)[0], (from)[1]})
#define simd_widen_u8(from) ((int64x2_t){(from)[0], (from)[1]})
#define simd_widen_i16(from) ((int64x2_t){(from)[0], (from)[1]})
#define simd_widen_u16(from) ((int64x2_t){(from)[0], (from)[1]})
#define simd_widen_i32(from) vmovl_s32(vld1_s32(from))
#define simd_widen_u32(from) vmovl_u32(vld1_u32(from))
#define simd_widen_f32(from) vcvt_f64_f32(vld1_f32(from))
#define simd_widen_low_f32(x) vcvt_f64_f32(vget_low_f32((float32x4_t)(x)))
#define simd_widen_high_f32(x) vcvt_high_f64_f32((float32x4_t)(x))

#define simd_add_where(truth, old, x) ((int64x2_t)(old) + (int64x2_t)((truth) & (simd)(x)))
#define simd_min_where_i64(truth, old, x) vbslq_u8((truth)&simd_above_64(old, x), x, old)
#define simd_max_where_i64(truth, old, x) vbslq_u8((truth)&simd_above_64(x, old), x, old)
#define simd_min_where_f64(truth, old, x)                                                          \
    vbslq_f64((uint64x2_t)(truth)&vcltq_f64((float64x2_t)(x), (float64x2_t)(old)),                 \
              (float64x2_t)(x), (float64x2_t)(old))
#define simd_max_where_f64(truth, old, x)                                                          \
    vbslq_f64((uint64x2_t)(truth)&vcgtq_f64((float64x2_t)(x), (float64x2_t)(old)),                 \
              (float64x2_t)(x), (float64x2_t)(old))

static inline void simd_transpose_64(simd x[2])
{
    const uint64x2_t a = (uint64x2_t)x[0];
    const uint64x2_t b = (uint64x2_t)x[1];

    x[0] = (simd)vzip1q_u64(a, b);
    x[1] = (simd)vzip2q_u64(a, b);
}

static inline simd simd_sums_f64(const simd x[2])
{
    return (simd)vpaddq_f64((float64x2_t)x[0], (float64x2_t)x[1]);
}

/* Bits of 64 bytes that are all ones or all zeros. Pairwise additions combine eight masked bytes
 * into one. */
static inline uint64_t simd_bits_of_8(simd a, simd b, simd c, simd d)
{
    const simd powers = (simd)vdupq_n_u64(UINT64_C(0x8040201008040201));
    const simd first = vpaddq_u8(vandq_u8(a, powers), vandq_u8(b, powers));
    const simd last = vpaddq_u8(vandq_u8(c, powers), vandq_u8(d, powers));
    const simd all = vpaddq_u8(first, last);

    return vgetq_lane_u64((uint64x2_t)vpaddq_u8(all, all), 0);
}

#define SIMD_TWO_16(T, k) simd_even_8(T(k), T(k + 1))
#define SIMD_FOUR_32(T, k)                                                                         \
    simd_even_8(simd_even_16(T(k), T(k + 1)), simd_even_16(T(k + 2), T(k + 3)))
#define SIMD_FOUR_64(T, k)                                                                         \
    simd_even_16(simd_even_32(T(k), T(k + 1)), simd_even_32(T(k + 2), T(k + 3)))
#define SIMD_EIGHT_64(T, k) simd_even_8(SIMD_FOUR_64(T, k), SIMD_FOUR_64(T, k + 4))

#define SIMD_BITS_8(T) simd_bits_of_8(T(0), T(1), T(2), T(3))
#define SIMD_BITS_16(T)                                                                            \
    simd_bits_of_8(SIMD_TWO_16(T, 0), SIMD_TWO_16(T, 2), SIMD_TWO_16(T, 4), SIMD_TWO_16(T, 6))
#define SIMD_BITS_32(T)                                                                            \
    simd_bits_of_8(SIMD_FOUR_32(T, 0), SIMD_FOUR_32(T, 4), SIMD_FOUR_32(T, 8), SIMD_FOUR_32(T, 12))
#define SIMD_BITS_64(T)                                                                            \
    simd_bits_of_8(SIMD_EIGHT_64(T, 0), SIMD_EIGHT_64(T, 8), SIMD_EIGHT_64(T, 16),                 \
                   SIMD_EIGHT_64(T, 24))

#endif
