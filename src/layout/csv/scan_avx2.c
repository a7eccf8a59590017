/* The scanner with AVX2. */
#include "core/simd_avx2.h"

#include "layout/csv/scan_vectors.h"

const stoa_csv_scan stoa_csv_scan_avx2 = {count, mark};
