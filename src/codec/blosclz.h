/* BloscLZ, the codec that Blosc adds to those of other projects: a descendant of FastLZ. */
#ifndef STOA_CODEC_BLOSCLZ_H
#define STOA_CODEC_BLOSCLZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Decompress to exactly n_out bytes; false if the input is damaged or has another decompressed
 * size. */
bool stoa_blosclz_undo(const uint8_t *in, size_t n_in, uint8_t *out, size_t n_out);

#endif
