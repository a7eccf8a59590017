/* Inflates zlib streams in which most blocks have no matches, or long runs (RFC 1950, RFC 1951). */
#ifndef STOA_CODEC_INFLATE_H
#define STOA_CODEC_INFLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/cpu.h"

/*
 * The head of a stream that is for this inflater. For any other it says that matches reach back
 * 16 KiB at most. So zlib must have a window of so many bits where it writes parts of a stream.
 */
enum { STOA_INFLATE_HEAD = 0x6805, STOA_INFLATE_WINDOW_BITS = 14 };

/*
 * Inflate a stream.
 *
 * @param n_readable  bytes that can be read at `in`, at least n_in. A few dozen more are worth it:
 *                    the last ones are decoded slowly, and of runs they may be most of a chunk
 * @param room        of `out`
 * @param n           bytes of `out`
 * @return false if it is damaged or does not fit: a general inflater tells which
 */
bool stoa_inflate(const uint8_t *in, size_t n_in, size_t n_readable, stoa_simd simd, uint8_t *out,
                  size_t room, size_t *n);

#endif
