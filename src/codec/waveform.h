/*
 * The two codecs of LEGEND's waveforms (LH5 notes §6): each row of samples is packed by itself.
 *
 * uleb128_zigzag_diff: the differences of neighbouring samples, the first one's to 0, in 32 bits;
 * zig-zag (0, -1, 1, -2 ... become 0, 1, 2, 3 ...); then seven bits a byte, the lowest first, the
 * top bit set on all bytes of a number but its last.
 *
 * radware_sigcompress: words of 16 bits, the high byte first. The number of samples, then blocks
 * of at most 128 of them, then a word of any value where the words would be odd in number. A block
 * is its number of samples, the bits of a field and
 *
 *     least sample                     a field for each sample: what it is above the least
 *     first sample, least difference   a field for each further one: what its difference to the one
 *                                      before is above the least; 32 is added to the bits
 *
 * and the fields as one stream of bits, the highest first, filled up to a whole word. Samples are
 * 16 bits here; what they are in memory has `shift` taken away once more.
 */
#ifndef STOA_CODEC_WAVEFORM_H
#define STOA_CODEC_WAVEFORM_H

#include <stddef.h>
#include <stdint.h>

#include "core/cpu.h"

/* Unpacking, one table an instruction set; all give the same bits and the same answers. */
typedef struct stoa_waveform_kernels {
    /*
     * The n samples of a row.
     *
     * @return NULL; or what is wrong with the row, "ends within a number": then some samples may
     *         have been written
     */
    const char *(*undo_uleb128)(const uint8_t *row, size_t n_bytes, int32_t *samples, size_t n);
    const char *(*undo_sigcompress)(const uint8_t *row, size_t n_bytes, int32_t shift,
                                    int32_t *samples, size_t n);
} stoa_waveform_kernels;

extern const stoa_waveform_kernels stoa_waveform_scalar;
extern const stoa_waveform_kernels stoa_waveform_avx2;
extern const stoa_waveform_kernels stoa_waveform_avx512;

const stoa_waveform_kernels *stoa_waveform_kernels_of(stoa_simd simd);

/* Bytes that n packed samples take up at most; n is at most SIZE_MAX / 8. */
static inline size_t stoa_uleb128_bound(size_t n)
{
    return 5 * n;
}

static inline size_t stoa_sigcompress_bound(size_t n)
{
    return 2 * (n + 3 * (n / 48 + 1) + 2);
}

/* Into at most stoa_uleb128_bound(n) bytes. Returns how many. */
size_t stoa_uleb128_do(const int32_t *samples, size_t n, uint8_t *row);
/*
 * Into at most stoa_sigcompress_bound(n) bytes.
 *
 * @param[out] n_bytes  how many
 * @return NULL; or why the codec does not hold these samples (LH5 notes §6.2)
 */
const char *stoa_sigcompress_do(const int32_t *samples, size_t n, int32_t shift, uint8_t *row,
                                size_t *n_bytes);

#endif
