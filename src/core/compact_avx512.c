/*
 * Compaction with AVX-512 and VBMI2, one vector at a time.
 *
 * The selected elements are counted first. While enough of them are still to come, a vector is
 * compressed in a register and stored whole, and later stores overwrite the excess. The last
 * vectors are stored through a mask. Compressing straight into memory is slow on some processors.
 *
 * For 8-byte elements, up to 16 selected ones among 64 are copied one by one without a branch,
 * which is faster.
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

/* Copy the next eight selected elements. If fewer are left, arbitrary elements follow them. */
#define MOVE_EIGHT(from, left, to)                                                                 \
    do {                                                                                           \
        for (int i_ = 0; i_ < 8; i_++) {                                                           \
            (to)[i_] = (from)[_tzcnt_u64(left) & 63];                                              \
            (left) = _blsr_u64(left);                                                              \
        }                                                                                          \
    } while (0)

#define DEFINE_COMPACT(name, type, LANES, FEW, MASK, LOAD, COMPRESS, STORE)                        \
    /* 64 elements. May write LANES elements past the selected ones. */                            \
    static inline void whole_##name(const type *from, uint64_t word, uint64_t n_chosen, type *to)  \
    {                                                                                              \
        if (n_chosen <= (FEW)) {                                                                   \
            MOVE_EIGHT(from, word, to);                                                            \
            if (n_chosen > 8) {                                                                    \
                MOVE_EIGHT(from, word, to + 8);                                                    \
            }                                                                                      \
            return;                                                                                \
        }                                                                                          \
        for (unsigned k = 0; k < 64; k += (LANES)) {                                               \
            const MASK chosen = (MASK)(word >> k);                                                 \
            _mm512_storeu_si512(to, COMPRESS(chosen, _mm512_loadu_si512(from + k)));               \
            to += _mm_popcnt_u64(chosen);                                                          \
        }                                                                                          \
    }                                                                                              \
    /* The last elements, through masks. */                                                        \
    static inline void rest_##name(const type *from, uint64_t word, type *to)                      \
    {                                                                                              \
        for (unsigned k = 0; k < 64; k += (LANES)) {                                               \
            const MASK chosen = (MASK)(word >> k);                                                 \
            const unsigned n_chosen = (unsigned)_mm_popcnt_u64(chosen);                            \
            const __m512i together = COMPRESS(chosen, LOAD(chosen, from + k));                     \
            STORE(to, (MASK)_bzhi_u64(UINT64_MAX, n_chosen), together);                            \
            to += n_chosen;                                                                        \
        }                                                                                          \
    }                                                                                              \
    static uint64_t name(const void *elements, const uint8_t *bits, uint64_t n, void *out)         \
    {                                                                                              \
        const type *from = elements;                                                               \
        type *to = out;                                                                            \
        const uint64_t total = count(bits, n);                                                     \
        const type *const end = to + total;                                                        \
        for (uint64_t i = 0; i < n; i += 64) {                                                     \
            const uint64_t word = stoa_compact_word(bits, i, n);                                   \
            const uint64_t n_chosen = (uint64_t)_mm_popcnt_u64(word);                              \
            if (word == 0) {                                                                       \
                continue;                                                                          \
            }                                                                                      \
            if (n - i >= 64 && (uint64_t)(end - to) >= n_chosen + (LANES)) {                       \
                whole_##name(from + i, word, n_chosen, to);                                        \
            } else {                                                                               \
                rest_##name(from + i, word, to);                                                   \
            }                                                                                      \
            to += n_chosen;                                                                        \
        }                                                                                          \
        return total;                                                                              \
    }

DEFINE_COMPACT(compact_1, uint8_t, 64, 0, __mmask64, _mm512_maskz_loadu_epi8,
               _mm512_maskz_compress_epi8, _mm512_mask_storeu_epi8)
DEFINE_COMPACT(compact_2, uint16_t, 32, 0, __mmask32, _mm512_maskz_loadu_epi16,
               _mm512_maskz_compress_epi16, _mm512_mask_storeu_epi16)
DEFINE_COMPACT(compact_4, uint32_t, 16, 0, __mmask16, _mm512_maskz_loadu_epi32,
               _mm512_maskz_compress_epi32, _mm512_mask_storeu_epi32)
DEFINE_COMPACT(compact_8, uint64_t, 8, 16, __mmask8, _mm512_maskz_loadu_epi64,
               _mm512_maskz_compress_epi64, _mm512_mask_storeu_epi64)

const stoa_compact_kernels stoa_compact_avx512 = STOA_COMPACT_TABLE;
