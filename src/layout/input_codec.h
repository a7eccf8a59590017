/* What input.c asks of a compression: one table of functions a format. */
#ifndef STOA_LAYOUT_INPUT_CODEC_H
#define STOA_LAYOUT_INPUT_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/error.h"

/* What a decoder may take from and where it may write; it moves both forwards. */
typedef struct stoa_codec_window {
    const uint8_t *in;
    size_t n_in;
    uint8_t *out;
    size_t n_out;
} stoa_codec_window;

typedef struct stoa_input_codec {
    const char *name;                             /* for messages */
    bool (*knows)(const uint8_t *head, size_t n); /* by the first bytes of the file */
    stoa_status (*open)(void **state, stoa_error *err);
    /* Decode what can be; with nothing left to take it may still have something to write. */
    stoa_status (*decode)(void *state, stoa_codec_window *window, stoa_error *err);
    bool (*is_complete)(const void *state); /* may the input end here? */
    void (*close)(void *state);             /* NULL is fine */
} stoa_input_codec;

extern const stoa_input_codec stoa_input_gzip;
extern const stoa_input_codec stoa_input_zstd;

#endif
