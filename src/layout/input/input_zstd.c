/* Zstandard (RFC 8878): a sequence of frames, which may include skippable frames. */
#include <stdlib.h>
#include <zstd.h>

#include "core/memory.h"
#include "layout/input/input_codec.h"

typedef struct zstd {
    ZSTD_DStream *stream;
    bool is_between; /* a frame has ended and the next has not begun */
} zstd;

static bool zstd_knows(const uint8_t *head, size_t n)
{
    /* RFC 8878 §3.1.1 and §3.1.2: little-endian magic numbers. */
    return n >= 4 &&
           ((head[0] == 0x28 && head[1] == 0xb5 && head[2] == 0x2f && head[3] == 0xfd) ||
            ((head[0] & 0xf0) == 0x50 && head[1] == 0x2a && head[2] == 0x4d && head[3] == 0x18));
}

static stoa_status zstd_open(void **state, stoa_error *err)
{
    zstd *self = stoa_alloc_zero(1, sizeof *self);

    *state = NULL;
    if (self == NULL || (self->stream = ZSTD_createDStream()) == NULL) {
        free(self);
        return stoa_fail_memory(err);
    }
    *state = self;
    return STOA_OK;
}

static stoa_status zstd_decode(void *state, stoa_codec_window *window, stoa_error *err)
{
    zstd *self = state;
    ZSTD_inBuffer in = {window->in, window->n_in, 0};
    ZSTD_outBuffer out = {window->out, window->n_out, 0};
    const size_t result = ZSTD_decompressStream(self->stream, &out, &in);

    if (ZSTD_isError(result)) {
        return stoa_fail(err, STOA_EDATA, "damaged Zstandard data: %s", ZSTD_getErrorName(result));
    }
    if (in.pos != 0 ||
        out.pos != 0) { /* a call without progress does not show where the stream stands */
        self->is_between = result == 0;
    }
    window->in += in.pos;
    window->n_in -= in.pos;
    window->out += out.pos;
    window->n_out -= out.pos;
    return STOA_OK;
}

static bool zstd_is_complete(const void *state)
{
    const zstd *self = state;

    return self->is_between;
}

static void zstd_close(void *state)
{
    zstd *self = state;

    if (self != NULL) {
        (void)ZSTD_freeDStream(self->stream);
        free(self);
    }
}

const stoa_input_codec stoa_input_zstd = {
    .name = "Zstandard",
    .knows = zstd_knows,
    .open = zstd_open,
    .decode = zstd_decode,
    .is_complete = zstd_is_complete,
    .close = zstd_close,
};
