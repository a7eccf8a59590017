/*
 * The two codecs of LEGEND's waveforms (LH5 notes §6). Each row of samples is encoded separately.
 *
 * uleb128_zigzag_diff: differences of adjacent samples in 32 bits, the first one to 0. They are
 * zigzag-coded (0, -1, 1, -2 ... become 0, 1, 2, 3 ...). Each number is then written as 7 bits per
 * byte, lowest first; all its bytes but the last have the top bit set.
 *
 * radware_sigcompress: 16-bit words, high byte first. A row has the number of samples, then blocks
 * of at most 128 samples. If the number of words would be odd, a word of any value follows. A block
 * has its number of samples, the bits per field, and one of
 *
 *     minimum                          a field per sample: sample less the minimum
 *     first sample, least difference   a field per further sample: its difference to the previous
 *                                      one, less the least difference; 32 is added to the bits
 *
 * and the fields as one bit stream, highest bit first, padded to a whole word. Encoded samples have
 * 16 bits; `shift` is subtracted when they are decoded to memory.
 */
#ifndef STOA_CODEC_WAVEFORM_H
#define STOA_CODEC_WAVEFORM_H

#include <stddef.h>
#include <stdint.h>

#include "core/cpu.h"

/* Decoders, one table per instruction set. All give the same results and messages. */
typedef struct stoa_waveform_kernels {
    /*
     * Decode the n samples of a row.
     *
     * @return NULL, or what is wrong with the row, such as "ends within a number"; some samples may
     *         have been written then
     */
    const char *(*undo_uleb128)(const uint8_t *row, size_t n_bytes, int32_t *samples, size_t n);
    const char *(*undo_sigcompress)(const uint8_t *row, size_t n_bytes, int32_t shift,
                                    int32_t *samples, size_t n);
} stoa_waveform_kernels;

extern const stoa_waveform_kernels stoa_waveform_scalar;
extern const stoa_waveform_kernels stoa_waveform_avx2;
extern const stoa_waveform_kernels stoa_waveform_avx512;

const stoa_waveform_kernels *stoa_waveform_kernels_of(stoa_simd simd);

/* The most bytes that n encoded samples can have; n is at most SIZE_MAX / 8. */
static inline size_t stoa_uleb128_bound(size_t n)
{
    return 5 * n;
}

static inline size_t stoa_sigcompress_bound(size_t n)
{
    return 2 * (n + 3 * (n / 48 + 1) + 2);
}

/* Encode to at most stoa_uleb128_bound(n) bytes. Returns the bytes written. */
size_t stoa_uleb128_do(const int32_t *samples, size_t n, uint8_t *row);
/*
 * Encode to at most stoa_sigcompress_bound(n) bytes.
 *
 * @param[out] n_bytes  the bytes written
 * @return NULL, or why the codec cannot hold these samples (LH5 notes §6.2)
 */
const char *stoa_sigcompress_do(const int32_t *samples, size_t n, int32_t shift, uint8_t *row,
                                size_t *n_bytes);

#endif
