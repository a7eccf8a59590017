/* Encodings of numbers as deflate streams that libdeflate has not. The filter is in deflate.c. */
#ifndef STOA_CODEC_DEFLATE_H
#define STOA_CODEC_DEFLATE_H

#include "codec/filter.h"

/* The level meant for speed, at which chunks are compressed plane by plane. */
enum { STOA_DEFLATE_FAST = 1 };

/*
 * Compress a chunk as a zlib stream into step->out. At least half of its planes must repeat one
 * byte or, in a short chunk, be noise. Other chunks are passed to stoa_deflate_nibbles().
 *
 * @param coders  with a deflater
 * @return false if the chunk is not of that kind or was not compressed: libdeflate must do it
 */
bool stoa_deflate_planes(const stoa_step *step, stoa_coders *coders, size_t *n_packed);
/*
 * Compress a chunk as a zlib stream of Huffman codes without matches into step->out, at any level.
 * Values in no order take the fewest bytes so, above all if they are packed to a few bits. Matches
 * among them are chance, and take more bits than the literals in their place. Planes of shuffled
 * numbers in which matches do gain have some.
 *
 * @param coders  with a deflater
 * @return false if libdeflate would produce as few bytes, or the chunk was not compressed
 */
bool stoa_deflate_codes(const stoa_step *step, stoa_coders *coders, size_t *n_packed);
void stoa_deflate_planes_end(stoa_coders *coders);

#endif
