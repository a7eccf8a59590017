/* Deflate for chunks of shuffled numbers; everything else of the filter is in deflate.c. */
#ifndef STOA_CODEC_DEFLATE_H
#define STOA_CODEC_DEFLATE_H

#include "codec/filter.h"

/* The level that is for speed, at which chunks are packed plane by plane. */
enum { STOA_DEFLATE_FAST = 1 };

/*
 * A chunk of which most planes repeat one byte, or have planes of noise, as a zlib stream in
 * step->out.
 *
 * @param coders  with a deflater
 * @return false where it is not such a chunk, or was not packed: it is libdeflate's then
 */
bool stoa_deflate_planes(const stoa_step *step, stoa_coders *coders, size_t *n_packed);
void stoa_deflate_planes_end(stoa_coders *coders);

#endif
