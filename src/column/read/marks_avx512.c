/* Validity mask kernels with AVX-512. */
#include "core/simd_avx512.h"

#include "column/read/marks_body.h"

const stoa_marks stoa_marks_avx512 = STOA_MARKS_TABLE;
