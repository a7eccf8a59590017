/* Sums of spans of any kind. Those of integers need no vectors. */
#include "query/eval/spans_loops.h"

__extension__ typedef __int128 wide;

static void add_wide(wide sum, stoa_word *low, stoa_word *high)
{
    low->u64 += (uint64_t)sum;
    high->u64 += (uint64_t)(sum >> 64) + (low->u64 < (uint64_t)sum);
}

#define DEFINE_INTEGERS(name, ctype)                                                               \
    DEFINE_SPANS(name, ctype, wide sum = 0, sum += from[i], add_wide(sum, &sums[span], &more[span]))
DEFINE_INTEGERS(i8, int8_t)
DEFINE_INTEGERS(i16, int16_t)
DEFINE_INTEGERS(i32, int32_t)
DEFINE_INTEGERS(i64, int64_t)
DEFINE_INTEGERS(u8, uint8_t)
DEFINE_INTEGERS(u16, uint16_t)
DEFINE_INTEGERS(u32, uint32_t)
DEFINE_INTEGERS(u64, uint64_t)

stoa_span_sums *stoa_span_sums_of(stoa_simd simd, stoa_kind kind)
{
    static stoa_span_sums *const integers[] = {
        [STOA_KIND_INT8] = sums_i8,    [STOA_KIND_INT16] = sums_i16,  [STOA_KIND_INT32] = sums_i32,
        [STOA_KIND_INT64] = sums_i64,  [STOA_KIND_UINT8] = sums_u8,   [STOA_KIND_UINT16] = sums_u16,
        [STOA_KIND_UINT32] = sums_u32, [STOA_KIND_UINT64] = sums_u64,
    };
    const stoa_span_kernels *const kernels = STOA_SIMD_OF(simd, &stoa_span_kernels);

    return kind == STOA_KIND_FLOAT32    ? kernels->sums_f32
           : kind == STOA_KIND_FLOAT64  ? kernels->sums_f64
           : stoa_kind_is_integer(kind) ? integers[kind]
                                        : NULL;
}

stoa_span_extremes *stoa_span_extremes_of(stoa_simd simd, stoa_kind kind)
{
    const stoa_span_kernels *const kernels = STOA_SIMD_OF(simd, &stoa_span_kernels);

    return kind == STOA_KIND_FLOAT32   ? kernels->extremes_f32
           : kind == STOA_KIND_FLOAT64 ? kernels->extremes_f64
                                       : NULL;
}
