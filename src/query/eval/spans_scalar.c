/* Sums of spans of floats value by value. The other instruction sets must agree bit for bit. */
#include "query/eval/spans_loops.h"

#define DEFINE_FLOATS(name, ctype)                                                                 \
    DEFINE_SPANS(name, ctype, double sum = sums[span].f64;                                         \
                 double lost = more[span].f64, stoa_two_sum((double)from[i], &sum, &lost),         \
                 sums[span].f64 = sum;                                                             \
                 more[span].f64 = lost)
DEFINE_FLOATS(f32, float)
DEFINE_FLOATS(f64, double)

const stoa_span_kernels stoa_span_kernels_scalar = {spans_f32, spans_f64};
