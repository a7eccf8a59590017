/* BloscLZ, the codec that Blosc has of its own: a descendant of FastLZ. */
#ifndef STOA_CODEC_BLOSCLZ_H
#define STOA_CODEC_BLOSCLZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Exactly n_out bytes; false where the packed ones are damaged or make any other number of them. */
bool stoa_blosclz_undo(const uint8_t *in, size_t n_in, uint8_t *out, size_t n_out);

#endif
