/* Sums and extremes of spans with AVX-512. */
#include "core/simd_avx512.h"

#include "query/eval/spans_body.h"

const stoa_span_kernels stoa_span_kernels_avx512 = STOA_SPAN_KERNELS;
