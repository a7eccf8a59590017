/* Encodings of numbers as deflate streams that libdeflate has not. The filter is in deflate.c. */
#ifndef STOA_CODEC_DEFLATE_H
#define STOA_CODEC_DEFLATE_H

#include "codec/filter.h"

/* The level meant for speed, at which noise is stored. */
enum { STOA_DEFLATE_FAST = 1 };

/*
 * Compress a chunk as a zlib stream into step->out, at any level. Values in no order take the
 * fewest bytes by Huffman codes without matches, above all if they are packed to a few bits. Each
 * plane of shuffled numbers is encoded as suits it: see deflate_planes.c.
 *
 * @param coders  with a deflater
 * @return false if libdeflate must do it: it produces as few bytes, or the chunk was not compressed
 */
bool stoa_deflate_planes(const stoa_step *step, stoa_coders *coders, size_t *n_packed);
void stoa_deflate_planes_end(stoa_coders *coders);

#endif
