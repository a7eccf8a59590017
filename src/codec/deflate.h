/* A fast encoding of shuffled numbers as deflate streams. The filter itself is in deflate.c. */
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
void stoa_deflate_planes_end(stoa_coders *coders);

#endif
