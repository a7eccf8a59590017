/* Bits of elements sorted by their place in the element, and back. */
#ifndef STOA_CODEC_BITSHUFFLE_H
#define STOA_CODEC_BITSHUFFLE_H

#include <stddef.h>
#include <stdint.h>

#include "core/cpu.h"

/* n elements of `size` bytes, n a multiple of 8. None of the three overlap.
 *
 * @param planes  room for n * size bytes */
void stoa_bit_unshuffle(uint8_t *elements, const uint8_t *rows, size_t n, size_t size,
                        uint8_t *planes, stoa_simd simd);

#endif
