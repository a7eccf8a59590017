/* Sums and extremes of spans in the words of core/simd_<set>.h, which the including file includes
 * before. */
#include <math.h>

#include "query/eval/floats_body.h"
#include "query/eval/spans.h"

/* The most values of a run of spans, and how far the exponents of float32 may be apart for a double
 * to hold the sum of so many exactly; and how many values behind a run are loaded with it. */
enum { N_AHEAD = 2 * W, RUN_VALUES = 1024, RUN_APART = 53 - (STOA_FLOAT_SIGNIFICAND + 1) - 10 };

/* Some of the spans. */
static inline stoa_spans part_of(const stoa_spans *spans, int64_t at, int64_t n)
{
    return (stoa_spans){spans->values, spans->n_values, spans->firsts + at, spans->counts + at, n,
                        spans->is_run};
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
#define DEFINE_SPANS(name, ctype, sums_name)                                                       \
    INLINE void sum_some_##name(const stoa_spans *spans, int64_t most, stoa_word *sums,            \
                                stoa_word *more)                                                   \
    {                                                                                              \
        floats sum = (floats)simd_load(sums);                                                      \
        floats lost = (floats)simd_load(more);                                                     \
        EACH_STEP(ctype, load_##name, two_sum((floats)simd_only_64(has, x), &sum, &lost));         \
        simd_store(sums, (simd)sum);                                                               \
        simd_store(more, (simd)lost);                                                              \
    }                                                                                              \
    static void sums_name(const stoa_spans *spans, stoa_word *sums, stoa_word *more)               \
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
DEFINE_SPANS(f32, float, sums_in_lanes)
DEFINE_SPANS(f64, double, sums_f64)

/* Runs of float32 --------------------------------------------------------------------------- */

/* How many of the spans have at most RUN_VALUES values, a multiple of W; and how many they have. */
INLINE int64_t run_of(const stoa_spans *spans, int64_t *n_values)
{
    int64_t n = 0;

    *n_values = 0;
    while (n + W <= spans->n) {
        const int64_t last = n + W - 1;
        const int64_t end =
            spans->firsts[last] + (spans->counts[last] > 0 ? spans->counts[last] : 0);
        if (end - spans->firsts[0] > RUN_VALUES) {
            break;
        }
        *n_values = end - spans->firsts[0];
        n += W;
    }
    return n;
}

/* Add up n values in lanes: upto[b] is the sum of those before value b * W. Returns false if a sum
 * may have been rounded. Up to N_AHEAD values after them are loaded, too. */
INLINE bool add_up(const float *from, int64_t n, floats *upto)
{
    uint32_t less_ones[2 * W];
    uint32_t mosts[2 * W];
    simd less_one = simd_splat_32(UINT32_MAX); /* the least except zeros, minus one */
    simd most = simd_splat_32(0);
    floats sum = (floats)simd_splat_64(0);

    for (int64_t at = 0; at <= n; at += N_AHEAD) {
        const simd bits = simd_and(simd_load(from + at), simd_splat_32(INT32_MAX));
        most = simd_max_u32(most, bits);
        less_one = simd_min_u32(less_one, simd_sub_32(bits, simd_splat_32(1)));
        const floats low = load_f32(from + at);
        const floats both = low + load_f32(from + at + W);
        upto[at / W] = sum;
        upto[at / W + 1] = sum + low;
        sum += both;
    }
    simd_store(less_ones, less_one);
    simd_store(mosts, most);
    for (int i = 1; i < 2 * W; i++) {
        less_ones[0] = less_ones[i] < less_ones[0] ? less_ones[i] : less_ones[0];
        mosts[0] = mosts[i] > mosts[0] ? mosts[i] : mosts[0];
    }
    const uint32_t highest = mosts[0] >> STOA_FLOAT_SIGNIFICAND;
    return highest < UINT8_MAX && /* neither infinite nor NaN */
           highest <= (less_ones[0] >> STOA_FLOAT_SIGNIFICAND) + RUN_APART;
}

/* The sums of n spans of a run, a multiple of W: what was added up to the end of each, less what
 * was added up to its first value. */
INLINE void sum_run(const float *from, const floats *upto, const int64_t *counts, int64_t n,
                    stoa_word *sums)
{
    floats before = upto[0];
    int64_t end = 0;

    for (int64_t span = 0; span < n; span += W) {
        simd parts[W];
        for (int i = 0; i < W; i++) {
            end += counts[span + i] > 0 ? counts[span + i] : 0;
            const simd_truth_64 rest = simd_lanes_64((1u << (end % W)) - 1);
            const simd last = (simd)load_f32(from + end / W * W);
            const floats after = upto[end / W] + (floats)simd_only_64(rest, last);
            parts[i] = (simd)(after - before);
            before = after;
        }
        const floats sum = (floats)simd_load(sums + span) + (floats)simd_sums_f64(parts);
        simd_store(sums + span, (simd)sum);
    }
}

/* The order of values does not matter if no sum is rounded. Then vectors are filled with values as
 * they lie, whatever the lengths of the spans are. */
static void sums_f32(const stoa_spans *spans, stoa_word *sums, stoa_word *more)
{
    floats upto[RUN_VALUES / W + 2];
    int64_t n_values = 0;

    for (int64_t at = 0, n; at < spans->n; at += n) {
        stoa_spans some = part_of(spans, at, spans->n - at);
        const int64_t n_run = spans->is_run ? run_of(&some, &n_values) : 0;
        const float *const from = (const float *)spans->values + some.firsts[0];
        n = n_run > 0 ? n_run : some.n < W || !spans->is_run ? some.n : W;
        if (n_run > 0 && some.firsts[0] + n_values + N_AHEAD <= spans->n_values &&
            add_up(from, n_values, upto)) {
            sum_run(from, upto, some.counts, n, sums + at);
        } else {
            some.n = n;
            sums_in_lanes(&some, sums + at, more + at);
        }
    }
}
