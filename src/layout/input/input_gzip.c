/* gzip (RFC 1952): a sequence of members, such as `cat a.gz b.gz` makes. */
#include <stdlib.h>
#include <zlib.h>

#include "core/memory.h"
#include "layout/input/input_codec.h"

typedef struct gzip {
    z_stream stream;
    bool is_between; /* a member has ended and the next has not begun */
} gzip;

static voidpf gzip_alloc(voidpf opaque, uInt n, uInt size)
{
    (void)opaque;
    return stoa_alloc(n, size);
}

static void gzip_free(voidpf opaque, voidpf block)
{
    (void)opaque;
    free(block);
}

static bool gzip_knows(const uint8_t *head, size_t n)
{
    return n >= 2 && head[0] == 0x1f && head[1] == 0x8b;
}

static stoa_status gzip_open(void **state, stoa_error *err)
{
    gzip *self = stoa_alloc_zero(1, sizeof *self);

    *state = NULL;
    STOA_RETURN_NO_MEMORY(err, self);
    self->stream.zalloc = gzip_alloc;
    self->stream.zfree = gzip_free;
    if (inflateInit2(&self->stream, 15 + 16) != Z_OK) { /* +16: gzip only */
        free(self);
        return stoa_fail_memory(err);
    }
    *state = self;
    return STOA_OK;
}

/* Between members, zeros are padding (from tapes). Anything else must be a member. */
static bool skip_padding(stoa_codec_window *window)
{
    while (window->n_in > 0 && *window->in == 0) {
        window->in++;
        window->n_in--;
    }
    return window->n_in > 0;
}

static stoa_status gzip_decode(void *state, stoa_codec_window *window, stoa_error *err)
{
    gzip *self = state;
    z_stream *stream = &self->stream;
    const uInt n_in = window->n_in < UINT32_MAX / 2 ? (uInt)window->n_in : UINT32_MAX / 2;
    const uInt n_out = window->n_out < UINT32_MAX / 2 ? (uInt)window->n_out : UINT32_MAX / 2;

    if (self->is_between) {
        if (skip_padding(window)) {
            self->is_between = false;
            (void)inflateReset(stream);
        }
        return STOA_OK; /* the next call continues */
    }
    stream->next_in = (z_const Bytef *)(uintptr_t)window->in;
    stream->avail_in = n_in;
    stream->next_out = window->out;
    stream->avail_out = n_out;
    const int result = inflate(stream, Z_NO_FLUSH);
    window->in += n_in - stream->avail_in;
    window->n_in -= n_in - stream->avail_in;
    window->out += n_out - stream->avail_out;
    window->n_out -= n_out - stream->avail_out;

    switch (result) {
    case Z_STREAM_END:
        self->is_between = true;
        return STOA_OK;
    case Z_OK:
    case Z_BUF_ERROR: /* no input or no output space: not an error */
        return STOA_OK;
    case Z_MEM_ERROR:
        return stoa_fail_memory(err);
    default:
        return stoa_fail(err, STOA_EDATA, "damaged gzip data%s%s", stream->msg != NULL ? ": " : "",
                         stream->msg != NULL ? stream->msg : "");
    }
}

static bool gzip_is_complete(const void *state)
{
    const gzip *self = state;

    return self->is_between;
}

static void gzip_close(void *state)
{
    gzip *self = state;

    if (self != NULL) {
        (void)inflateEnd(&self->stream);
        free(self);
    }
}

const stoa_input_codec stoa_input_gzip = {
    .name = "gzip",
    .knows = gzip_knows,
    .open = gzip_open,
    .decode = gzip_decode,
    .is_complete = gzip_is_complete,
    .close = gzip_close,
};
