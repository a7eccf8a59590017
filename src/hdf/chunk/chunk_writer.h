/*
 * Writes rows of a one-dimensional dataset as whole chunks that src/codec encodes, not libhdf5.
 *
 * The reasons are:
 * 1. A chunk that scale-offset cannot encode is stored unfiltered. libhdf5 1.14 encodes a chunk
 *    whose values span the whole type, and then cannot read it (HDFGroup/hdf5 5861, fixed in 2.0).
 * 2. Chunks are encoded on any thread (stoa_chunk_pack), also by filters that this libhdf5 lacks.
 * 3. A chunk is encoded once, however many writes fill it. The chunk that was written last is held
 *    in memory until another one is written, or until stoa_chunk_writer_flush().
 *
 * Invariants, required by the way libhdf5 (1.14, 2.1) implements H5Dwrite_chunk():
 * 1. If a chunk's stored size does not change, the index keeps its old filter mask. So a chunk
 *    whose mask changes is first written with another size.
 * 2. libhdf5 caches the last chunk lookup with the mask from before the write. So after a write
 *    that may change a mask, another chunk is looked up (stoa_chunk_writer_settle). If the dataset
 *    has only one chunk, it is stored unfiltered only if nothing else works, and Stoa's own readers
 *    consult the index (unpack.c).
 * 3. Elements past the extent hold the fill value, since they become visible when the extent grows.
 * 4. The held chunk is not in the file. Nothing may read the dataset, shrink it or announce its
 *    rows before a flush. Rows that were not written since are in the file and may be read.
 */
#ifndef STOA_HDF_CHUNK_WRITER_H
#define STOA_HDF_CHUNK_WRITER_H

#include "codec/pipeline.h"
#include "hdf/ids.h"

/* Start from STOA_CHUNK_WRITER_INIT. Close it also after a failure, and before the dataset. */
typedef struct stoa_chunk_writer {
    hid_t dataset;  /* borrowed */
    hid_t mem_type; /* type of the caller's elements; borrowed */
    hid_t dcpl;
    hid_t type;          /* type of the stored elements; for an enumeration, its base type */
    bool is_new;         /* set before opening: whole chunks are written once, in any order */
    bool is_ours;        /* else libhdf5 writes: filters unknown to src/codec, or none unless
                            is_new */
    bool is_enum;        /* the stored datatype is an enumeration */
    bool is_same;        /* elements have the same form in memory and in the file */
    uint64_t chunk_rows; /* is_ours: rows per chunk */
    stoa_pipeline pipeline;
    uint8_t *fill;  /* is_ours: one stored element */
    uint8_t *chunk; /* is_ours: buffer that assembles a chunk; NULL until first needed */
    bool is_held;   /* `chunk` holds chunk `held`, newer than the file */
    uint64_t held;
    uint64_t their_rows;  /* not is_ours: rows per chunk that libhdf5 writes, or 0 */
    uint64_t their_bytes; /* its bytes, decoded */
    uint64_t sound;       /* number + 1 of the chunk that libhdf5 may write in part; 0: none */
    stoa_scratch scratch; /* used by the thread that calls libhdf5 */
    bool is_stale;        /* libhdf5 may have cached chunk `last` with an outdated mask */
    uint64_t last;
} stoa_chunk_writer;

#define STOA_CHUNK_WRITER_INIT                                                                     \
    {                                                                                              \
        .dcpl = H5I_INVALID_HID, .type = H5I_INVALID_HID                                           \
    }

/* `mem_type`: type of the caller's elements, any type that libhdf5 converts to the stored one. For
 * an enumeration: an integer type. */
stoa_status stoa_chunk_writer_open(stoa_chunk_writer *writer, hid_t dataset, hid_t mem_type,
                                   stoa_error *err);
/* Unflushed rows are lost. */
void stoa_chunk_writer_close(stoa_chunk_writer *writer);

/* Write rows [first, first + count) of the extent. They are in the file after the next flush. */
stoa_status stoa_chunk_writer_write(stoa_chunk_writer *writer, uint64_t first, uint64_t count,
                                    const void *elements, stoa_error *err);
stoa_status stoa_chunk_writer_flush(stoa_chunk_writer *writer, stoa_error *err);
/* Drop the held chunk without writing it. */
static inline void stoa_chunk_writer_discard(stoa_chunk_writer *writer)
{
    writer->is_held = false;
}

/* stoa_dataset_resize(). If the new extent cuts a chunk, the rest of the chunk is encoded here, not
 * by libhdf5. */
stoa_status stoa_chunk_writer_resize(stoa_chunk_writer *writer, uint64_t extent, stoa_error *err);

/* An encoded chunk. */
typedef struct stoa_packed_chunk {
    uint64_t number; /* holds rows [number * chunk_rows, ...) */
    size_t n_bytes;
    uint32_t mask;
} stoa_packed_chunk;

/* Whether stoa_chunk_pack() may be called. */
static inline bool stoa_chunk_writer_packs(const stoa_chunk_writer *writer)
{
    return writer->is_ours && writer->is_same;
}

/*
 * Encode `n` elements from the first row of a chunk on. May run on any thread.
 *
 * @param n            chunk_rows, or fewer for the last chunk: the rest is the fill value
 * @param[out] packed  set, except its number
 * @param bytes        the encoded bytes are appended here
 */
stoa_status stoa_chunk_pack(const stoa_chunk_writer *writer, const void *elements, uint64_t n,
                            stoa_scratch *scratch, stoa_packed_chunk *packed, stoa_buffer *bytes,
                            stoa_error *err);
/* Load the chunk that contains row `first`, whose earlier rows are already stored, and hold it. */
stoa_status stoa_chunk_writer_hold(stoa_chunk_writer *writer, uint64_t first, stoa_error *err);
/*
 * Like stoa_chunk_pack(), for elements from row `first` on. They are added to the held chunk, as
 * far as they fit.
 *
 * @param is_last         no more elements follow: the chunk is encoded even if it is not full
 * @param[out] n_taken    number of elements that were added
 * @param[out] is_packed  the chunk was encoded; else it is still held, and `packed` has no bytes
 */
stoa_status stoa_chunk_complete(stoa_chunk_writer *writer, uint64_t first, const void *elements,
                                uint64_t n, bool is_last, stoa_scratch *scratch,
                                stoa_packed_chunk *packed, stoa_buffer *bytes, uint64_t *n_taken,
                                bool *is_packed, stoa_error *err);
/* Write an encoded chunk to the file. It is no longer held. */
stoa_status stoa_chunk_put(stoa_chunk_writer *writer, const stoa_packed_chunk *packed,
                           const uint8_t *bytes, stoa_error *err);
/* Call begin() once before chunks are encoded, when the dataset has its final extent. Call settle()
 * once after the last stoa_chunk_put(). */
stoa_status stoa_chunk_writer_begin(stoa_chunk_writer *writer, uint64_t *extent, stoa_error *err);
stoa_status stoa_chunk_writer_settle(stoa_chunk_writer *writer, stoa_error *err);

#endif
