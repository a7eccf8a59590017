/* HDF5's deflate filter (1): one zlib stream (RFC 1950), through libdeflate. */
#include <libdeflate.h>
#include <string.h>

#include "codec/deflate.h"
#include "codec/kernels/deflate_bits.h"
#include "codec/kernels/inflate.h"

/* libdeflate's level 10, its first that weighs all matches of a block, packs numbers better than
 * level 9 and in no more time. */
enum { MOST = 9, NEAR_OPTIMAL = 10 };

static bool deflate_is_known(const stoa_pipeline *pipeline, const stoa_filter *filter)
{
    (void)pipeline;
    return filter->n_values == 1 && filter->values[0] <= 9; /* as libhdf5 requires */
}

static size_t deflate_bound(const stoa_filter *filter, size_t n)
{
    const size_t ours = libdeflate_zlib_compress_bound(NULL, n);

    (void)filter;
    return ours > stoa_packed_bound(n) ? ours : stoa_packed_bound(n);
}

/* The step's bytes, and others behind them if they are few. Inflaters decode the last bytes of
 * their input in a slow loop. Of a short stream these may be most of a chunk: 258 bytes take two
 * bits. NULL if memory runs out. */
static const uint8_t *with_bytes_behind(stoa_step *step, size_t *n_readable)
{
    enum { BEHIND = 64, FEW = 8 };

    *n_readable = step->n_in;
    if (step->n_in > step->room / FEW) {
        return step->in;
    }
    uint8_t *const copy = stoa_scratch_block(step->scratch, step->spare, step->n_in + BEHIND);
    if (copy != NULL) {
        memcpy(copy, step->in, step->n_in);
        memset(copy + step->n_in, 0, BEHIND);
        *n_readable += BEHIND;
    }
    return copy;
}

/* Whether stoa_inflate() is faster than libdeflate: a stream is made for it, or has long runs. */
static bool is_for_ours(const stoa_step *step)
{
    enum { RUNS = 64 };

    return step->n_in >= STOA_ZLIB_HEAD_BYTES &&
           ((step->in[0] << 8 | step->in[1]) == STOA_INFLATE_HEAD ||
            step->n_in <= step->room / RUNS);
}

static stoa_status deflate_undo(stoa_step *step)
{
    stoa_coders *coders = stoa_scratch_coders(step->scratch);
    size_t n_readable = 0;
    size_t n_used = 0;
    size_t n = 0;

    const uint8_t *const in = with_bytes_behind(step, &n_readable);
    if (in == NULL) {
        return STOA_ENOMEM;
    }
    if (is_for_ours(step) &&
        stoa_inflate(in, step->n_in, n_readable, step->pipeline->simd, step->out, step->room, &n)) {
        return stoa_step_done(step, step->out, n);
    }
    if (coders != NULL && coders->inflater == NULL) {
        coders->inflater = libdeflate_alloc_decompressor();
    }
    if (coders == NULL || coders->inflater == NULL) {
        return STOA_ENOMEM;
    }
    if (libdeflate_zlib_decompress_ex(coders->inflater, in, n_readable, step->out, step->room,
                                      &n_used, &n) != LIBDEFLATE_SUCCESS ||
        n_used != step->n_in) {
        return STOA_EDATA;
    }
    return stoa_step_done(step, step->out, n);
}

static struct libdeflate_compressor *deflater_of(stoa_scratch *scratch, uint32_t level)
{
    stoa_coders *coders = stoa_scratch_coders(scratch);

    if (coders == NULL) {
        return NULL;
    }
    if (coders->deflater == NULL || coders->deflater_level != level) {
        libdeflate_free_compressor(coders->deflater);
        coders->deflater = libdeflate_alloc_compressor((int)(level == MOST ? NEAR_OPTIMAL : level));
        coders->deflater_level = level;
    }
    return coders->deflater;
}

static stoa_status deflate_apply(stoa_step *step)
{
    struct libdeflate_compressor *deflater = deflater_of(step->scratch, step->filter->values[0]);

    if (deflater == NULL) {
        return STOA_ENOMEM;
    }
    stoa_coders *const coders = step->scratch->coders;
    size_t n = 0;
    if (!stoa_deflate_planes(step, coders, &n)) {
        n = libdeflate_zlib_compress(deflater, step->in, step->n_in, step->out, step->room);
    }
    return n != 0 ? stoa_step_done(step, step->out, n) : STOA_ERANGE;
}

const stoa_codec stoa_codec_deflate = {
    .id = STOA_FILTER_DEFLATE,
    .name = "deflate",
    .is_known = deflate_is_known,
    .bound = deflate_bound,
    .undo = deflate_undo,
    .apply = deflate_apply,
};
