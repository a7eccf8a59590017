/* Offsets and limbs with AVX-512. */
#include "layout/arkouda/read/offsets_simd_loops.h"

const stoa_arkouda_offsets_simd stoa_arkouda_offsets_simd_avx512 = STOA_ARKOUDA_TURN_TABLE;
