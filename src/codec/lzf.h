/* LZF, as h5py packs chunks with it. */
#ifndef STOA_CODEC_LZF_H
#define STOA_CODEC_LZF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A packed byte becomes at most so many: 264 of a match that takes up three. */
#define STOA_LZF_MOST_BYTES 88

/* At most `room` bytes; false where the packed ones are damaged or make more. */
bool stoa_lzf_undo(const uint8_t *in, size_t n_in, uint8_t *out, size_t room, size_t *n_out);

#endif
