/* Chunks of floats as deflate streams that are undone at the speed of memory. */
#ifndef STOA_CODEC_DEFLATE_NIBBLES_H
#define STOA_CODEC_DEFLATE_NIBBLES_H

#include "codec/filter.h"

/* Bytes of a block whose codes are nibbles. */
enum { STOA_NIBBLES = 8192 };

/*
 * Shuffled numbers, of whose planes some have few bytes and the others are noise, as a zlib stream
 * in step->out.
 *
 * @return false where libdeflate would make clearly fewer bytes of them
 */
bool stoa_deflate_nibbles(const stoa_step *step, struct libdeflate_compressor *deflater,
                          size_t plane_bytes, size_t *n_packed);
/* A stream that consists of such blocks and stored ones alone, into step->out. False: it is
 * another, or a damaged one, which an inflater must look at. */
bool stoa_deflate_nibbles_undo(const stoa_step *step, size_t *n);

/*
 * The bytes of STOA_NIBBLES codes.
 *
 * @param in     the first one begins at bit `shift`, below 8; a byte more may be read
 * @param bytes  by code
 * @return false: the end of the block is among them
 */
bool stoa_nibbles_look_up_scalar(const uint8_t *in, unsigned shift, const uint8_t bytes[16],
                                 uint8_t *out);
#if defined(__x86_64__)
bool stoa_nibbles_look_up_avx2(const uint8_t *in, unsigned shift, const uint8_t bytes[16],
                               uint8_t *out);
#endif

#endif
