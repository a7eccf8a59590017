/* Offsets, strings and limbs without SIMD, and the choice of the instruction set. */
#include "layout/arkouda/read/offsets_simd_loops.h"

const stoa_arkouda_offsets_simd stoa_arkouda_offsets_simd_scalar =
    STOA_ARKOUDA_TURN_TABLE(strip_nul);

const stoa_arkouda_offsets_simd *stoa_arkouda_offsets_simd_of(stoa_simd simd)
{
    return STOA_SIMD_OF_X86(simd, &stoa_arkouda_offsets_simd);
}
