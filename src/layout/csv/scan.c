/* Chooses the scanner for this processor. */
#include "layout/csv/scan.h"

#include "core/cpu.h"

const stoa_csv_scan *stoa_csv_scan_of_cpu(void)
{
    return STOA_SIMD_OF(stoa_simd_of_cpu(), &stoa_csv_scan);
}
