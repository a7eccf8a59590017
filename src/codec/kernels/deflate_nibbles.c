/*
 * Deflate streams that are decoded at memory speed: every block is stored, or gives all its bytes
 * 4-bit codes.
 *
 * In measured floats, mantissas are noise and exponents have few values. For those, codes of equal
 * length are hardly longer than optimal ones. Such a block is a table of 16 bytes and an array of
 * nibbles, which SIMD registers look up. For any inflater it is an ordinary block (RFC 1951,
 * 3.2.7). Deflate requires a complete code. So the code always has 15 bytes, some of which may not
 * occur, and the end of the block, which has the last code.
 *
 *     block = 3 bits of block type, 14 of code counts, 36 of the code length code,
 *             the lengths (of 256 bytes, the end, no distance), SEGMENT nibbles, the end
 */
#include "codec/kernels/deflate_nibbles.h"

#include <string.h>

#include "codec/bytes.h"
#include "codec/kernels/deflate_codes.h"

enum { SEGMENT = STOA_NIBBLES, N_CODES = 15, END = 15, MAX_STORED = 7 * SEGMENT };
/* 257 literal lengths, 1 distance length, 12 lengths of the code length code. */
enum { COUNTS = 8 << 10, N_LENGTHS = 258, COUNT_BITS = 14 };
/* The lengths of the codes for 0, 4, and two kinds of runs of 0, in deflate's order. */
static const uint8_t lengths_of_lengths[] = {0, 2, 2, 2, 0, 0, 0, 0, 0, 0, 0, 2};
/* These codes in the order of the bits: codes are written from their highest bit on. */
enum { ZERO = 0, FOUR = 2, SHORT_RUN = 1, LONG_RUN = 3 };
enum { SHORT_BITS = 3, MIN_SHORT = 3, LONG_BITS = 7, MIN_LONG = 11, MAX_LONG = 138 };
/* Shorter planes have fewer bytes by other codes. */
enum { LEAST_PLANE = 1 << 16 };
/* Approximate size of a block's description, and the tolerated ratio to libdeflate's size. */
enum { DESCRIPTION = 28 };
#define LONGER 1.08

/* --- encoding -------------------------------------------------------------------------------- */

static void put_zeros(stoa_bit_writer *w, unsigned n)
{
    while (n >= MIN_SHORT) {
        const unsigned run = n < MAX_LONG ? n : MAX_LONG;
        const bool is_long = run >= MIN_LONG;
        stoa_put_bits(w, is_long ? LONG_RUN : SHORT_RUN, 2);
        stoa_put_bits(w, run - (is_long ? MIN_LONG : MIN_SHORT), is_long ? LONG_BITS : SHORT_BITS);
        n -= run;
    }
    stoa_put_bits(w, 0, 2 * n); /* ZERO */
}

/* Write the description of a block; `has_code` are the bytes with a code. */
static void put_description(stoa_bit_writer *w, const bool has_code[256], bool is_final)
{
    unsigned n_zeros = 0;

    stoa_put_bits(w, (uint32_t)is_final | STOA_DEFLATE_CODED << 1, 3);
    stoa_put_bits(w, COUNTS, COUNT_BITS);
    for (size_t i = 0; i < sizeof lengths_of_lengths; i++) {
        stoa_put_bits(w, lengths_of_lengths[i], 3);
    }
    for (unsigned byte = 0; byte <= 256; byte++) {
        if (byte < 256 && !has_code[byte]) {
            n_zeros++;
            continue;
        }
        put_zeros(w, n_zeros);
        n_zeros = 0;
        stoa_put_bits(w, FOUR, 2);
    }
    stoa_put_bits(w, ZERO, 2);
}

/* Find the N_CODES bytes of a segment that get a code; false if it has more distinct bytes. */
static bool find_codes(const uint8_t *segment, bool has_code[256])
{
    unsigned n = 0;

    memset(has_code, 0, 256 * sizeof has_code[0]);
    for (size_t i = 0; i < SEGMENT; i++) {
        if (!has_code[segment[i]]) {
            has_code[segment[i]] = true;
            if (++n > N_CODES) {
                return false;
            }
        }
    }
    for (size_t i = 0; n < N_CODES; i++) {
        n += !has_code[i];
        has_code[i] = true;
    }
    return true;
}

static void put_coded(stoa_bit_writer *w, const uint8_t *segment, const bool has_code[256],
                      bool is_final)
{
    uint8_t codes[256];
    unsigned rank = 0;

    put_description(w, has_code, is_final);
    for (size_t i = 0; i < 256; i++) {
        codes[i] = (uint8_t)stoa_bits_reversed(rank & 15, 4);
        rank += has_code[i];
    }
    for (size_t i = 0; i < SEGMENT; i += 2) {
        stoa_put_bits(w, codes[segment[i]] | (uint32_t)codes[segment[i + 1]] << 4, 8);
    }
    stoa_put_bits(w, END, 4);
}

/* Whether the result is hardly longer than libdeflate's. One segment from the middle of each plane
 * is tried. */
static bool is_worth_it(const stoa_step *step, size_t plane_bytes, double share)
{
    size_t ours = 0;
    size_t all = 0;
    bool has_coded = false;

    for (size_t at = 0; at + plane_bytes <= step->n_in; at += plane_bytes) {
        bool has_code[256];
        const bool is_coded = find_codes(step->in + at + (plane_bytes - SEGMENT) / 2, has_code);

        all += SEGMENT;
        ours += is_coded ? SEGMENT / 2 + DESCRIPTION : SEGMENT;
        has_coded = has_coded || is_coded;
    }
    return has_coded && (double)ours <= LONGER * share * (double)all;
}

bool stoa_deflate_nibbles(const stoa_step *step, size_t plane_bytes, double share, size_t *n_packed)
{
    stoa_bit_writer w = {.out = step->out, .n = STOA_ZLIB_HEAD_BYTES};

    if (plane_bytes < LEAST_PLANE || !is_worth_it(step, plane_bytes, share)) {
        return false;
    }
    for (size_t at = 0, end, stored = 0; at < step->n_in; at = end) {
        bool has_code[256];
        const size_t left = step->n_in - at;
        const bool is_coded = left >= SEGMENT && find_codes(step->in + at, has_code);
        end = left >= SEGMENT ? at + SEGMENT : step->n_in;
        const size_t n_stored = (is_coded ? at : end) - stored;
        if (n_stored > 0 && (is_coded || n_stored == MAX_STORED || end == step->n_in)) {
            stoa_put_stored(&w, step->in + stored, n_stored, stored + n_stored == step->n_in);
            stored += n_stored;
        }
        if (is_coded) {
            put_coded(&w, step->in + at, has_code, end == step->n_in);
            stored = end;
        }
    }
    *n_packed = stoa_deflate_frame(&w, step->in, step->n_in);
    return true;
}

/* --- decoding -------------------------------------------------------------------------------- */

bool stoa_nibbles_look_up_scalar(const uint8_t *in, unsigned shift, const uint8_t bytes[16],
                                 uint8_t *out)
{
    bool has_end = false;

    for (size_t i = 0; i < SEGMENT / 2; i++) {
        const unsigned two = (in[i] | (unsigned)in[i + 1] << 8) >> shift;
        has_end = has_end || (two & 15) == END || (two >> 4 & 15) == END;
        out[2 * i] = bytes[two & 15];
        out[2 * i + 1] = bytes[two >> 4 & 15];
    }
    return !has_end;
}
