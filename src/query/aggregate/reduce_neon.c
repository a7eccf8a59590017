/* Reductions with NEON. */
#include "core/simd_neon.h"

#include "query/aggregate/reduce_body.h"

const stoa_reductions stoa_reductions_neon = STOA_REDUCTIONS;
