/* AVX2: NULs are counted 32 bytes at a time. */
#include "layout/arkouda/read/strip_nul_loops.h"

uint64_t stoa_arkouda_strip_nul_avx2(const uint8_t *bytes, const int64_t *starts, uint64_t n,
                                     uint8_t *out)
{
    return drop(bytes, starts, n, out);
}
