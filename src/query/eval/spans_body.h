/* Sums and extremes of spans in the words of core/simd_<set>.h, which the including file includes
 * before. */
#include <math.h>

#include "query/eval/floats_body.h"
#include "query/eval/spans.h"

/* Some of the spans. */
static inline stoa_spans part_of(const stoa_spans *spans, int64_t at, int64_t n)
{
    return (stoa_spans){spans->values, spans->n_values, spans->firsts + at, spans->counts + at, n};
}

/* The values of the longest of W spans; -1 if W values cannot be loaded anywhere in them. */
INLINE int64_t longest(const stoa_spans *spans)
{
    int64_t most = 0;
    int64_t last = 0;

    for (int i = 0; i < W; i++) {
        most = spans->counts[i] > most ? spans->counts[i] : most;
        last = spans->firsts[i] > last ? spans->firsts[i] : last;
    }
    return last + most + W - 1 <= spans->n_values ? most : -1;
}

/* STEP for each step through W spans, with a value of each in `x`; `has` tells which have one. W
 * values of each are loaded, and transposed. */
#define EACH_STEP(ctype, load, STEP)                                                               \
    do {                                                                                           \
        simd left = simd_load(spans->counts);                                                      \
        for (int64_t at = 0; at < most; at += W) {                                                 \
            simd values[W];                                                                        \
            for (int i = 0; i < W; i++) {                                                          \
                values[i] = (simd)load((const ctype *)spans->values + spans->firsts[i] + at);      \
            }                                                                                      \
            simd_transpose_64(values);                                                             \
            for (int i = 0; i < W && at + i < most; i++) {                                         \
                const simd_truth_64 has = simd_above_64(left, simd_splat_64(0));                   \
                const simd x = values[i];                                                          \
                STEP;                                                                              \
                left = simd_sub_64(left, simd_splat_64(1));                                        \
            }                                                                                      \
        }                                                                                          \
    } while (0)

/* FAST for W spans at a time, `some`, and SLOW for those that are left, or at the buffer's end. */
#define EACH_GROUP(FAST, SLOW)                                                                     \
    do {                                                                                           \
        int64_t at = 0;                                                                            \
        for (int64_t n; at < spans->n; at += n) {                                                  \
            n = spans->n - at < W ? spans->n - at : W;                                             \
            const stoa_spans some = part_of(spans, at, n);                                         \
            const int64_t most = n == W ? longest(&some) : -1;                                     \
            if (most >= 0) {                                                                       \
                FAST;                                                                              \
            } else {                                                                               \
                SLOW;                                                                              \
            }                                                                                      \
        }                                                                                          \
    } while (0)

/* If an extreme is infinite, there may be NaNs alone, which the vectors do not see. */
#define DEFINE_SPANS(name, ctype)                                                                  \
    INLINE void sum_some_##name(const stoa_spans *spans, int64_t most, stoa_word *sums,            \
                                stoa_word *more)                                                   \
    {                                                                                              \
        floats sum = (floats)simd_load(sums);                                                      \
        floats lost = (floats)simd_load(more);                                                     \
        EACH_STEP(ctype, load_##name, two_sum((floats)simd_only_64(has, x), &sum, &lost));         \
        simd_store(sums, (simd)sum);                                                               \
        simd_store(more, (simd)lost);                                                              \
    }                                                                                              \
    static void sums_##name(const stoa_spans *spans, stoa_word *sums, stoa_word *more)             \
    {                                                                                              \
        EACH_GROUP(sum_some_##name(&some, most, sums + at, more + at),                             \
                   stoa_span_kernels_scalar.sums_##name(&some, sums + at, more + at));             \
    }                                                                                              \
    INLINE void pick_some_##name(const stoa_spans *spans, int64_t most, bool is_max,               \
                                 stoa_word *out)                                                   \
    {                                                                                              \
        floats best = (floats)simd_splat_f64(is_max ? -(double)INFINITY : (double)INFINITY);       \
        if (is_max) {                                                                              \
            EACH_STEP(ctype, load_##name,                                                          \
                      best = (floats)simd_max_where_f64(has, best, (floats)x));                    \
        } else {                                                                                   \
            EACH_STEP(ctype, load_##name,                                                          \
                      best = (floats)simd_min_where_f64(has, best, (floats)x));                    \
        }                                                                                          \
        simd_store(out, (simd)best);                                                               \
        for (int i = 0; i < W; i++) {                                                              \
            const stoa_spans one = part_of(spans, i, 1);                                           \
            if (isinf(out[i].f64)) {                                                               \
                stoa_span_kernels_scalar.extremes_##name(&one, is_max, out + i);                   \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    static void extremes_##name(const stoa_spans *spans, bool is_max, stoa_word *out)              \
    {                                                                                              \
        EACH_GROUP(pick_some_##name(&some, most, is_max, out + at),                                \
                   stoa_span_kernels_scalar.extremes_##name(&some, is_max, out + at));             \
    }
DEFINE_SPANS(f32, float)
DEFINE_SPANS(f64, double)
