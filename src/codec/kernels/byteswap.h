/* Converts elements to the other byte order. */
#ifndef STOA_CODEC_BYTESWAP_H
#define STOA_CODEC_BYTESWAP_H

#include "codec/pipeline.h"

/* Swap n elements of `size` bytes; both may be any number. `out` is `in` or does not overlap it. */
void stoa_byteswap(void *out, const void *in, size_t n, size_t size, stoa_simd simd);

#if defined(__x86_64__)
/* Swap as many elements of 2, 4 or 8 bytes as fill whole registers. Returns how many. */
size_t stoa_byteswap_avx2(uint8_t *out, const uint8_t *in, size_t n, size_t size);
#endif

#endif
