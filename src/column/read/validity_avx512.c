/* Validity mask kernels with AVX-512. */
#include "core/simd_avx512.h"

#include "column/read/validity_body.h"

const stoa_validity_kernels stoa_validity_kernels_avx512 = STOA_VALIDITY_TABLE;
