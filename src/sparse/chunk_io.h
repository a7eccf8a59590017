/*
 * Where the chunks of a structured dataset come from and go to: a dataset that libhdf5 opened, or
 * an object below a connector. Bytes are as they lie in the file; no filter runs (sparse fact sheet
 * §1).
 */
#ifndef STOA_SPARSE_CHUNK_IO_H
#define STOA_SPARSE_CHUNK_IO_H

#include "core/memory.h"
#include "hdf/hdf5.h"

/* One stored chunk. */
typedef struct stoa_stored_chunk {
    const hsize_t *offset; /* coordinates of its first element */
    uint64_t address;      /* of its bytes in the file */
    uint64_t n_bytes;
    uint32_t mask; /* filter mask */
} stoa_stored_chunk;

typedef stoa_status (*stoa_chunk_visit)(void *context, const stoa_stored_chunk *chunk,
                                        stoa_error *err);

/* All calls are made by the thread that called the store. */
typedef struct stoa_chunk_io {
    void *context; /* handed to each call */
    /*
     * @param offset       coordinates of the chunk's first element
     * @param[out] bytes   replaced by the chunk's; empty where it is not stored
     * @param[out] mask    filter mask; not 0: the filter refused, the chunk is dense
     */
    stoa_status (*read)(void *context, const hsize_t *offset, stoa_buffer *bytes, uint32_t *mask,
                        stoa_error *err);
    /* Store or replace a chunk, with filter mask 0. */
    stoa_status (*write)(void *context, const hsize_t *offset, const void *bytes, size_t n_bytes,
                         stoa_error *err);
    /* Each stored chunk once, in any order; stops at the first failure of `visit`. */
    stoa_status (*iterate)(void *context, stoa_chunk_visit visit, void *visitor, stoa_error *err);
    /* stoa_dataset_resize(). NULL: the extent never changes. */
    stoa_status (*set_extent)(void *context, const hsize_t *extent, stoa_error *err);
    /*
     * Elements of variable length of a dense chunk, by libhdf5, which finds their data.
     *
     * @param count          of elements inside of the extent in each dimension
     * @param[out] elements  as in memory; what they hold is malloc()'s
     */
    stoa_status (*follow)(void *context, const hsize_t *offset, const hsize_t *count,
                          void *elements, stoa_error *err);
    /* Bytes in the file's global heap. An id has as many bytes as a slot, less those of the length.
     * All three may be NULL. */
    stoa_status (*put_blob)(void *context, const void *bytes, size_t n_bytes, uint8_t *id,
                            stoa_error *err);
    /* STOA_EHDF5 where there are not exactly n_bytes. */
    stoa_status (*get_blob)(void *context, const uint8_t *id, void *bytes, size_t n_bytes,
                            stoa_error *err);
    void (*drop_blob)(void *context, uint8_t *id);
} stoa_chunk_io;

/* Select a box in a dataspace; `memory` gets one of its shape, the caller's. */
stoa_status stoa_box_spaces(hid_t extent, const hsize_t *offset, const hsize_t *count,
                            hid_t *memory, stoa_error *err);

/* The last three of a stoa_chunk_io, for an object that is a file of that connector. */
stoa_status stoa_blob_put(void *file, hid_t connector, const void *bytes, size_t n_bytes,
                          uint8_t *id, stoa_error *err);
stoa_status stoa_blob_get(void *file, hid_t connector, const uint8_t *id, void *bytes,
                          size_t n_bytes, stoa_error *err);
void stoa_blob_drop(void *file, hid_t connector, uint8_t *id);

/* Those of a dataset. `dataset` is borrowed, and must stay where it is, and open. */
stoa_chunk_io stoa_chunk_io_of(hid_t *dataset);

/* For those who implement `iterate` by H5Dchunk_iter(): its callback, and what that is handed. */
typedef struct stoa_chunk_walk {
    stoa_chunk_visit visit;
    void *visitor;
    stoa_status status; /* of the last visit */
    stoa_error *err;
} stoa_chunk_walk;

int stoa_chunk_walk_step(const hsize_t *offset, unsigned mask, haddr_t address, hsize_t n_bytes,
                         void *context);

#endif
