/* Integers in seven bits a byte, the low bits first. Bit 7 is set in every byte but the last
 * (docs/sparse-format.md §1). */
#ifndef STOA_SPARSE_VARINT_H
#define STOA_SPARSE_VARINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STOA_VARINT_BYTES 10 /* maximal length */

static inline size_t stoa_varint_size(uint64_t value)
{
    size_t n = 1;

    while (value >= 0x80) {
        value >>= 7;
        n++;
    }
    return n;
}

/* Returns the number of bytes written. */
static inline size_t stoa_varint_put(uint8_t *to, uint64_t value)
{
    size_t n = 0;

    while (value >= 0x80) {
        to[n++] = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    to[n++] = (uint8_t)value;
    return n;
}

/* Read the number at *at and advance. Returns false if `end` comes first or the number exceeds 64
 * bits. */
static inline bool stoa_varint_get(const uint8_t **at, const uint8_t *end, uint64_t *value)
{
    uint64_t sum = 0;

    for (unsigned shift = 0; shift < 64 && *at < end; shift += 7) {
        const uint8_t byte = *(*at)++;
        if (shift == 63 && byte > 1) {
            return false;
        }
        sum |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            *value = sum;
            return true;
        }
    }
    return false;
}

#endif
