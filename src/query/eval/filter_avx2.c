/* Filter kernels for AVX2. */
#include "core/simd_avx2.h"

#include "query/eval/filter_blocks.h"

const stoa_filter_kernels stoa_filter_avx2 = FILTER_TABLE;
