/* The bitshuffle transformation, which sorts the bits of elements by their position, and its
 * inverse. */
#ifndef STOA_CODEC_BITSHUFFLE_H
#define STOA_CODEC_BITSHUFFLE_H

#include <stddef.h>
#include <stdint.h>

#include "core/cpu.h"

/*
 * Undo the transformation of n elements of `size` bytes, n a multiple of 8. The buffers do not
 * overlap.
 * @param planes  scratch of n * size bytes
 */
void stoa_bit_unshuffle(uint8_t *elements, const uint8_t *rows, size_t n, size_t size,
                        uint8_t *planes, stoa_simd simd);

#endif
