/* Offsets and limbs with AVX-512. */
#include "layout/arkouda/read/turn_loops.h"

const stoa_arkouda_turn stoa_arkouda_turn_avx512 = STOA_ARKOUDA_TURN_TABLE;
