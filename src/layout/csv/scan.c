/* Which scanner this processor gets. */
#include "layout/csv/scan.h"

#include "core/cpu.h"

const stoa_csv_scan *stoa_csv_scan_of_cpu(void)
{
#if defined(__x86_64__)
    switch (stoa_simd_of_cpu()) {
    case STOA_SIMD_AVX512:
        return &stoa_csv_scan_avx512;
    case STOA_SIMD_AVX2:
        return &stoa_csv_scan_avx2;
    default:
        break;
    }
#endif
    return &stoa_csv_scan_scalar;
}
