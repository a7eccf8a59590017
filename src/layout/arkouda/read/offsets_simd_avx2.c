/* Offsets, strings and limbs with AVX2. */
#include "layout/arkouda/read/offsets_simd_loops.h"

const stoa_arkouda_offsets_simd stoa_arkouda_offsets_simd_avx2 = STOA_ARKOUDA_TURN_TABLE(strip_nul);
