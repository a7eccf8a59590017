/* The bzip2 filter (307): one .bz2 stream. Its client data: the level, in units of 100 kB per
 * block. PyTables appends values that have no meaning here. */
#include <limits.h>

#include "codec/filter.h"

enum { LEVEL = 0, USUAL_LEVEL = 9 };

/* BZ2_bzBuffToBuffDecompress() and BZ2_bzBuffToBuffCompress(). */
typedef int (*unbzip2)(char *out, unsigned *n_out, char *in, unsigned n_in, int small,
                       int verbosity);
typedef int (*tobzip2)(char *out, unsigned *n_out, char *in, unsigned n_in, int level,
                       int verbosity, int work);
enum { UNPACK, PACK };
enum { BZ_OK = 0, BZ_MEM_ERROR = -3 };

static const stoa_library_name libbz2 = {
    .files = {"libbz2.so.1.0", "libbz2.so.1", "libbz2.1.0.dylib"},
    .calls = {"BZ2_bzBuffToBuffDecompress", "BZ2_bzBuffToBuffCompress"},
};

static const stoa_library *open_bzip2(stoa_scratch *scratch)
{
    stoa_coders *const coders = stoa_scratch_coders(scratch);

    return coders != NULL && stoa_library_open(&coders->bzip2, &libbz2) ? &coders->bzip2 : NULL;
}

static bool bzip2_is_known(const stoa_pipeline *pipeline, const stoa_filter *filter)
{
    const uint32_t level = stoa_filter_value(filter, LEVEL, USUAL_LEVEL);

    return pipeline->chunk_bytes <= INT_MAX && level >= 1 && level <= 9 &&
           stoa_library_is_there(&libbz2);
}

static size_t bzip2_bound(const stoa_filter *filter, size_t n)
{
    (void)filter;
    return stoa_packed_bound(n); /* libbz2 needs n + n / 100 + 600 */
}

static stoa_status bzip2_undo(stoa_step *step)
{
    unsigned n = step->room < UINT_MAX ? (unsigned)step->room : UINT_MAX;
    const stoa_library *const library = open_bzip2(step->scratch);

    if (library == NULL) {
        return STOA_ENOMEM;
    }
    if (step->n_in > UINT_MAX) {
        return STOA_EDATA;
    }
    /* libbz2 does not write to its input. */
    const int result = ((unbzip2)library->calls[UNPACK])(
        (char *)step->out, &n, (char *)(uintptr_t)step->in, (unsigned)step->n_in, 0, 0);
    if (result == BZ_MEM_ERROR) {
        return STOA_ENOMEM;
    }
    return result == BZ_OK ? stoa_step_done(step, step->out, n) : STOA_EDATA;
}

static stoa_status bzip2_apply(stoa_step *step)
{
    unsigned n = step->room < UINT_MAX ? (unsigned)step->room : UINT_MAX;
    const stoa_library *const library = open_bzip2(step->scratch);

    if (library == NULL) {
        return STOA_ENOMEM;
    }
    if (step->n_in > UINT_MAX) {
        return STOA_ERANGE;
    }
    const int result = ((tobzip2)library->calls[PACK])(
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
