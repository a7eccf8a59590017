/* Sums of spans in the words of core/simd_<set>.h, which the including file includes before. */
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

/* W values of each of W spans are loaded and transposed: then a vector has one value of each. */
#define DEFINE_SPANS(name, ctype)                                                                  \
    INLINE void add_##name(const stoa_spans *spans, int64_t most, floats *sum, floats *lost)       \
    {                                                                                              \
        simd left = simd_load(spans->counts);                                                      \
        for (int64_t at = 0; at < most; at += W) {                                                 \
            simd values[W];                                                                        \
            for (int i = 0; i < W; i++) {                                                          \
                const ctype *const from = (const ctype *)spans->values + spans->firsts[i];         \
                values[i] = (simd)load_##name(from + at);                                          \
            }                                                                                      \
            simd_transpose_64(values);                                                             \
            for (int i = 0; i < W && at + i < most; i++) {                                         \
                const simd_truth_64 has = simd_above_64(left, simd_splat_64(0));                   \
                two_sum((floats)simd_only_64(has, values[i]), sum, lost);                          \
                left = simd_sub_64(left, simd_splat_64(1));                                        \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    static void spans_##name(const stoa_spans *spans, stoa_word *sums, stoa_word *more)            \
    {                                                                                              \
        int64_t at = 0;                                                                            \
        for (; at + W <= spans->n; at += W) {                                                      \
            const stoa_spans some = part_of(spans, at, W);                                         \
            const int64_t most = longest(&some);                                                   \
            if (most < 0) {                                                                        \
                stoa_span_kernels_scalar.name(&some, sums + at, more + at);                        \
                continue;                                                                          \
            }                                                                                      \
            floats sum = (floats)simd_load(sums + at);                                             \
            floats lost = (floats)simd_load(more + at);                                            \
            add_##name(&some, most, &sum, &lost);                                                  \
            simd_store(sums + at, (simd)sum);                                                      \
            simd_store(more + at, (simd)lost);                                                     \
        }                                                                                          \
        const stoa_spans rest = part_of(spans, at, spans->n - at);                                 \
        stoa_span_kernels_scalar.name(&rest, sums + at, more + at);                                \
    }
DEFINE_SPANS(f32, float)
DEFINE_SPANS(f64, double)
