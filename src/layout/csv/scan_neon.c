/* The scanner with NEON. */
#include "core/simd_neon.h"

#include "layout/csv/scan_vectors.h"

const stoa_csv_scan stoa_csv_scan_neon = {count, mark};
