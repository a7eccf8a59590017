/* Offsets and limbs with AVX2. */
#include "layout/arkouda/read/turn_loops.h"

const stoa_arkouda_turn stoa_arkouda_turn_avx2 = STOA_ARKOUDA_TURN_TABLE;
