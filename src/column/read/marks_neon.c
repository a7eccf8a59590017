/* Validity mask kernels with NEON. */
#include "core/simd_neon.h"

#include "column/read/marks_body.h"

const stoa_marks stoa_marks_neon = STOA_MARKS_TABLE;
