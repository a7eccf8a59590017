/* Rice decoding, one element at a time. */
#include "codec/bytes.h"
#include "sparse/format/positions_gaps.h"

uint64_t stoa_gaps_words_scalar(stoa_gaps *gaps, const uint8_t *highs, uint64_t base,
                                uint64_t n_bits, size_t n, uint32_t *positions)
{
    stoa_gaps g = *gaps;
    const uint64_t mask = (UINT64_C(1) << g.k) - 1;

    /* The i-th 1 follows the quotients of i + 1 gaps and i ones. The sum of the quotients is
     * therefore known from its position. */
    for (; stoa_gaps_are_far(&g, base, n_bits, n, 8); base += 64) {
        for (uint64_t word = stoa_get_le64(highs + base / 8); word != 0; word &= word - 1, g.i++) {
            const uint64_t from = (uint64_t)g.i * g.k;
            g.sum += stoa_get_le64(g.lows + from / 8) >> (from & 7) & mask;
            g.bit = base + (unsigned)__builtin_ctzll(word);
            positions[g.i] = (uint32_t)(g.sum + ((g.bit - g.i) << g.k) + g.i);
        }
    }
    *gaps = g;
    return base;
}
