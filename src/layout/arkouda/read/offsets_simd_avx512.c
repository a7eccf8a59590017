/* Offsets, strings and limbs with AVX-512. */
#include <immintrin.h>

#include "layout/arkouda/read/offsets_simd_loops.h"

/* Compresses 64 bytes at a time, wherever strings begin. */
static uint64_t compress(const uint8_t *bytes, const int64_t *starts, uint64_t n, uint8_t *out)
{
    const uint64_t n_bytes = (uint64_t)(starts[n] - starts[0]);
    const uint8_t *const begin = out;

    for (uint64_t i = 0; i < n_bytes; i += sizeof(__m512i)) {
        const uint64_t left = n_bytes - i;
        const __mmask64 inside = left >= 64 ? UINT64_MAX : (UINT64_C(1) << left) - 1;
        const __m512i v = _mm512_maskz_loadu_epi8(inside, bytes + i);
        const __mmask64 kept = _mm512_test_epi8_mask(v, v);
        _mm512_storeu_si512(out, _mm512_maskz_compress_epi8(kept, v));
        out += __builtin_popcountll(kept);
    }
    return n_bytes - (uint64_t)(out - begin);
}

const stoa_arkouda_offsets_simd stoa_arkouda_offsets_simd_avx512 =
    STOA_ARKOUDA_TURN_TABLE(compress);
