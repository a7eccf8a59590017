/* Sums and extremes of spans with AVX2. */
#include "core/simd_avx2.h"

#include "query/eval/spans_body.h"

const stoa_span_kernels stoa_span_kernels_avx2 = STOA_SPAN_KERNELS;
