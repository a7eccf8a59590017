/* Output helpers shared by LZ77 decoders. */
#ifndef STOA_CODEC_MATCH_H
#define STOA_CODEC_MATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Copy n bytes from `distance` bytes before `to`; the ranges may overlap. */
static inline void stoa_copy_match(uint8_t *to, size_t distance, size_t n)
{
    if (distance == 1) {
        memset(to, to[-1], n);
        return;
    }
    while (n > 0) { /* copy what is available, which doubles each time */
        const size_t part = n < distance ? n : distance;
        memcpy(to, to - distance, part);
        to += part;
        n -= part;
        distance += part;
    }
}

/* Input and output of a decoder. */
typedef struct stoa_lz {
    const uint8_t *in;
    const uint8_t *in_end;
    uint8_t *out;
    uint8_t *out_begin;
    uint8_t *out_end;
} stoa_lz;

static inline bool stoa_lz_byte(stoa_lz *s, size_t *byte)
{
    if (s->in == s->in_end) {
        return false;
    }
    *byte = *s->in++;
    return true;
}

static inline bool stoa_lz_literals(stoa_lz *s, size_t n)
{
    if (n > (size_t)(s->in_end - s->in) || n > (size_t)(s->out_end - s->out)) {
        return false;
    }
    memcpy(s->out, s->in, n);
    s->in += n;
    s->out += n;
    return true;
}

/* Copy n bytes from `distance` bytes back in the output. */
static inline bool stoa_lz_match(stoa_lz *s, size_t distance, size_t n)
{
    if (n > (size_t)(s->out_end - s->out) || distance > (size_t)(s->out - s->out_begin)) {
        return false;
    }
    stoa_copy_match(s->out, distance, n);
    s->out += n;
    return true;
}

#endif
