/*
 * Applies and undoes HDF5 filter pipelines in memory, without libhdf5.
 *
 * Input is untrusted. No filter reads or writes past its buffers. A chunk decodes to exactly the
 * size of its elements, or fails. Encoded chunks are readable by libhdf5 and any other reader of
 * the filters.
 */
#ifndef STOA_CODEC_PIPELINE_H
#define STOA_CODEC_PIPELINE_H

#include "core/cpu.h"
#include "core/memory.h"

/* Registered filter numbers: HDF5's own, then those of https://github.com/HDFGroup/hdf5_plugins */
enum {
    STOA_FILTER_DEFLATE = 1,
    STOA_FILTER_SHUFFLE = 2,
    STOA_FILTER_FLETCHER32 = 3,
    STOA_FILTER_SCALEOFFSET = 6,
    STOA_FILTER_LZO = 305,
    STOA_FILTER_BZIP2 = 307,
    STOA_FILTER_LZF = 32000,
    STOA_FILTER_BLOSC = 32001,
    STOA_FILTER_LZ4 = 32004,
    STOA_FILTER_BITSHUFFLE = 32008,
    STOA_FILTER_ZSTD = 32015,
    STOA_FILTER_BLOSC2 = 32026
};
#define STOA_MAX_FILTERS 32       /* libhdf5's limit: bits of a chunk's filter mask */
#define STOA_MAX_FILTER_VALUES 20 /* for scale-offset, which has the most */

/* One filter, as the dataset's creation property list defines it. */
typedef struct stoa_filter {
    uint32_t id;
    uint32_t n_values;
    uint32_t values[STOA_MAX_FILTER_VALUES]; /* its client data */
} stoa_filter;

/* The filters of a dataset's chunks in the order of encoding. Immutable once made: any thread may
 * use it. */
typedef struct stoa_pipeline {
    size_t n_filters;
    stoa_filter filters[STOA_MAX_FILTERS];
    size_t chunk_bytes;  /* of a chunk's elements, before the first filter */
    size_t element_size; /* in the file, in bytes */
    stoa_simd simd;      /* which kernels to use */
    bool packs_always;   /* compress even if a chunk does not shrink, unless it could not be read
                            back */
} stoa_pipeline;

/* Puts bytes [first, first + n) of a stored chunk to where they are looked for. If that fails, the
 * decoding ends with the same status. */
typedef struct stoa_loader {
    stoa_status (*load)(void *context, size_t first, size_t n);
    void *context;
} stoa_loader;

/* Buffers of one thread, reused for each chunk. Zero-initialise; free with stoa_scratch_clear(). */
typedef struct stoa_scratch {
    uint8_t *blocks[4]; /* grow to the largest size requested; aligned to 64 bytes */
    size_t sizes[4];
    /* The owner and number of the decoded chunk in a block; NULL if there is none. Requesting any
     * block or undoing a pipeline resets it. */
    const void *kept;
    uint64_t kept_chunk;
    struct stoa_coders *coders; /* state of codecs, reused for each chunk; NULL at first */
} stoa_scratch;

/* A block of at least `size` bytes, content undefined; NULL if memory runs out. */
uint8_t *stoa_scratch_block(stoa_scratch *scratch, int which, size_t size);
void stoa_scratch_clear(stoa_scratch *scratch);

/* The name of a filter; NULL if it is unknown. */
const char *stoa_filter_name(uint32_t id);

/* Whether all filters are supported and have valid client data. Chunks of other pipelines are left
 * to libhdf5. */
bool stoa_pipeline_is_known(const stoa_pipeline *pipeline);

/*
 * Decode a stored chunk to exactly pipeline->chunk_bytes bytes, in the file's byte order. Uses all
 * blocks of the scratch, except the one that contains `out`, if any.
 *
 * @param mask          the chunk's filter mask: bit i set, step i was skipped
 * @param stored        as stored in the file; may be in a block of the scratch other than that of
 *                      `out`, and may be overwritten then
 * @param[out] chunk    the elements: `out`, or `stored` if no filter had to be undone. `out` has
 *                      room for chunk_bytes, at any address
 * @return STOA_EDATA, naming the filter, if the chunk does not decode to its elements
 */
stoa_status stoa_pipeline_undo(const stoa_pipeline *pipeline, uint32_t mask, const uint8_t *stored,
                               size_t n_stored, stoa_scratch *scratch, uint8_t *out,
                               const uint8_t **chunk, stoa_error *err);

/* Undo one filter of a chunk of unknown size, into `out`, of at most `room` bytes. `out` must not
 * be a block of the scratch. STOA_EDATA if the input is damaged or longer; STOA_ENOMEM. */
stoa_status stoa_filter_undo(const stoa_filter *filter, const uint8_t *in, size_t n_in,
                             stoa_scratch *scratch, uint8_t *out, size_t room, size_t *n);

/*
 * Read elements [first, first + n) of a stored chunk without decoding the rest, if that is less
 * work: without filters, or with scale-offset only.
 *
 * @param out    n elements in the file's byte order
 * @param found  false if the whole chunk must be decoded
 */
stoa_status stoa_pipeline_decode_range(const stoa_pipeline *pipeline, uint32_t mask,
                                       const uint8_t *stored, size_t n_stored, uint64_t first,
                                       uint64_t n, uint8_t *out, bool *found, stoa_error *err);

/* Whether stoa_pipeline_undo_part() decodes chunks of which no step was skipped: the only filter
 * packs blocks of a chunk. */
bool stoa_pipeline_has_parts(const stoa_pipeline *pipeline);

/*
 * Decode bytes [first, first + n) of a chunk, in the file's byte order, from the blocks that have
 * them.
 *
 * @param stored  n_stored bytes. Those that are needed are loaded first; NULL: all are there. May
 *                be in a block of the scratch
 * @param out     n bytes, in another block or elsewhere
 * @return STOA_EDATA, naming the filter; without a message what the loader returned
 */
stoa_status stoa_pipeline_undo_part(const stoa_pipeline *pipeline, const uint8_t *stored,
                                    size_t n_stored, const stoa_loader *loader,
                                    stoa_scratch *scratch, size_t first, size_t n, uint8_t *out,
                                    stoa_error *err);

/* The most bytes that a stored chunk can have. */
size_t stoa_pipeline_bound(const stoa_pipeline *pipeline);

/*
 * Encode a chunk for storage.
 *
 * @param chunk         chunk_bytes bytes in the file's byte order; not modified, even in the
 *                      scratch
 * @param[out] stored   the bytes, in the scratch or `chunk` itself; valid until the scratch is used
 *                      again
 * @param[out] mask     the steps skipped. If compression does not shrink the chunk, all steps are
 *                      skipped except checksums and those that keep the size. Scale-offset is
 *                      skipped if integers span their whole type, which libhdf5 1.14 could not
 *                      read back (HDFGroup/hdf5 5861), and if floats would be rounded.
 *                      If others follow scale-offset, a chunk takes those that make it smallest.
 *                      If the last is deflate of level 1, for speed, scale-offset is left alone
 *                      unless they save 15 % (40 % of single bytes). packs_always: a chunk takes
 *                      all that it can
 *
 * Write the result with H5Dwrite_chunk(). Version 1.14 loses the mask of a chunk that replaces one
 * of the same size. It also ignores the mask of the last chunk written until the dataset is
 * reopened.
 */
stoa_status stoa_pipeline_apply(const stoa_pipeline *pipeline, const uint8_t *chunk,
                                stoa_scratch *scratch, const uint8_t **stored, size_t *n_stored,
                                uint32_t *mask, stoa_error *err);

#endif
