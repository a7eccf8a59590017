/* The interface of a filter. Each filter is one file, which ends in one constant that is listed in
 * pipeline.c. Between filters, chunks are passed in the blocks of a stoa_scratch. */
#ifndef STOA_CODEC_FILTER_H
#define STOA_CODEC_FILTER_H

#include "codec/pipeline.h"
#include "core/library.h"

/* One filter step of one chunk, in either direction. */
typedef struct stoa_step {
    const stoa_pipeline *pipeline;
    const stoa_filter *filter;
    uint32_t mask; /* the steps that the chunk skips */
    const uint8_t *in;
    size_t n_in;
    uint8_t *out; /* does not overlap `in` */
    size_t room;  /* size of `out` in bytes */
    stoa_scratch *scratch;
    int spare;                 /* a block of the scratch that is free */
    const stoa_loader *loader; /* of bytes of `in`; NULL: all are there */

    const uint8_t *result; /* `out`, or `in` if the bytes need no change */
    size_t n_result;
} stoa_step;

typedef struct stoa_codec {
    uint32_t id;
    const char *name;

    /* Whether the client data are valid. */
    bool (*is_known)(const stoa_pipeline *pipeline, const stoa_filter *filter);
    /* The most bytes that n bytes can become; n if the size never changes. */
    size_t (*bound)(const stoa_filter *filter, size_t n);
    /* Decode, and set the result. STOA_EDATA if the bytes are damaged or need more than `room`;
     * STOA_ENOMEM. The pipeline adds the messages. */
    stoa_status (*undo)(stoa_step *step);
    /* Decode bytes [first, first + n) of a chunk into `out`, and load the bytes of `in` that this
     * takes. NULL: only whole chunks can be decoded. */
    stoa_status (*undo_part)(stoa_step *step, size_t first, size_t n);
    /* Encode; `room` is what bound() returned. STOA_ERANGE: this chunk must skip the filter. */
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

/* The most bytes that any reasonable writer of a compressing filter makes of n bytes. */
static inline size_t stoa_packed_bound(size_t n)
{
    return n + n / 16 + 1024;
}

/* A client data value; `otherwise` if there are fewer values. */
static inline uint32_t stoa_filter_value(const stoa_filter *filter, uint32_t i, uint32_t otherwise)
{
    return i < filter->n_values ? filter->values[i] : otherwise;
}

/* Make sure that bytes [first, first + n) of the input are there. */
static inline stoa_status stoa_step_load(const stoa_step *step, size_t first, size_t n)
{
    return step->loader != NULL ? step->loader->load(step->loader->context, first, n) : STOA_OK;
}

static inline stoa_status stoa_step_done(stoa_step *step, const uint8_t *result, size_t n)
{
    step->result = result;
    step->n_result = n;
    return STOA_OK;
}

/* Coders and libraries, each created or opened at first use. */
typedef struct stoa_coders {
    struct libdeflate_decompressor *inflater;
    struct libdeflate_compressor *deflater;
    uint32_t deflater_level;
    struct z_stream_s *planes; /* of deflate_planes.c */
    struct ZSTD_DCtx_s *unzstd;
    struct ZSTD_CCtx_s *zstd;
    stoa_library lzo;
    stoa_library bzip2;
    stoa_library blosc;
} stoa_coders;

/* NULL if memory runs out. */
stoa_coders *stoa_scratch_coders(stoa_scratch *scratch);

#endif
