/* Reductions with AVX-512. */
#include "core/simd_avx512.h"

#include "query/aggregate/reduce_body.h"

const stoa_reductions stoa_reductions_avx512 = STOA_REDUCTIONS;
