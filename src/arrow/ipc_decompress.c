#include "arrow/ipc_decompress.h"

#include <lz4frame.h>
#include <stdlib.h>
#include <zstd.h>

enum { LZ4_FRAME = 0, ZSTANDARD = 1, FIRST_ROOM = 1 << 16 };

struct stoa_decompressor {
    uint64_t codec;
    LZ4F_dctx *lz4; /* made at first use */
    ZSTD_DCtx *zstd;
};

/* Input and output that remain; each step advances them. A step returns false if the bytes are
 * damaged. */
typedef struct window {
    const uint8_t *in;
    size_t n_in;
    uint8_t *out;
    size_t n_out;
    bool is_complete; /* at the end of a frame */
} window;

stoa_status stoa_decompressor_open(stoa_decompressor **unpacker, stoa_error *err)
{
    *unpacker = stoa_alloc_zero(1, sizeof **unpacker);
    return *unpacker != NULL ? STOA_OK : stoa_fail_memory(err);
}

void stoa_decompressor_close(stoa_decompressor *unpacker)
{
    if (unpacker != NULL) {
        (void)LZ4F_freeDecompressionContext(unpacker->lz4);
        (void)ZSTD_freeDCtx(unpacker->zstd);
        free(unpacker);
    }
}

stoa_status stoa_decompressor_choose(stoa_decompressor *unpacker, uint64_t codec, stoa_error *err)
{
    unpacker->codec = codec;
    switch (codec) {
    case LZ4_FRAME:
        if (unpacker->lz4 == NULL &&
            LZ4F_isError(LZ4F_createDecompressionContext(&unpacker->lz4, LZ4F_VERSION))) {
            return stoa_fail_memory(err);
        }
        return STOA_OK;
    case ZSTANDARD:
        if (unpacker->zstd == NULL && (unpacker->zstd = ZSTD_createDCtx()) == NULL) {
            return stoa_fail_memory(err);
        }
        return STOA_OK;
    default:
        return stoa_fail(err, STOA_EVERSION, "batches are compressed by codec %u, which is unknown",
                         (unsigned)codec);
    }
}

static bool step_lz4(stoa_decompressor *u, window *w)
{
    size_t n_in = w->n_in;
    size_t n_out = w->n_out;
    const size_t left = LZ4F_decompress(u->lz4, w->out, &n_out, w->in, &n_in, NULL);

    if (LZ4F_isError(left)) {
        return false;
    }
    w->is_complete = left == 0;
    w->in += n_in;
    w->n_in -= n_in;
    w->out += n_out;
    w->n_out -= n_out;
    return true;
}

static bool step_zstd(stoa_decompressor *u, window *w)
{
    ZSTD_inBuffer in = {w->in, w->n_in, 0};
    ZSTD_outBuffer out = {w->out, w->n_out, 0};
    const size_t left = ZSTD_decompressStream(u->zstd, &out, &in);

    if (ZSTD_isError(left)) {
        return false;
    }
    w->is_complete = left == 0;
    w->in += in.pos;
    w->n_in -= in.pos;
    w->out += out.pos;
    w->n_out -= out.pos;
    return true;
}

/* Discard the state of an unfinished frame. */
static void begin(stoa_decompressor *u)
{
    if (u->codec == LZ4_FRAME) {
        LZ4F_resetDecompressionContext(u->lz4);
    } else {
        (void)ZSTD_DCtx_reset(u->zstd, ZSTD_reset_session_only);
    }
}

stoa_status stoa_unpack(stoa_decompressor *unpacker, const uint8_t *bytes, size_t n_bytes,
                        size_t size, stoa_buffer *out, stoa_error *err)
{
    window w = {.in = bytes, .n_in = n_bytes};
    bool is_sound = true;
    bool moves = true;

    begin(unpacker);
    while (is_sound && moves && !w.is_complete) {
        const size_t rest = size - out->size;
        const size_t most = out->size > FIRST_ROOM ? out->size : FIRST_ROOM;
        const size_t room = rest < most ? rest : most;
        const size_t n_in = w.n_in;
        STOA_RETURN_NOT_OK(stoa_buffer_reserve(out, room > 0 ? room : 1, err));
        w.out = out->data + out->size;
        w.n_out = room;
        is_sound = unpacker->codec == LZ4_FRAME ? step_lz4(unpacker, &w) : step_zstd(unpacker, &w);
        out->size += room - w.n_out;
        moves = n_in != w.n_in || room != w.n_out;
    }
    if (!is_sound || !w.is_complete || w.n_in != 0 || out->size != size) {
        return stoa_fail(err, STOA_EDATA, "a compressed batch is damaged");
    }
    return STOA_OK;
}
