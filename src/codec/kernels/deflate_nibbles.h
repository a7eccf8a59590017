/* Encodes chunks of floats as deflate streams that are decoded at memory speed. */
#ifndef STOA_CODEC_DEFLATE_NIBBLES_H
#define STOA_CODEC_DEFLATE_NIBBLES_H

#include "codec/filter.h"

/* Bytes in a block with 4-bit codes. */
enum { STOA_NIBBLES = 8192 };

/*
 * Encode shuffled numbers as a zlib stream into step->out. Some planes should have few distinct
 * bytes, and the others be noise.
 *
 * @param share  of these bytes that libdeflate leaves
 * @return false if planes are too short, or libdeflate would produce clearly fewer bytes
 */
bool stoa_deflate_nibbles(const stoa_step *step, size_t plane_bytes, double share,
                          size_t *n_packed);
/*
 * Decode STOA_NIBBLES codes.
 *
 * @param in     the first one begins at bit `shift`, below 8; one byte more may be read
 * @param bytes  by code
 * @return false if one of them is the end of the block
 */
bool stoa_nibbles_look_up_scalar(const uint8_t *in, unsigned shift, const uint8_t bytes[16],
                                 uint8_t *out);
#if defined(__x86_64__)
bool stoa_nibbles_look_up_avx2(const uint8_t *in, unsigned shift, const uint8_t bytes[16],
                               uint8_t *out);
#endif

static inline bool stoa_nibbles_look_up(const uint8_t *in, unsigned shift, const uint8_t bytes[16],
                                        stoa_simd simd, uint8_t *out)
{
#if defined(__x86_64__)
    if (simd != STOA_SIMD_SCALAR) {
        return stoa_nibbles_look_up_avx2(in, shift, bytes, out);
    }
#endif
    (void)simd;
    return stoa_nibbles_look_up_scalar(in, shift, bytes, out);
}

#endif
