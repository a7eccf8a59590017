/* Sums and extremes of spans with NEON. */
#include "core/simd_neon.h"

#include "query/eval/spans_body.h"

const stoa_span_kernels stoa_span_kernels_neon = STOA_SPAN_KERNELS;
