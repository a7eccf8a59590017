/* Sums and extremes of spans of floats value by value. The other instruction sets must agree bit
 * for bit. */
#include <math.h>

#include "query/eval/spans_loops.h"

#define DEFINE_FLOATS(name, ctype)                                                                 \
    DEFINE_SPANS(name, ctype, double sum = sums[span].f64;                                         \
                 double lost = more[span].f64, stoa_two_sum((double)from[i], &sum, &lost),         \
                 sums[span].f64 = sum;                                                             \
                 more[span].f64 = lost)
/* The first of equal values. Anything is better than a NaN. */
#define DEFINE_EXTREMES(name, ctype)                                                               \
    static void extremes_##name(const stoa_spans *spans, bool is_max, stoa_word *out)              \
    {                                                                                              \
        for (int64_t span = 0; span < spans->n; span++) {                                          \
            const ctype *const from = (const ctype *)spans->values + spans->firsts[span];          \
            double best = (double)NAN;                                                             \
            for (int64_t i = 0; i < spans->counts[span]; i++) {                                    \
                const double new = (double)from[i];                                                \
                best = isnan(best) || (is_max ? new > best : new < best) ? new : best;             \
            }                                                                                      \
            out[span].f64 = best;                                                                  \
        }                                                                                          \
    }
DEFINE_EXTREMES(f32, float)
DEFINE_EXTREMES(f64, double)
DEFINE_FLOATS(f32, float)
DEFINE_FLOATS(f64, double)

const stoa_span_kernels stoa_span_kernels_scalar = STOA_SPAN_KERNELS;
