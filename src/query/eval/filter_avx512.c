/* Filter kernels for AVX-512. */
#include "core/simd_avx512.h"

#include "query/eval/filter_blocks.h"

const stoa_filter_kernels stoa_filter_avx512 = FILTER_TABLE;
