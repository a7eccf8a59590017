/* Reductions with NEON: two 64-bit values per vector. */
#include <arm_neon.h>

#include "core/memory.h"
#include "query/aggregate/reduce.h"

#define W 2
typedef float64x2_t floats;
typedef int64x2_t integers;
typedef uint64x2_t kept; /* per value, all bits set or none */

static inline kept keep(unsigned bits)
{
    return vtstq_u64(vdupq_n_u64(bits), (uint64x2_t){1, 2});
}

static inline integers load_i64(const void *from)
{
    return vld1q_s64(from);
}

#define DEFINE_LOAD(name, ctype)                                                                   \
    static inline integers load_##name(const ctype *from)                                          \
    {                                                                                              \
        return (integers){from[0], from[1]};                                                       \
    }
DEFINE_LOAD(i8, int8_t)
DEFINE_LOAD(u8, uint8_t)
DEFINE_LOAD(i16, int16_t)
DEFINE_LOAD(u16, uint16_t)

static inline integers load_i32(const int32_t *from)
{
    return vmovl_s32(vld1_s32(from));
}

static inline integers load_u32(const uint32_t *from)
{
    return (integers)vmovl_u32(vld1_u32(from));
}

static inline floats load_f32(const float *from)
{
    return vcvt_f64_f32(vld1_f32(from));
}

static inline floats load_f64(const double *from)
{
    return vld1q_f64(from);
}

static inline floats only_f(kept rows, floats x)
{
    return (floats)(rows & (kept)x);
}

static inline integers only_i(kept rows, integers x)
{
    return (integers)rows & x;
}

static inline integers add_i(kept rows, integers old, integers x)
{
    return old + only_i(rows, x);
}

static inline integers upper_half(integers x)
{
    return (integers)((uint64x2_t)x >> 32);
}

/* As on other instruction sets: returns the old value if one is a NaN or both are zeros. */
static inline floats min_f(kept rows, floats old, floats x)
{
    return vbslq_f64(rows & vcltq_f64(x, old), x, old);
}

static inline floats max_f(kept rows, floats old, floats x)
{
    return vbslq_f64(rows & vcgtq_f64(x, old), x, old);
}

static inline integers min_i(kept rows, integers old, integers x)
{
    return vbslq_s64(rows & vcltq_s64(x, old), x, old);
}

static inline integers max_i(kept rows, integers old, integers x)
{
    return vbslq_s64(rows & vcgtq_s64(x, old), x, old);
}

typedef struct singles {
    float32x4_t quarter[4];
} singles;

static inline singles singles_of(const float *from, unsigned bits)
{
    singles x;

    for (size_t i = 0; i < 4; i++) {
        const uint32x4_t rows = vtstq_u32(vdupq_n_u32(bits >> (4 * i)), (uint32x4_t){1, 2, 4, 8});
        x.quarter[i] = (float32x4_t)(rows & vld1q_u32((const void *)(from + 4 * i)));
    }
    return x;
}

static inline floats widen_singles(singles x, int v)
{
    const float32x4_t quarter = x.quarter[v / 2];

    return v % 2 == 0 ? vcvt_f64_f32(vget_low_f32(quarter)) : vcvt_high_f64_f32(quarter);
}

static inline bool is_wide(const singles *rows)
{
    uint32x4_t wide = vdupq_n_u32(0);

    for (int q = 0; q < 4; q++) {
        uint32x4_t less_one = vdupq_n_u32(UINT32_MAX); /* the least except zeros, minus one */
        uint32x4_t most = vdupq_n_u32(0);
        for (int i = 0; i < STOA_REDUCE_BLOCK / STOA_REDUCE_LANES; i++) {
            const uint32x4_t bits = (uint32x4_t)rows[i].quarter[q] & vdupq_n_u32(INT32_MAX);
            most = vmaxq_u32(most, bits);
            less_one = vminq_u32(less_one, bits - vdupq_n_u32(1));
        }
        less_one >>= STOA_FLOAT_SIGNIFICAND;
        most >>= STOA_FLOAT_SIGNIFICAND;
        wide |= vcgtq_u32(most, less_one + vdupq_n_u32(STOA_REDUCE_APART));
    }
    return vmaxvq_u32(wide) != 0;
}

#include "query/aggregate/reduce_loops.h"

const stoa_reductions stoa_reductions_neon = STOA_REDUCTIONS;
