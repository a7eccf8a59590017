/* Offsets and limbs without vectors, and which of the instruction sets turns them. */
#include "layout/arkouda/turn_loops.h"

const stoa_arkouda_turn stoa_arkouda_turn_scalar = STOA_ARKOUDA_TURN_TABLE;

const stoa_arkouda_turn *stoa_arkouda_turn_of(stoa_simd simd)
{
#if defined(__x86_64__)
    switch (simd) {
    case STOA_SIMD_AVX512:
        return &stoa_arkouda_turn_avx512;
    case STOA_SIMD_AVX2:
        return &stoa_arkouda_turn_avx2;
    case STOA_SIMD_SCALAR:
        break;
    }
#endif
    (void)simd;
    return &stoa_arkouda_turn_scalar;
}
