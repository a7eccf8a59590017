/*
 * The LZF filter of h5py (32000). A stream is a sequence of literal runs and matches, each begun by
 * one byte.
 *
 *   000nnnnn  n + 1 literals follow
 *   lllddddd  a match of l + 2 bytes, l not 0; if l is 7, the next byte is added to it.
 *             Then a byte b: the distance is d * 256 + b + 1
 *
 * Its client data (h5py's version, LZF's version, bytes per chunk) are not needed. Stoa never
 * writes it, because LZ4 compresses better and few programs but h5py read it.
 */
#include "codec/filter.h"
#include "codec/match.h"

enum { LITERALS = 32, LONG_MATCH = 7 };

static bool follow_match(stoa_lz *s, size_t control)
{
    const bool is_long = control >> 5 == LONG_MATCH;
    size_t n = (control >> 5) + 2;

    if ((size_t)(s->in_end - s->in) < (is_long ? 2 : 1)) {
        return false;
    }
    if (is_long) {
        n += *s->in++;
    }
    const size_t distance = ((control & 31) << 8 | *s->in++) + 1;
    return stoa_lz_match(s, distance, n);
}

static bool lzf_is_known(const stoa_pipeline *pipeline, const stoa_filter *filter)
{
    (void)pipeline;
    (void)filter;
    return true;
}

static size_t lzf_bound(const stoa_filter *filter, size_t n)
{
    (void)filter;
    return stoa_packed_bound(n);
}

/* Decompress to at most `room` bytes; false if the input is damaged or needs more. */
static bool unpack(const uint8_t *in, size_t n_in, uint8_t *out, size_t room, size_t *n_out)
{
    stoa_lz s = {in, in + n_in, out, out, out + room};

    while (s.in < s.in_end) {
        const size_t control = *s.in++;
        if (!(control < LITERALS ? stoa_lz_literals(&s, control + 1) : follow_match(&s, control))) {
            return false;
        }
    }
    *n_out = (size_t)(s.out - out);
    return true;
}

static stoa_status lzf_undo(stoa_step *step)
{
    size_t n = 0;

    return unpack(step->in, step->n_in, step->out, step->room, &n)
               ? stoa_step_done(step, step->out, n)
               : STOA_EDATA;
}

static stoa_status lzf_apply(stoa_step *step)
{
    (void)step;
    return STOA_ERANGE;
}

const stoa_codec stoa_codec_lzf = {
    .id = STOA_FILTER_LZF,
    .name = "lzf",
    .is_known = lzf_is_known,
    .bound = lzf_bound,
    .undo = lzf_undo,
    .apply = lzf_apply,
};
