/* Validity mask kernels with AVX2. */
#include "core/simd_avx2.h"

#include "column/read/validity_body.h"

const stoa_validity_kernels stoa_validity_kernels_avx2 = STOA_VALIDITY_TABLE;
