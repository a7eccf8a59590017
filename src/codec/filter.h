/*
 * What one filter is: a file of this room, that ends in one constant, named in the registry of
 * pipeline.c. Between them chunks go through the blocks of a stoa_scratch.
 */
#ifndef STOA_CODEC_FILTER_H
#define STOA_CODEC_FILTER_H

#include "codec/library.h"
#include "codec/pipeline.h"

/* One step of one chunk, there or back. */
typedef struct stoa_step {
    const stoa_pipeline *pipeline;
    const stoa_filter *filter;
    const uint8_t *in;
    size_t n_in;
    uint8_t *out; /* does not overlap `in` */
    size_t room;  /* bytes of `out` */
    stoa_scratch *scratch;
    int spare; /* block of the scratch that holds nothing that is wanted */

    const uint8_t *result; /* `out`, or `in` where the bytes stay where they are */
    size_t n_result;
} stoa_step;

typedef struct stoa_codec {
    uint32_t id;
    const char *name;

    /* Whether the client data make sense. */
    bool (*is_known)(const stoa_pipeline *pipeline, const stoa_filter *filter);
    /* Bytes that n bytes become at most; n where they always stay as many. */
    size_t (*bound)(const stoa_filter *filter, size_t n);
    /* STOA_OK with the result set; STOA_EDATA where the bytes are damaged or need more than `room`;
     * STOA_ENOMEM. The pipeline finds words for them. */
    stoa_status (*undo)(stoa_step *step);
    /* Room is what bound() says. STOA_ERANGE: this chunk must do without the step. */
    stoa_status (*apply)(stoa_step *step);
} stoa_codec;

extern const stoa_codec stoa_codec_deflate;
extern const stoa_codec stoa_codec_shuffle;
extern const stoa_codec stoa_codec_fletcher32;
extern const stoa_codec stoa_codec_scaleoffset;
extern const stoa_codec stoa_codec_blosc;
extern const stoa_codec stoa_codec_lzf;
extern const stoa_codec stoa_codec_lz4;
extern const stoa_codec stoa_codec_bitshuffle;
extern const stoa_codec stoa_codec_zstd;
extern const stoa_codec stoa_codec_bzip2;
extern const stoa_codec stoa_codec_lzo;
extern const stoa_codec stoa_codec_blosc2;

/* What n bytes become at most, at the hands of any sane writer of a packing filter. */
static inline size_t stoa_packed_bound(size_t n)
{
    return n + n / 16 + 1024;
}

/* A parameter, or what stands for it where the client data are shorter. */
static inline uint32_t stoa_filter_value(const stoa_filter *filter, uint32_t i, uint32_t otherwise)
{
    return i < filter->n_values ? filter->values[i] : otherwise;
}

static inline stoa_status stoa_step_done(stoa_step *step, const uint8_t *result, size_t n)
{
    step->result = result;
    step->n_result = n;
    return STOA_OK;
}

/* Coders of other libraries, and libraries, each made or opened when first wanted. */
typedef struct stoa_coders {
    struct libdeflate_decompressor *inflater;
    struct libdeflate_compressor *deflater;
    uint32_t deflater_level;
    struct z_stream_s *planes; /* deflate_planes.c's */
    struct ZSTD_DCtx_s *unzstd;
    struct ZSTD_CCtx_s *zstd;
    stoa_library lzo;
    stoa_library bzip2;
    stoa_library blosc;
} stoa_coders;

/* NULL when memory runs out. */
stoa_coders *stoa_scratch_coders(stoa_scratch *scratch);

#endif
