/* The scanner with AVX-512. */
#include "core/simd_avx512.h"

#include "layout/csv/scan_vectors.h"

const stoa_csv_scan stoa_csv_scan_avx512 = {count, mark};
