/* Deflate blocks of Huffman codes without matches. */
#ifndef STOA_CODEC_DEFLATE_CODES_H
#define STOA_CODEC_DEFLATE_CODES_H

#include "codec/kernels/deflate_bits.h"

/* The most bytes of a block, and what a block may take beyond its bytes. */
enum { STOA_CODES_BLOCK = 1 << 15, STOA_CODES_MORE = 8 };

/* The size of such a block in bytes, at most n and STOA_CODES_MORE, which a stored one may take. */
size_t stoa_deflate_codes_size(const uint8_t *bytes, size_t n);

/* Write a block that is not the last one; stored if that is shorter. The writer's room is that of
 * stoa_deflate_codes_size(). */
void stoa_deflate_codes_put(stoa_bit_writer *w, const uint8_t *bytes, size_t n);

#endif
