/* Filter kernels in plain C. */
#include <string.h>

#include "core/memory.h"
#include "query/eval/filter.h"

/* Pack 64 bytes of 0 or 1 into bits. One multiplication gathers eight of them in the top byte. */
static inline uint64_t pack_flags(const uint8_t flags[64])
{
    uint64_t word = 0;

    for (size_t i = 0; i < 8; i++) {
        uint64_t eight;
        memcpy(&eight, flags + 8 * i, sizeof eight);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        eight = __builtin_bswap64(eight);
#endif
        word |= (eight * 0x0102040810204080u >> 56) << (8 * i);
    }
    return word;
}

#define DEFINE_BLOCK(name, ctype, PREPARE, CONDITION)                                              \
    static inline uint64_t name(const uint8_t *values, const stoa_bounds *b)                       \
    {                                                                                              \
        uint8_t flags[64];                                                                         \
        PREPARE;                                                                                   \
        for (int i = 0; i < 64; i++) {                                                             \
            ctype x;                                                                               \
            memcpy(&x, values + (size_t)i * sizeof x, sizeof x);                                   \
            flags[i] = (CONDITION);                                                                \
        }                                                                                          \
        return pack_flags(flags);                                                                  \
    }
#define INTEGER_BOUNDS(ctype) const ctype low = (ctype)b->low, span = (ctype)b->span
#define FLOAT_BOUNDS(ctype) const ctype low = (ctype)b->least, high = (ctype)b->greatest
DEFINE_BLOCK(block_8, uint8_t, INTEGER_BOUNDS(uint8_t), (uint8_t)(x - low) <= span)
DEFINE_BLOCK(block_16, uint16_t, INTEGER_BOUNDS(uint16_t), (uint16_t)(x - low) <= span)
DEFINE_BLOCK(block_32, uint32_t, INTEGER_BOUNDS(uint32_t), x - low <= span)
DEFINE_BLOCK(block_64, uint64_t, INTEGER_BOUNDS(uint64_t), x - low <= span)
DEFINE_BLOCK(block_f16, uint16_t, INTEGER_BOUNDS(uint16_t),
             (uint16_t)(stoa_f16_key(x) - low) <= span)
DEFINE_BLOCK(block_f32, float, FLOAT_BOUNDS(float), (x >= low) & (x <= high))
DEFINE_BLOCK(block_f64, double, FLOAT_BOUNDS(double), (x >= low) & (x <= high))

static inline uint64_t block_table(const uint8_t *values, const uint8_t *table)
{
    uint8_t flags[64];

    for (int i = 0; i < 64; i++) {
        flags[i] = table[values[i] >> 3] >> (values[i] & 7) & 1;
    }
    return pack_flags(flags);
}

#define DEFINE_SIEVE(name, ctype)                                                                  \
    static inline uint64_t name(const uint8_t *values, const stoa_sieve *sieve)                    \
    {                                                                                              \
        uint64_t word = 0;                                                                         \
        for (int i = 0; i < 64; i++) {                                                             \
            ctype x;                                                                               \
            memcpy(&x, values + (size_t)i * sizeof x, sizeof x);                                   \
            const stoa_sieve_place at = stoa_sieve_place_of(x);                                    \
            word |= (uint64_t)(sieve->tables[0][at.byte[0]] >> at.bit[0] &                         \
                               sieve->tables[1][at.byte[1]] >> at.bit[1] & 1)                      \
                    << i;                                                                          \
        }                                                                                          \
        return word;                                                                               \
    }
DEFINE_SIEVE(block_sieve_32, uint32_t)
DEFINE_SIEVE(block_sieve_64, uint64_t)

#include "query/eval/filter_body.h"

const stoa_filter_kernels stoa_filter_scalar = FILTER_TABLE;
