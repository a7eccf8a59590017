/* Shared by the implementations of compact.h: bitmap words and the scalar loop. */
#ifndef STOA_CORE_COMPACT_BODY_H
#define STOA_CORE_COMPACT_BODY_H

#include <string.h>

#include "core/compact.h"

/* Bits [first, first + 64) of a bitmap of n bits; bits from n on read as 0. `first` is a multiple
 * of 64 and below n. */
static inline uint64_t stoa_compact_word(const uint8_t *bits, uint64_t first, uint64_t n)
{
    uint64_t word = 0;

    if (n - first >= 64) {
        memcpy(&word, bits + (first >> 3), sizeof word);
    } else {
        for (uint64_t i = 0; i < n - first; i += 8) { /* lowest byte first on any machine */
            word |= (uint64_t)bits[(first + i) >> 3] << i;
        }
        word &= (UINT64_C(1) << (n - first)) - 1;
    }
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return n - first >= 64 ? __builtin_bswap64(word) : word;
#else
    return word;
#endif
}

/* Copy the elements selected by one word and advance `to`. */
#define STOA_COMPACT_ONE_BY_ONE(type, from, word, to)                                              \
    do {                                                                                           \
        for (uint64_t left_ = (word); left_ != 0; left_ &= left_ - 1) {                            \
            *(to)++ = (from)[__builtin_ctzll(left_)];                                              \
        }                                                                                          \
    } while (0)

#define STOA_DEFINE_COMPACT(name, type)                                                            \
    static uint64_t name(const void *elements, const uint8_t *bits, uint64_t n, void *out)         \
    {                                                                                              \
        const type *from = elements;                                                               \
        type *to = out;                                                                            \
        for (uint64_t i = 0; i < n; i += 64) {                                                     \
            STOA_COMPACT_ONE_BY_ONE(type, from + i, stoa_compact_word(bits, i, n), to);            \
        }                                                                                          \
        return (uint64_t)(to - (type *)out);                                                       \
    }

#define STOA_COMPACT_TABLE                                                                         \
    {                                                                                              \
        .by_width = { compact_1, compact_2, compact_4, compact_8 }                                 \
    }

#endif
