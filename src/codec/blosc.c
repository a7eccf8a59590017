/*
 * The Blosc filter (32001): one buffer of c-blosc 1, header and all. Its client data: revision,
 * format, bytes an element, bytes a chunk, level, which shuffle, which codec.
 */
#include <blosc.h>

#include "codec/filter.h"

enum { ELEMENT = 2, LEVEL = 4, SHUFFLE = 5, CODEC = 6 };

/* NULL where this libblosc lacks the codec. */
static const char *codec_of(const stoa_filter *filter)
{
    const char *name = NULL;

    return blosc_compcode_to_compname((int)stoa_filter_value(filter, CODEC, BLOSC_BLOSCLZ),
                                      &name) >= 0
               ? name
               : NULL;
}

static bool blosc_is_known(const stoa_pipeline *pipeline, const stoa_filter *filter)
{
    return pipeline->chunk_bytes <= BLOSC_MAX_BUFFERSIZE / 2 && codec_of(filter) != NULL &&
           stoa_filter_value(filter, LEVEL, 5) <= 9 &&
           stoa_filter_value(filter, SHUFFLE, BLOSC_SHUFFLE) <= BLOSC_BITSHUFFLE;
}

static size_t blosc_bound(const stoa_filter *filter, size_t n)
{
    (void)filter;
    return stoa_packed_bound(n) + BLOSC_MAX_OVERHEAD;
}

/* Whether a header's codec is one of this libblosc, which otherwise complains on stderr. */
static bool can_unpack(const uint8_t *header)
{
    static const int of_format[8] = {BLOSC_BLOSCLZ, BLOSC_LZ4, BLOSC_SNAPPY, BLOSC_ZLIB,
                                     BLOSC_ZSTD,    -1,        -1,           -1};
    const uint8_t flags = header[2];
    const char *name = NULL;

    return (flags & BLOSC_MEMCPYED) != 0 ||
           blosc_compcode_to_compname(of_format[flags >> 5], &name) >= 0;
}

/* blosc_decompress_ctx() looks at nothing but its arguments, and is given one thread. */
static stoa_status blosc_undo(stoa_step *step)
{
    size_t n = 0;

    if (step->n_in < BLOSC_MIN_HEADER_LENGTH ||
        blosc_cbuffer_validate(step->in, step->n_in, &n) != 0 || n > step->room || n == 0 ||
        !can_unpack(step->in)) {
        return STOA_EDATA;
    }
    if (blosc_decompress_ctx(step->in, step->out, n, 1) != (int)n) {
        return STOA_EDATA;
    }
    return stoa_step_done(step, step->out, n);
}

static stoa_status blosc_apply(stoa_step *step)
{
    const stoa_filter *filter = step->filter;
    uint32_t size = stoa_filter_value(filter, ELEMENT, (uint32_t)step->pipeline->element_size);

    if (size == 0 || size > BLOSC_MAX_TYPESIZE) {
        size = 1;
    }
    const int n =
        blosc_compress_ctx((int)stoa_filter_value(filter, LEVEL, 5),
                           (int)stoa_filter_value(filter, SHUFFLE, BLOSC_SHUFFLE), size, step->n_in,
                           step->in, step->out, step->room, codec_of(filter), 0, 1);
    return n > 0 ? stoa_step_done(step, step->out, (size_t)n) : STOA_ERANGE;
}

const stoa_codec stoa_codec_blosc = {
    .id = STOA_FILTER_BLOSC,
    .name = "blosc",
    .is_known = blosc_is_known,
    .bound = blosc_bound,
    .undo = blosc_undo,
    .apply = blosc_apply,
};
