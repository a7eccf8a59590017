/* The zstd filter (32015): zstd frames and nothing around them. */
#include <zstd.h>

#include "codec/filter.h"

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

static stoa_status zstd_apply(stoa_step *step)
{
    stoa_coders *coders = stoa_scratch_coders(step->scratch);
    const int level = (int)stoa_filter_value(step->filter, 0, ZSTD_CLEVEL_DEFAULT);

    if (coders != NULL && coders->zstd == NULL) {
        coders->zstd = ZSTD_createCCtx();
    }
    if (coders == NULL || coders->zstd == NULL) {
        return STOA_ENOMEM;
    }
    const size_t n =
        ZSTD_compressCCtx(coders->zstd, step->out, step->room, step->in, step->n_in, level);
    return ZSTD_isError(n) ? STOA_ERANGE : stoa_step_done(step, step->out, n);
}

const stoa_codec stoa_codec_zstd = {
    .id = STOA_FILTER_ZSTD,
    .name = "zstd",
    .is_known = zstd_is_known,
    .bound = zstd_bound,
    .undo = zstd_undo,
    .apply = zstd_apply,
};
