/* The scalar reference implementation of compaction, and the choice of kernels. */
#include "core/compact_body.h"

STOA_DEFINE_COMPACT(compact_1, uint8_t)
STOA_DEFINE_COMPACT(compact_2, uint16_t)
STOA_DEFINE_COMPACT(compact_4, uint32_t)
STOA_DEFINE_COMPACT(compact_8, uint64_t)

const stoa_compact_kernels stoa_compact_scalar = STOA_COMPACT_TABLE;

const stoa_compact_kernels *stoa_compact_kernels_of(stoa_simd simd)
{
    return STOA_SIMD_OF_X86(simd, &stoa_compact);
}
