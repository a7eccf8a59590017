/* The bzip2 filter (307): one .bz2 stream. Its client data: the level, in units of 100 kB a block;
 * what PyTables adds to that says nothing. */
#include <bzlib.h>
#include <limits.h>

#include "codec/filter.h"

enum { LEVEL = 0, USUAL_LEVEL = 9 };

static bool bzip2_is_known(const stoa_pipeline *pipeline, const stoa_filter *filter)
{
    const uint32_t level = stoa_filter_value(filter, LEVEL, USUAL_LEVEL);

    return pipeline->chunk_bytes <= INT_MAX && level >= 1 && level <= 9;
}

static size_t bzip2_bound(const stoa_filter *filter, size_t n)
{
    (void)filter;
    return stoa_packed_bound(n); /* libbz2 wants n + n / 100 + 600 */
}

static stoa_status bzip2_undo(stoa_step *step)
{
    unsigned n = step->room < UINT_MAX ? (unsigned)step->room : UINT_MAX;

    if (step->n_in > UINT_MAX) {
        return STOA_EDATA;
    }
    /* libbz2 does not write to its input. */
    const int result = BZ2_bzBuffToBuffDecompress(
        (char *)step->out, &n, (char *)(uintptr_t)step->in, (unsigned)step->n_in, 0, 0);
    if (result == BZ_MEM_ERROR) {
        return STOA_ENOMEM;
    }
    return result == BZ_OK ? stoa_step_done(step, step->out, n) : STOA_EDATA;
}

static stoa_status bzip2_apply(stoa_step *step)
{
    unsigned n = step->room < UINT_MAX ? (unsigned)step->room : UINT_MAX;

    if (step->n_in > UINT_MAX) {
        return STOA_ERANGE;
    }
    const int result = BZ2_bzBuffToBuffCompress(
        (char *)step->out, &n, (char *)(uintptr_t)step->in, (unsigned)step->n_in,
        (int)stoa_filter_value(step->filter, LEVEL, USUAL_LEVEL), 0, 0);
    if (result == BZ_MEM_ERROR) {
        return STOA_ENOMEM;
    }
    return result == BZ_OK ? stoa_step_done(step, step->out, n) : STOA_ERANGE;
}

const stoa_codec stoa_codec_bzip2 = {
    .id = STOA_FILTER_BZIP2,
    .name = "bzip2",
    .is_known = bzip2_is_known,
    .bound = bzip2_bound,
    .undo = bzip2_undo,
    .apply = bzip2_apply,
};
