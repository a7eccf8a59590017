/*
 * Sums and extremes of spans of values in one buffer, such as the items of lists.
 *
 * A span is added in its order. Floats are compensated (stoa_two_sum()). Vectors hold a span in
 * each lane; a shorter one adds zeros, which change no bit. So all instruction sets give the same
 * bits. float32 whose exponents differ little are added in any order, since no sum is rounded.
 */
#ifndef STOA_QUERY_SPANS_H
#define STOA_QUERY_SPANS_H

#include "query/aggregate/reduce.h"

typedef struct stoa_spans {
    const void *values;
    int64_t n_values; /* in the buffer: all may be loaded */
    const int64_t *firsts;
    const int64_t *counts; /* below 1: no values */
    int64_t n;             /* spans */
    bool is_run;           /* each begins where the one before ends, also those without values */
} stoa_spans;

/* Add the values of each span to its sum. Integers: `sums` has the low 64 bits, `more` the high
 * ones. Floats: the sum and its rounding error, which is undefined if the sum is not finite. Both
 * begin with 0 for float32. */
typedef void stoa_span_sums(const stoa_spans *spans, stoa_word *sums, stoa_word *more);

/* The least or the greatest value of each span, as a double: the first of equal ones, and a NaN
 * only if there is nothing else. A span without values has any. */
typedef void stoa_span_extremes(const stoa_spans *spans, bool is_max, stoa_word *out);

typedef struct stoa_span_kernels {
    stoa_span_sums *sums_f32;
    stoa_span_sums *sums_f64;
    stoa_span_extremes *extremes_f32;
    stoa_span_extremes *extremes_f64;
} stoa_span_kernels;

/* The kernels of one file. */
#define STOA_SPAN_KERNELS                                                                          \
    {                                                                                              \
        sums_f32, sums_f64, extremes_f32, extremes_f64                                             \
    }

/* For FLOAT32 and FLOAT64; NULL for other kinds. */
stoa_span_extremes *stoa_span_extremes_of(stoa_simd simd, stoa_kind kind);
/* For INT8 .. UINT64, FLOAT32 and FLOAT64; NULL for other kinds. */
stoa_span_sums *stoa_span_sums_of(stoa_simd simd, stoa_kind kind);

extern const stoa_span_kernels stoa_span_kernels_scalar;
extern const stoa_span_kernels stoa_span_kernels_avx2;
extern const stoa_span_kernels stoa_span_kernels_avx512;
extern const stoa_span_kernels stoa_span_kernels_neon;

#endif
