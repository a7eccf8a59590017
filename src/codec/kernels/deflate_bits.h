/* The bits of deflate blocks (RFC 1951, 3.1.1, 3.2.4 and 3.2.7). */
#ifndef STOA_CODEC_DEFLATE_BITS_H
#define STOA_CODEC_DEFLATE_BITS_H

#include <stdint.h>
#include <string.h>

/* The types of blocks. */
enum { STOA_DEFLATE_STORED = 0, STOA_DEFLATE_FIXED = 1, STOA_DEFLATE_CODED = 2 };
enum { STOA_DEFLATE_MOST_BITS = 15 }; /* of a code */
/* zlib's frame around the blocks (RFC 1950): a head, and a checksum. */
enum { STOA_ZLIB_HEAD_BYTES = 2, STOA_ZLIB_SUM_BYTES = 4 };

/* The symbols that describe the lengths of codes: 16 lengths, and runs of the last one and of
 * zeros. The order is that in which the lengths of their own codes are written. */
enum { STOA_DEFLATE_RUNS = 19 };
enum { STOA_DEFLATE_AGAIN = 16, STOA_DEFLATE_FEW_ZEROS = 17, STOA_DEFLATE_MANY_ZEROS = 18 };
static const uint8_t stoa_deflate_run_order[STOA_DEFLATE_RUNS] = {
    16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};

/* The lowest n bits in the other order: codes are written from their highest bit on. */
static inline uint16_t stoa_bits_reversed(uint32_t bits, unsigned n)
{
    uint32_t turned = 0;

    for (unsigned i = 0; i < n; i++) {
        turned |= (bits >> i & 1) << (n - 1 - i);
    }
    return (uint16_t)turned;
}

/* The canonical codes of n symbols by the lengths of their codes, in the order in which their bits
 * are written. Symbols of length 0 have none. */
static inline void stoa_codes_of_lengths(const uint8_t *lengths, unsigned n, uint16_t *codes)
{
    uint16_t next[STOA_DEFLATE_MOST_BITS + 2] = {0}; /* of each length */

    for (unsigned i = 0; i < n; i++) {
        next[lengths[i] + 1] += lengths[i] != 0;
    }
    next[1] = 0;
    for (unsigned b = 2; b <= STOA_DEFLATE_MOST_BITS + 1; b++) {
        next[b] = (uint16_t)((next[b - 1] + next[b]) << 1);
    }
    for (unsigned i = 0; i < n; i++) {
        if (lengths[i] != 0) {
            codes[i] = stoa_bits_reversed(next[lengths[i]]++, lengths[i]);
        }
    }
}

typedef struct stoa_bit_writer {
    uint8_t *out;
    size_t n; /* whole bytes that were written */
    uint32_t bits;
    unsigned n_bits; /* below 8 between calls */
} stoa_bit_writer;

/* At most 24 bits, from the lowest on. */
static inline void stoa_put_bits(stoa_bit_writer *w, uint32_t value, unsigned n_bits)
{
    w->bits |= value << w->n_bits;
    for (w->n_bits += n_bits; w->n_bits >= 8; w->n_bits -= 8) {
        w->out[w->n++] = (uint8_t)w->bits;
        w->bits >>= 8;
    }
}

static inline void stoa_put_to_byte(stoa_bit_writer *w)
{
    stoa_put_bits(w, 0, (8 - w->n_bits) % 8);
}

/* A stored block of at most 65,535 bytes. */
static inline void stoa_put_stored(stoa_bit_writer *w, const uint8_t *bytes, size_t n,
                                   uint32_t is_final)
{
    stoa_put_bits(w, is_final | STOA_DEFLATE_STORED << 1, 3);
    stoa_put_to_byte(w);
    stoa_put_bits(w, (uint32_t)n, 16);
    stoa_put_bits(w, (uint32_t)~n & 0xffff, 16);
    memcpy(w->out + w->n, bytes, n);
    w->n += n;
}

#endif
