/*
 * BloscLZ decompression. A stream is a sequence of literal runs and matches, each begun by one
 * byte.
 *
 *   000nnnnn  n + 1 literals follow. The first byte of a stream always begins such a run, whatever
 *             its upper bits, which name the format.
 *   lllddddd  A match of l + 2 bytes. If l is 7, bytes are added to it up to the first one below
 *             255. The next byte b gives the distance, d * 256 + b + 1. If d and b are all ones,
 * two more bytes (big-endian) give the distance less 8192.
 */
#include "codec/blosclz.h"

#include "codec/match.h"

enum { LITERALS = 32, LONG_MATCH = 7, FAR = 0x1f00 + 255 };

static bool follow_match(stoa_lz *s, size_t control)
{
    size_t n = control >> 5;
    size_t distance = (control & 31) << 8;
    size_t byte = 255;

    for (bool is_long = n == LONG_MATCH; is_long && byte == 255;) {
        if (!stoa_lz_byte(s, &byte) || n > (size_t)(s->out_end - s->out)) {
            return false;
        }
        n += byte;
    }
    if (!stoa_lz_byte(s, &byte)) {
        return false;
    }
    distance += byte;
    if (distance == FAR) {
        size_t high = 0;
        if (!stoa_lz_byte(s, &high) || !stoa_lz_byte(s, &byte)) {
            return false;
        }
        distance += high << 8 | byte;
    }
    return stoa_lz_match(s, distance + 1, n + 2);
}

bool stoa_blosclz_undo(const uint8_t *in, size_t n_in, uint8_t *out, size_t n_out)
{
    stoa_lz s = {in, in + n_in, out, out, out + n_out};
    size_t control = 0;
    bool is_sound = n_in != 0;

    for (bool is_first = true; is_sound && stoa_lz_byte(&s, &control); is_first = false) {
        control &= is_first ? 31 : 255;
        is_sound =
            control < LITERALS ? stoa_lz_literals(&s, control + 1) : follow_match(&s, control);
    }
    return is_sound && s.out == s.out_end;
}
