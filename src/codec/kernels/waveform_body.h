/*
 * Shared by the decoders of waveform.h: single numbers of either codec, and the blocks of
 * sigcompress. The including file defines two functions that decode n fields of `width` bits (2 ..
 * 16) at `bits`, within n_bytes:
 *
 *     absolute(bits, n_bytes, width, base, samples, n)
 *         A sample is base plus its field.
 *     steps(bits, n_bytes, width, step, from, shift, samples, n)
 *         A sample is the previous one plus step plus its field.
 */
#ifndef STOA_CODEC_WAVEFORM_BODY_H
#define STOA_CODEC_WAVEFORM_BODY_H

#include <stdbool.h>

#include "codec/kernels/waveform.h"

static const char stoa_row_too_short[] = "ends before its last sample";
static const char stoa_row_too_long[] = "goes on behind its last sample";

/* Sign-extend a 16-bit word. */
static inline int32_t stoa_signed_word(uint32_t word)
{
    return (int32_t)(word & 0x7fff) - (int32_t)(word & 0x8000);
}

static inline uint32_t stoa_word_at(const uint8_t *at)
{
    return (uint32_t)at[0] << 8 | at[1];
}

/* --- uleb128 --------------------------------------------------------------------------------- */

/* No writer makes numbers of more than five bytes. Further zero bytes are accepted up to the limit
 * of other readers. */
enum { STOA_MAX_NUMBER_LENGTH = 10 };

/* Read one number; only its lower 32 bits are used. */
static inline const char *stoa_uleb128_next(const uint8_t **at, const uint8_t *end,
                                            uint32_t *number)
{
    uint64_t bits = 0;

    for (unsigned i = 0; i < STOA_MAX_NUMBER_LENGTH; i++) {
        if (*at == end) {
            return i == 0 ? stoa_row_too_short : "ends within a number";
        }
        const uint8_t byte = *(*at)++;
        bits |= i < 5 ? (uint64_t)(byte & 0x7f) << (7 * i) : 0;
        if (byte < 0x80) {
            *number = (uint32_t)bits;
            return NULL;
        }
    }
    return "has a number of more than ten bytes";
}

static inline uint32_t stoa_zigzag_undo(uint32_t number)
{
    return number >> 1 ^ (0 - (number & 1));
}

/* Decode samples one by one, up to the end of the row. This is the reference implementation. */
static inline const char *stoa_uleb128_rest(const uint8_t *at, const uint8_t *end, uint32_t sample,
                                            int32_t *samples, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t number = 0;
        const char *const wrong = stoa_uleb128_next(&at, end, &number);
        if (wrong != NULL) {
            return wrong;
        }
        sample += stoa_zigzag_undo(number);
        samples[i] = (int32_t)sample;
    }
    return at == end ? NULL : stoa_row_too_long;
}

/* --- sigcompress ----------------------------------------------------------------------------- */

enum { STOA_STEPS = 32, STOA_MIN_WIDTH = 2, STOA_MAX_WIDTH = 16 };

static void absolute(const uint8_t *bits, size_t n_bytes, unsigned width, int32_t base,
                     int32_t *samples, size_t n);
static void steps(const uint8_t *bits, size_t n_bytes, unsigned width, int32_t step, int32_t from,
                  int32_t shift, int32_t *samples, size_t n);

/* The difference of two 32-bit numbers, modulo 2^32. */
static inline int32_t stoa_less(int32_t a, int32_t b)
{
    return (int32_t)((uint32_t)a - (uint32_t)b);
}

/* Decode the block at *at, which must have at most n samples. Returns its number of samples; 0 if
 * it is damaged. */
static inline size_t stoa_sigcompress_block(const uint8_t **at, const uint8_t *end, int32_t shift,
                                            int32_t *samples, size_t n)
{
    if (end - *at < 6) {
        return 0;
    }
    const size_t n_here = stoa_word_at(*at);
    const uint32_t bits = stoa_word_at(*at + 2);
    const int32_t base = stoa_signed_word(stoa_word_at(*at + 4));
    const bool is_steps = bits >= STOA_STEPS;
    const unsigned width = is_steps ? bits - STOA_STEPS : bits;
    const uint8_t *const fields = *at + (is_steps ? 8 : 6);

    if (n_here == 0 || n_here > n || width < STOA_MIN_WIDTH || width > STOA_MAX_WIDTH ||
        fields > end) {
        return 0;
    }
    const size_t n_fields = is_steps ? n_here - 1 : n_here;
    const size_t n_bytes = (n_fields * width + 15) / 16 * 2;
    const size_t n_left = (size_t)(end - fields);
    if (n_bytes > n_left) {
        return 0;
    }
    if (is_steps) {
        samples[0] = stoa_less(base, shift);
        steps(fields, n_left, width, stoa_signed_word(stoa_word_at(*at + 6)), base, shift,
              samples + 1, n_fields);
    } else {
        absolute(fields, n_left, width, stoa_less(base, shift), samples, n_fields);
    }
    *at = fields + n_bytes;
    return n_here;
}

static const char *undo_sigcompress(const uint8_t *row, size_t n_bytes, int32_t shift,
                                    int32_t *samples, size_t n)
{
    const uint8_t *at = row + 2;
    const uint8_t *const end = row + n_bytes;
    size_t done = 0;

    if (n_bytes < 2 || n_bytes % 2 != 0) {
        return "is no sequence of 16-bit words";
    }
    if (stoa_word_at(row) != n) {
        return "holds another number of samples than it should";
    }
    while (done < n) {
        const size_t n_here = stoa_sigcompress_block(&at, end, shift, samples + done, n - done);
        if (n_here == 0) {
            return "has a block that is damaged or cut short";
        }
        done += n_here;
    }
    return end - at <= 2 ? NULL : stoa_row_too_long;
}

#endif
