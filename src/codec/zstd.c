/* The zstd filter (32015): bare zstd frames. */
#define ZSTD_STATIC_LINKING_ONLY /* ZSTD_c_literalCompressionMode, which may be refused */
#include <zstd.h>

#include "codec/filter.h"

enum {
    SMALL_PLANE = 1024,      /* smaller planes do not pay for separate codes; larger ones get them
                                anyway */
    NO_MATCHES = -(1 << 17), /* a level that finds hardly any matches */
    MUCH = 4                 /* a ratio that only matches can have achieved */
};

static bool zstd_is_known(const stoa_pipeline *pipeline, const stoa_filter *filter)
{
    (void)pipeline;
    (void)filter;
    return true;
}

static size_t zstd_bound(const stoa_filter *filter, size_t n)
{
    const size_t ours = ZSTD_compressBound(n);

    (void)filter;
    return ours > stoa_packed_bound(n) ? ours : stoa_packed_bound(n);
}

static stoa_status zstd_undo(stoa_step *step)
{
    stoa_coders *coders = stoa_scratch_coders(step->scratch);

    if (coders != NULL && coders->unzstd == NULL) {
        coders->unzstd = ZSTD_createDCtx();
    }
    if (coders == NULL || coders->unzstd == NULL) {
        return STOA_ENOMEM;
    }
    const size_t n =
        ZSTD_decompressDCtx(coders->unzstd, step->out, step->room, step->in, step->n_in);
    return ZSTD_isError(n) ? STOA_EDATA : stoa_step_done(step, step->out, n);
}

/*
 * The size of a plane of shuffled values that must be a block of its own; 0 if zstd may choose.
 *
 * The upper bytes of floats have few values; the lower ones are noise. All literals of a block
 * share one code, and zstd ends a block only after 128 KiB. So in a short chunk, noise spoils the
 * code of compressible bytes, and is itself compressed in vain instead of being stored.
 */
static size_t plane_bytes(const stoa_step *step)
{
    const stoa_filter *filters = step->pipeline->filters;
    const size_t size = step->pipeline->element_size;

    if (step->filter == filters || step->filter[-1].id != STOA_FILTER_SHUFFLE ||
        step->filter[-1].values[0] != size || size < 2 || step->n_in % size != 0) {
        return 0;
    }
    const size_t n = step->n_in / size;
    return n >= SMALL_PLANE && n < ZSTD_BLOCKSIZE_MAX ? n : 0;
}

/* Compress to one frame with one block per plane. The header gives the decompressed size, as in
 * frames made in one call, because other readers of the filter rely on it. */
static size_t pack_planes(ZSTD_CCtx *zstd, const stoa_step *step, int level, size_t plane,
                          uint8_t *to)
{
    const int literals = level == NO_MATCHES ? ZSTD_ps_enable : ZSTD_ps_auto;
    ZSTD_outBuffer out = {to, step->room, 0};
    ZSTD_inBuffer in = {step->in, 0, 0};
    size_t left = ZSTD_CCtx_reset(zstd, ZSTD_reset_session_and_parameters);

    if (!ZSTD_isError(left)) {
        left = ZSTD_CCtx_setParameter(zstd, ZSTD_c_compressionLevel, level);
    }
    if (!ZSTD_isError(left)) {
        left = ZSTD_CCtx_setParameter(zstd, ZSTD_c_literalCompressionMode, literals);
    }
    if (!ZSTD_isError(left)) {
        left = ZSTD_CCtx_setPledgedSrcSize(zstd, step->n_in);
    }
    while (!ZSTD_isError(left) && in.size < step->n_in) {
        in.size += plane;
        left = ZSTD_compressStream2(zstd, &out, &in,
                                    in.size == step->n_in ? ZSTD_e_end : ZSTD_e_flush);
        if (!ZSTD_isError(left) && left != 0) {
            return 0; /* no room left; bound() leaves room for every plane */
        }
    }
    return ZSTD_isError(left) ? left : out.pos;
}

/* Matches among few distinct bytes, such as exponents, save less than a code for each byte. So both
 * are tried, unless matches already saved a lot. Sets step->out. */
static size_t pack_best(ZSTD_CCtx *zstd, stoa_step *step, int level, size_t plane)
{
    const size_t n = pack_planes(zstd, step, level, plane, step->out);

    if (ZSTD_isError(n) || n < step->n_in / MUCH) {
        return n;
    }
    uint8_t *other = stoa_scratch_block(step->scratch, step->spare, step->room);
    const size_t n_other = other != NULL ? pack_planes(zstd, step, NO_MATCHES, plane, other) : n;
    if (n_other == 0 || ZSTD_isError(n_other) || (n != 0 && n_other >= n)) {
        return n;
    }
    step->out = other;
    return n_other;
}

static stoa_status zstd_apply(stoa_step *step)
{
    stoa_coders *coders = stoa_scratch_coders(step->scratch);
    const int level = (int)stoa_filter_value(step->filter, 0, ZSTD_CLEVEL_DEFAULT);
    const size_t plane = plane_bytes(step);

    if (coders != NULL && coders->zstd == NULL) {
        coders->zstd = ZSTD_createCCtx();
    }
    if (coders == NULL || coders->zstd == NULL) {
        return STOA_ENOMEM;
    }
    const size_t n = plane != 0 ? pack_best(coders->zstd, step, level, plane)
                                : ZSTD_compressCCtx(coders->zstd, step->out, step->room, step->in,
                                                    step->n_in, level);
    return n == 0 || ZSTD_isError(n) ? STOA_ERANGE : stoa_step_done(step, step->out, n);
}

const stoa_codec stoa_codec_zstd = {
    .id = STOA_FILTER_ZSTD,
    .name = "zstd",
    .is_known = zstd_is_known,
    .bound = zstd_bound,
    .undo = zstd_undo,
    .apply = zstd_apply,
};
