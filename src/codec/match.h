/* What coders of the Lempel-Ziv kind share. */
#ifndef STOA_CODEC_MATCH_H
#define STOA_CODEC_MATCH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* n bytes that lie `distance` before those to be written, which they may run into. */
static inline void stoa_copy_match(uint8_t *to, size_t distance, size_t n)
{
    if (distance == 1) {
        memset(to, to[-1], n);
        return;
    }
    while (n > 0) { /* as many as are there, twice as many each time */
        const size_t part = n < distance ? n : distance;
        memcpy(to, to - distance, part);
        to += part;
        n -= part;
        distance += part;
    }
}

#endif
