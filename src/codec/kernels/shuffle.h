/*
 * Sorts bytes of elements by their position in the element, and back: HDF5's shuffle filter, and
 * half of bitshuffle.
 *
 * A plane holds byte k of every element. The kernels join and split 2, 4 or 8 planes at a time.
 * stoa_shuffle() and stoa_unshuffle() combine them for elements of any size.
 */
#ifndef STOA_CODEC_SHUFFLE_H
#define STOA_CODEC_SHUFFLE_H

#include "codec/pipeline.h"

/* Plane k begins at planes + k * distance and has `n` bytes. Element i begins at elements + i *
 * stride, and its first 2, 4 or 8 bytes are in the planes. For 2 and 4 planes, these must be the
 * whole element (stride 2, 4). */
typedef void (*stoa_join)(uint8_t *elements, size_t stride, const uint8_t *planes, size_t distance,
                          size_t n);
typedef void (*stoa_split)(uint8_t *planes, size_t distance, const uint8_t *elements, size_t stride,
                           size_t n);

typedef struct stoa_shuffle_kernels {
    stoa_join join2, join4, join8;
    stoa_split split2, split4, split8;
    /* Transpose each group of 8 bytes as an 8 x 8 bit matrix: bit e of byte j becomes bit j of byte
     * e. In place; n_bytes is a multiple of 8. */
    void (*transpose_bits)(uint8_t *bytes, size_t n_bytes);
} stoa_shuffle_kernels;

extern const stoa_shuffle_kernels stoa_shuffle_scalar;
extern const stoa_shuffle_kernels stoa_shuffle_avx2;
extern const stoa_shuffle_kernels stoa_shuffle_avx512;
extern const stoa_shuffle_kernels stoa_shuffle_neon;

const stoa_shuffle_kernels *stoa_shuffle_kernels_of(stoa_simd simd);

/* Shuffle n elements of `size` bytes; the caller copies a shorter tail. */
void stoa_shuffle(uint8_t *planes, const uint8_t *elements, size_t n, size_t size, stoa_simd simd);
void stoa_unshuffle(uint8_t *elements, const uint8_t *planes, size_t n, size_t size,
                    stoa_simd simd);

#endif
