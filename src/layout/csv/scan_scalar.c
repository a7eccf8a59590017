/* The scanner for any processor, with eight bytes at a time. */
#include <stdint.h>
#include <string.h>

typedef struct word64 {
    uint64_t parts[8];
} word64;

#define ONES UINT64_C(0x0101010101010101)
#define TOPS UINT64_C(0x8080808080808080)

static inline word64 load(const char *text)
{
    word64 word;

    memcpy(&word, text, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    for (int k = 0; k < 8; k++) {
        word.parts[k] = __builtin_bswap64(word.parts[k]);
    }
#endif
    return word;
}

/* The top bits of the eight bytes, as one byte. */
static inline uint64_t gather(uint64_t tops)
{
    return (tops >> 7) * UINT64_C(0x0102040810204080) >> 56;
}

static inline uint64_t equal(const word64 *word, char c)
{
    uint64_t bits = 0;

    for (int k = 0; k < 8; k++) {
        const uint64_t x = word->parts[k] ^ (ONES * (uint8_t)c);
        /* Exact in every byte, since no byte produces a carry. */
        const uint64_t is_zero = ~(((x & ~TOPS) + ~TOPS) | x | ~TOPS);
        bits |= gather(is_zero) << (8 * k);
    }
    return bits;
}

static inline uint64_t high(const word64 *word)
{
    uint64_t bits = 0;

    for (int k = 0; k < 8; k++) {
        bits |= gather(word->parts[k] & TOPS) << (8 * k);
    }
    return bits;
}

#include "layout/csv/scan_body.h"

const stoa_csv_scan stoa_csv_scan_scalar = {count, mark};
