/* Dropping NULs without vectors, and which of the instruction sets does it. */
#include "layout/arkouda/drop_loops.h"

uint64_t stoa_arkouda_drop_scalar(const uint8_t *bytes, const int64_t *starts, uint64_t n,
                                  uint8_t *out)
{
    return drop(bytes, starts, n, out);
}

stoa_arkouda_drop *stoa_arkouda_drop_of(stoa_simd simd)
{
#if defined(__x86_64__)
    switch (simd) {
    case STOA_SIMD_AVX512:
        return stoa_arkouda_drop_avx512;
    case STOA_SIMD_AVX2:
        return stoa_arkouda_drop_avx2;
    case STOA_SIMD_SCALAR:
        break;
    }
#endif
    (void)simd;
    return stoa_arkouda_drop_scalar;
}
