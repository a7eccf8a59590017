/* Validity mask kernels with AVX2. */
#include "core/simd_avx2.h"

#include "column/read/marks_body.h"

const stoa_marks stoa_marks_avx2 = STOA_MARKS_TABLE;
