/*
 * Rows of a one-dimensional dataset written as whole chunks that src/codec packs, not libhdf5.
 *
 * So that
 * 1. a chunk that scale-offset cannot pack is stored as it is: libhdf5 1.14 packs one whose values
 *    span the whole type and then cannot read it (HDFGroup/hdf5 5861, mended in 2.0);
 * 2. chunks are packed on any thread (stoa_chunk_pack), and by filters that this libhdf5 lacks;
 * 3. a chunk is packed once, however many writes make it up: the one that was written to last is
 *    held as it is until another one is wanted, or until stoa_chunk_writer_flush().
 *
 * What must stay true, because of what libhdf5 (1.14, 2.1) does with H5Dwrite_chunk():
 * 1. A chunk whose stored size stays the same keeps its old filter mask in the index. One whose
 *    mask changes is therefore given another size first.
 * 2. The place of the chunk that was looked up last is remembered with the mask it had before it
 *    was written. After a chunk whose mask may be another now, one more is looked up
 *    (stoa_chunk_writer_settle). Where there is no other one, no mask is used but for want of
 *    anything else, and Stoa's own readers look into the index (unpack.c).
 * 3. Elements behind the extent are the fill value, as a chunk that grows into the extent shows
 *    them.
 * 4. What is held is not in the file: nobody reads the dataset, cuts it or announces its rows
 * before it was flushed. Rows that were not written since are in the file as they are, so that
 * these may be read.
 */
#ifndef STOA_HDF_CHUNK_WRITER_H
#define STOA_HDF_CHUNK_WRITER_H

#include "codec/pipeline.h"
#include "hdf/ids.h"

/* Start from STOA_CHUNK_WRITER_INIT; close after a failure as well, and before the dataset. */
typedef struct stoa_chunk_writer {
    hid_t dataset;  /* borrowed */
    hid_t mem_type; /* of the elements given; borrowed */
    hid_t dcpl;
    hid_t type;          /* of the elements stored; of an enumeration the integers beneath it */
    bool is_ours;        /* else libhdf5 writes: no filters, or some that src/codec does not know */
    bool is_enum;        /* the stored datatype is an enumeration */
    bool is_same;        /* elements in memory are the stored ones */
    uint64_t chunk_rows; /* is_ours: rows a chunk */
    stoa_pipeline pipeline;
    uint8_t *fill;  /* is_ours: one element as stored */
    uint8_t *chunk; /* is_ours: where a chunk is put together; NULL until first needed */
    bool is_held;   /* that is chunk `held`, newer than in the file */
    uint64_t held;
    uint64_t their_rows;  /* not is_ours: rows of a chunk that libhdf5 writes; 0: there is none */
    uint64_t their_bytes; /* and bytes, unpacked */
    uint64_t sound;       /* a chunk of those that libhdf5 may write a part of, counted from 1 */
    stoa_scratch scratch; /* of the thread that calls libhdf5 */
    bool is_stale;        /* libhdf5 may remember chunk `last` with a mask that it had */
    uint64_t last;
} stoa_chunk_writer;

#define STOA_CHUNK_WRITER_INIT                                                                     \
    {                                                                                              \
        .dcpl = H5I_INVALID_HID, .type = H5I_INVALID_HID                                           \
    }

/* `mem_type`: what elements are given as, anything that libhdf5 converts to the stored datatype; of
 * an enumeration, integers. */
stoa_status stoa_chunk_writer_open(stoa_chunk_writer *writer, hid_t dataset, hid_t mem_type,
                                   stoa_error *err);
/* What was not flushed is gone. */
void stoa_chunk_writer_close(stoa_chunk_writer *writer);

/* Write rows [first, first + count) of the extent. They are in the file after the flush. */
stoa_status stoa_chunk_writer_write(stoa_chunk_writer *writer, uint64_t first, uint64_t count,
                                    const void *elements, stoa_error *err);
stoa_status stoa_chunk_writer_flush(stoa_chunk_writer *writer, stoa_error *err);
/* Leave the file as it is. */
static inline void stoa_chunk_writer_discard(stoa_chunk_writer *writer)
{
    writer->is_held = false;
}

/* stoa_dataset_resize(). Where it cuts a chunk in two, libhdf5 would pack what is left of it. */
stoa_status stoa_chunk_writer_resize(stoa_chunk_writer *writer, uint64_t extent, stoa_error *err);

/* A chunk as it goes to the file. */
typedef struct stoa_packed_chunk {
    uint64_t number; /* rows [number * chunk_rows, ...) */
    size_t n_bytes;
    uint32_t mask;
} stoa_packed_chunk;

/* Whether stoa_chunk_pack() can be called. */
static inline bool stoa_chunk_writer_packs(const stoa_chunk_writer *writer)
{
    return writer->is_ours && writer->is_same;
}

/*
 * Pack `n` elements, those of a chunk from its first row on, on any thread.
 *
 * @param n            chunk_rows, or less for a chunk at the end: the rest is the fill value
 * @param[out] packed  all but its number
 * @param bytes        the packed bytes are appended to
 */
stoa_status stoa_chunk_pack(const stoa_chunk_writer *writer, const void *elements, uint64_t n,
                            stoa_scratch *scratch, stoa_packed_chunk *packed, stoa_buffer *bytes,
                            stoa_error *err);
/* Have the chunk that row `first` is in held, whose first rows are there already. */
stoa_status stoa_chunk_writer_hold(stoa_chunk_writer *writer, uint64_t first, stoa_error *err);
/*
 * The same as stoa_chunk_pack() for elements from row `first` on, which go into the chunk that is
 * held, as far as it has room for them.
 *
 * @param[out] n_taken  how many of the `n` elements that were
 * @param[out] is_full  the chunk was packed; else it is held still, and nothing was
 */
stoa_status stoa_chunk_complete(stoa_chunk_writer *writer, uint64_t first, const void *elements,
                                uint64_t n, stoa_scratch *scratch, stoa_packed_chunk *packed,
                                stoa_buffer *bytes, uint64_t *n_taken, bool *is_full,
                                stoa_error *err);
/* Put a packed chunk into its place. It is not held any more. */
stoa_status stoa_chunk_put(stoa_chunk_writer *writer, const stoa_packed_chunk *packed,
                           const uint8_t *bytes, stoa_error *err);
/* Once before chunks are packed, when the dataset has the extent that they need; once after the
 * last was put into its place. */
stoa_status stoa_chunk_writer_begin(stoa_chunk_writer *writer, uint64_t *extent, stoa_error *err);
stoa_status stoa_chunk_writer_settle(stoa_chunk_writer *writer, stoa_error *err);

#endif
