/* The interface of a decompressor that input.c uses: one table of functions per format. */
#ifndef STOA_LAYOUT_INPUT_CODEC_H
#define STOA_LAYOUT_INPUT_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/error.h"

/* The input that a decoder may consume, and the output that it may write. It advances both. */
typedef struct stoa_codec_window {
    const uint8_t *in;
    size_t n_in;
    uint8_t *out;
    size_t n_out;
} stoa_codec_window;

typedef struct stoa_input_codec {
    const char *name;                             /* for messages */
    bool (*knows)(const uint8_t *head, size_t n); /* whether a file starts as the format does */
    stoa_status (*open)(void **state, stoa_error *err);
    /* Decode as much as possible. A decoder may have output left when its input is used up. */
    stoa_status (*decode)(void *state, stoa_codec_window *window, stoa_error *err);
    bool (*is_complete)(const void *state); /* may the input end here? */
    void (*close)(void *state);             /* accepts NULL */
} stoa_input_codec;

extern const stoa_input_codec stoa_input_gzip;
extern const stoa_input_codec stoa_input_zstd;

#endif
