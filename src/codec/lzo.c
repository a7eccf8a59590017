/*
 * The lzo filter of PyTables (305): one bare LZO1X stream.
 *
 * The only library that decompresses it, liblzo2, is GPL. Stoa neither links nor ships it, and
 * calls it if the system has it. Stoa never writes this filter.
 */
#include "codec/filter.h"

/* lzo1x_decompress_safe() of lzo1x.h; 0 on success. */
typedef int (*unlzo)(const unsigned char *in, unsigned long n_in, unsigned char *out,
                     unsigned long *n_out, void *work);

static const stoa_library_name liblzo = {
    .files = {"liblzo2.so.2", "liblzo2.2.dylib"},
    .calls = {"lzo1x_decompress_safe"},
};

static bool lzo_is_known(const stoa_pipeline *pipeline, const stoa_filter *filter)
{
    (void)pipeline;
    (void)filter;
    return stoa_library_is_there(&liblzo);
}

static size_t lzo_bound(const stoa_filter *filter, size_t n)
{
    (void)filter;
    return stoa_packed_bound(n);
}

static stoa_status lzo_undo(stoa_step *step)
{
    stoa_coders *coders = stoa_scratch_coders(step->scratch);
    unsigned long n = step->room;

    if (coders == NULL) {
        return STOA_ENOMEM;
    }
    if (!stoa_library_open(&coders->lzo, &liblzo) ||
        ((unlzo)coders->lzo.calls[0])(step->in, step->n_in, step->out, &n, NULL) != 0) {
        return STOA_EDATA;
    }
    return stoa_step_done(step, step->out, n);
}

static stoa_status lzo_apply(stoa_step *step)
{
    (void)step;
    return STOA_ERANGE;
}

const stoa_codec stoa_codec_lzo = {
    .id = STOA_FILTER_LZO,
    .name = "lzo",
    .is_known = lzo_is_known,
    .bound = lzo_bound,
    .undo = lzo_undo,
    .apply = lzo_apply,
};
