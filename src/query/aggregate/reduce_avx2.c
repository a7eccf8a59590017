/* Reductions with AVX2. */
#include "core/simd_avx2.h"

#include "query/aggregate/reduce_body.h"

const stoa_reductions stoa_reductions_avx2 = STOA_REDUCTIONS;
