/* Moving the chosen elements together, one after the other: the definition; and the choice. */
#include "core/compact_body.h"

STOA_DEFINE_COMPACT(compact_1, uint8_t)
STOA_DEFINE_COMPACT(compact_2, uint16_t)
STOA_DEFINE_COMPACT(compact_4, uint32_t)
STOA_DEFINE_COMPACT(compact_8, uint64_t)

const stoa_compact_kernels stoa_compact_scalar = STOA_COMPACT_TABLE;

const stoa_compact_kernels *stoa_compact_kernels_of(stoa_simd simd)
{
#if defined(__x86_64__)
    return simd == STOA_SIMD_AVX512 ? &stoa_compact_avx512
           : simd == STOA_SIMD_AVX2 ? &stoa_compact_avx2
                                    : &stoa_compact_scalar;
#else
    (void)simd;
    return &stoa_compact_scalar;
#endif
}
