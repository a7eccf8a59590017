/* Filter kernels for NEON. */
#include "core/simd_neon.h"

#include "query/eval/filter_blocks.h"

const stoa_filter_kernels stoa_filter_neon = FILTER_TABLE;
