/* Scalar version, and the choice of the instruction set. */
#include "layout/arkouda/read/strip_nul_loops.h"

uint64_t stoa_arkouda_strip_nul_scalar(const uint8_t *bytes, const int64_t *starts, uint64_t n,
                                       uint8_t *out)
{
    return drop(bytes, starts, n, out);
}

stoa_arkouda_strip_nul *stoa_arkouda_strip_nul_of(stoa_simd simd)
{
    return STOA_SIMD_OF_X86(simd, stoa_arkouda_strip_nul);
}
