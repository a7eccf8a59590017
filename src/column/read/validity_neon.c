/* Validity mask kernels with NEON. */
#include "core/simd_neon.h"

#include "column/read/validity_body.h"

const stoa_validity_kernels stoa_validity_kernels_neon = STOA_VALIDITY_TABLE;
