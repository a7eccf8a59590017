/*
 * HDF5 filter pipelines, undone and applied in memory, without libhdf5.
 *
 * Everything that is undone comes from a file and may be damaged: no filter reads or writes past
 * its buffers, and a chunk unpacks to exactly as many bytes as its elements take up, or fails. What
 * is applied can be read by libhdf5 and by every other reader of its filters.
 */
#ifndef STOA_CODEC_PIPELINE_H
#define STOA_CODEC_PIPELINE_H

#include "core/cpu.h"
#include "core/memory.h"

/* Registered numbers: HDF5's own, then https://github.com/HDFGroup/hdf5_plugins */
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
#define STOA_MAX_FILTERS 32       /* as many as libhdf5 allows: bits of a chunk's filter mask */
#define STOA_MAX_FILTER_VALUES 20 /* scale-offset has most */

/* One step, as a dataset's creation property list says it. */
typedef struct stoa_filter {
    uint32_t id;
    uint32_t n_values;
    uint32_t values[STOA_MAX_FILTER_VALUES]; /* its client data */
} stoa_filter;

/* All steps that a dataset's chunks pass on their way to the file, first to last. Immutable once
 * made: any thread may use it. */
typedef struct stoa_pipeline {
    size_t n_filters;
    stoa_filter filters[STOA_MAX_FILTERS];
    size_t chunk_bytes;  /* of a chunk's elements, before the first filter */
    size_t element_size; /* in the file */
    stoa_simd simd;      /* which kernels to use */
    bool packs_always;   /* also chunks that packing does not shrink, where it can be undone */
} stoa_pipeline;

/* Buffers of one thread, reused from chunk to chunk. Zero-initialise; free with
 * stoa_scratch_clear(). */
typedef struct stoa_scratch {
    uint8_t *blocks[4]; /* each at least as long as was ever asked for, aligned to 64 bytes */
    size_t sizes[4];
    /* Whose chunk lies unpacked in a block, and which it is; NULL: none. Forgotten as soon as a
     * block is asked for, or a pipeline is undone. */
    const void *kept;
    uint64_t kept_chunk;
    struct stoa_coders *coders; /* what deflate and zstd keep from chunk to chunk; NULL at first */
} stoa_scratch;

/* At least `size` bytes in block `which`, its content undefined; NULL when memory runs out. */
uint8_t *stoa_scratch_block(stoa_scratch *scratch, int which, size_t size);
void stoa_scratch_clear(stoa_scratch *scratch);

/* What a filter is called here; NULL: it is not known. */
const char *stoa_filter_name(uint32_t id);

/* Whether every step is known here, with client data that make sense; chunks of other pipelines are
 * libhdf5's business. */
bool stoa_pipeline_is_known(const stoa_pipeline *pipeline);

/*
 * A stored chunk, unpacked: exactly pipeline->chunk_bytes bytes, in the file's byte order. All
 * blocks of the scratch are used but the one that `out` lies in, where it does.
 *
 * @param mask          the chunk's filter mask: bit i set, step i was left out
 * @param stored        as it lies in the file; may be in a block of the scratch (not that of
 * `out`), and then may be lost
 * @param[out] chunk    where the elements are: `out`, unless nothing had to be undone and `stored`
 *                      is as good. `out` has room for chunk_bytes and is aligned to 64 bytes
 * @return STOA_EDATA where it does not unpack to its elements, saying which filter did not
 */
stoa_status stoa_pipeline_undo(const stoa_pipeline *pipeline, uint32_t mask, const uint8_t *stored,
                               size_t n_stored, stoa_scratch *scratch, uint8_t *out,
                               const uint8_t **chunk, stoa_error *err);

/* One step of a chunk whose length stands nowhere, into `out`, of at most `room` bytes; no block of
 * the scratch may be `out`. STOA_EDATA where it is damaged, or longer; STOA_ENOMEM. */
stoa_status stoa_filter_undo(const stoa_filter *filter, const uint8_t *in, size_t n_in,
                             stoa_scratch *scratch, uint8_t *out, size_t room, size_t *n);

/*
 * Elements [first, first + n) of a stored chunk without unpacking the others, where that is less
 * work: no filter at all, or scale-offset alone.
 *
 * @param out    n elements in the file's byte order
 * @param found  false where the whole chunk must be unpacked
 */
stoa_status stoa_pipeline_pick(const stoa_pipeline *pipeline, uint32_t mask, const uint8_t *stored,
                               size_t n_stored, uint64_t first, uint64_t n, uint8_t *out,
                               bool *found, stoa_error *err);

/* Bytes that the stored form of a chunk never exceeds. */
size_t stoa_pipeline_bound(const stoa_pipeline *pipeline);

/*
 * A chunk as it is to be stored.
 *
 * @param chunk         chunk_bytes bytes in the file's byte order; stays, even in the scratch
 * @param[out] stored   the bytes, in the scratch or `chunk` itself; good until the scratch is used
 *                      again
 * @param[out] mask     the steps left out: where together they do not shrink the chunk, all of them
 *                      but checksums and those that keep its size; and scale-offset where its
 *                      values span the whole type, which libhdf5 1.14 could not read back
 *                      (HDFGroup/hdf5 5861)
 *
 * To be written by H5Dwrite_chunk(), which in 1.14 forgets the mask: for good, where the chunk
 * replaces one of the same size; until the dataset is opened again, where it is the last one.
 */
stoa_status stoa_pipeline_apply(const stoa_pipeline *pipeline, const uint8_t *chunk,
                                stoa_scratch *scratch, const uint8_t **stored, size_t *n_stored,
                                uint32_t *mask, stoa_error *err);

#endif
