/*
 * Moving the chosen elements together with AVX-512 and VBMI2: a vector's worth at once.
 *
 * A vector is compressed in a register and stored whole, over what comes next, as long as as many
 * elements are still to come; the last ones are stored through a mask. (To compress into memory is
 * slow on some processors.) So the elements that are chosen are counted first.
 */
#include <immintrin.h>

#include "core/compact_body.h"

static inline uint64_t count(const uint8_t *bits, uint64_t n)
{
    uint64_t total = 0;

    for (uint64_t i = 0; i < n; i += 64) {
        total += (uint64_t)_mm_popcnt_u64(stoa_compact_word(bits, i, n));
    }
    return total;
}

#define DEFINE_COMPACT(name, type, LANES, MASK, LOAD, COMPRESS, STORE)                             \
    static uint64_t name(const void *elements, const uint8_t *bits, uint64_t n, void *out)         \
    {                                                                                              \
        const type *from = elements;                                                               \
        type *to = out;                                                                            \
        const uint64_t total = count(bits, n);                                                     \
        const type *const end = to + total;                                                        \
        for (uint64_t i = 0; i < n; i += 64) {                                                     \
            const uint64_t word = stoa_compact_word(bits, i, n);                                   \
            if (word == 0) {                                                                       \
                continue;                                                                          \
            }                                                                                      \
            for (unsigned k = 0; k < 64; k += (LANES)) {                                           \
                const MASK chosen = (MASK)(word >> k);                                             \
                const __m512i x =                                                                  \
                    n - i >= 64 ? _mm512_loadu_si512(from + i + k) : LOAD(chosen, from + i + k);   \
                const unsigned n_chosen = (unsigned)_mm_popcnt_u64(chosen);                        \
                const __m512i together = COMPRESS(chosen, x);                                      \
                if (end - to >= (LANES)) {                                                         \
                    _mm512_storeu_si512(to, together);                                             \
                } else {                                                                           \
                    STORE(to, (MASK)_bzhi_u64(UINT64_MAX, n_chosen), together);                    \
                }                                                                                  \
                to += n_chosen;                                                                    \
            }                                                                                      \
        }                                                                                          \
        return total;                                                                              \
    }

DEFINE_COMPACT(compact_1, uint8_t, 64, __mmask64, _mm512_maskz_loadu_epi8,
               _mm512_maskz_compress_epi8, _mm512_mask_storeu_epi8)
DEFINE_COMPACT(compact_2, uint16_t, 32, __mmask32, _mm512_maskz_loadu_epi16,
               _mm512_maskz_compress_epi16, _mm512_mask_storeu_epi16)
DEFINE_COMPACT(compact_4, uint32_t, 16, __mmask16, _mm512_maskz_loadu_epi32,
               _mm512_maskz_compress_epi32, _mm512_mask_storeu_epi32)
DEFINE_COMPACT(compact_8, uint64_t, 8, __mmask8, _mm512_maskz_loadu_epi64,
               _mm512_maskz_compress_epi64, _mm512_mask_storeu_epi64)

const stoa_compact_kernels stoa_compact_avx512 = STOA_COMPACT_TABLE;
