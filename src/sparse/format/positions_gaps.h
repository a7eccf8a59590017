/*
 * Rice decoding, where most of the time of unpacking positions is spent (docs/sparse-format.md §4).
 */
#ifndef STOA_SPARSE_POSITIONS_GAPS_H
#define STOA_SPARSE_POSITIONS_GAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/cpu.h"

typedef struct stoa_gaps {
    const uint8_t *lows;
    const uint8_t *end;
    unsigned k;
    uint64_t sum; /* of the low bits so far */
    uint64_t bit; /* index of the last 1 */
    size_t i;     /* elements decoded so far */
} stoa_gaps;

/*
 * Decode whole words from bit `base` on, as long as both streams are far from their end.
 *
 * @param highs      unary parts, n_bits bits, within lows .. end
 * @param positions  n
 * @return the next bit, a multiple of 64
 */
typedef uint64_t stoa_gaps_words(stoa_gaps *gaps, const uint8_t *highs, uint64_t base,
                                 uint64_t n_bits, size_t n, uint32_t *positions);

/* Whether a word may be decoded without further checks. Whatever its bits are, `positions` has
 * space for its elements, and n_bytes can be read from the low bits of each. */
static inline bool stoa_gaps_are_far(const stoa_gaps *gaps, uint64_t base, uint64_t n_bits,
                                     size_t n, unsigned n_bytes)
{
    const uint64_t next = (uint64_t)gaps->i + 64; /* upper bound */

    return base + 64 <= n_bits && next <= n &&
           next * gaps->k / 8 + n_bytes <= (uint64_t)(gaps->end - gaps->lows);
}

/* One implementation per instruction set. */
stoa_gaps_words stoa_gaps_words_scalar;
#if defined(__x86_64__)
stoa_gaps_words stoa_gaps_words_avx2;
stoa_gaps_words stoa_gaps_words_avx512;
#endif

static inline stoa_gaps_words *stoa_gaps_words_of(stoa_simd simd)
{
    return STOA_SIMD_OF_X86(simd, stoa_gaps_words);
}

#endif
