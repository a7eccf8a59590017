/* Deflate blocks of Huffman codes without matches. */
#ifndef STOA_CODEC_DEFLATE_CODES_H
#define STOA_CODEC_DEFLATE_CODES_H

#include "codec/kernels/deflate_bits.h"

/* The fewest bytes of a block that others follow, and what it may take beyond them. */
enum { STOA_CODES_PIECE = 1 << 13, STOA_CODES_MORE = 8 };

/* The size of one block of codes in bytes. That of noise is above n. */
size_t stoa_deflate_codes_size(const uint8_t *bytes, size_t n);

/* Write blocks of which none is the last one. They are stored if that is shorter, and take up at
 * most STOA_CODES_MORE bytes more than theirs for each piece that is begun. */
void stoa_deflate_codes_put(stoa_bit_writer *w, const uint8_t *bytes, size_t n);

/* End a stream, and write zlib's frame around its blocks: the head that inflate.h knows, for which
 * there is room before them, and the checksum of the bytes. Returns the size of all. */
size_t stoa_deflate_frame(stoa_bit_writer *w, const uint8_t *bytes, size_t n);

#endif
