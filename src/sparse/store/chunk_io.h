/*
 * Source and sink of the stored chunks of a structured dataset: either a dataset that libhdf5
 * opened, or an object below a connector. Chunks are exchanged as stored in the file, without
 * running any filter (sparse fact sheet §1).
 */
#ifndef STOA_SPARSE_CHUNK_IO_H
#define STOA_SPARSE_CHUNK_IO_H

#include "core/memory.h"
#include "hdf/hdf5.h"
#include "sparse/format/library.h"

/* One stored chunk. */
typedef struct stoa_stored_chunk {
    const hsize_t *offset; /* coordinates of its first element */
    uint64_t address;      /* file offset of its bytes */
    uint64_t n_bytes;
    uint32_t mask; /* filter mask */
} stoa_stored_chunk;

typedef stoa_status (*stoa_chunk_visit)(void *context, const stoa_stored_chunk *chunk,
                                        stoa_error *err);

/* All functions are called on the thread that called the store. */
typedef struct stoa_chunk_io {
    void *context; /* passed to each function */
    /*
     * @param offset      coordinates of the chunk's first element
     * @param[out] bytes  replaced by the chunk's; empty if it is not stored
     * @param[out] mask   filter mask; nonzero means that the filter refused the chunk, which is
     *                    dense
     */
    stoa_status (*read)(void *context, const hsize_t *offset, stoa_buffer *bytes, uint32_t *mask,
                        stoa_error *err);
    /* Store or replace a chunk, with filter mask 0. */
    stoa_status (*write)(void *context, const hsize_t *offset, const void *bytes, size_t n_bytes,
                         stoa_error *err);
    /* Visit each stored chunk once, in any order. Stops at the first failure of `visit`. */
    stoa_status (*iterate)(void *context, stoa_chunk_visit visit, void *visitor, stoa_error *err);
    /* stoa_dataset_resize(). NULL if the extent never changes. */
    stoa_status (*set_extent)(void *context, const hsize_t *extent, stoa_error *err);
    /*
     * Read the variable-length elements of a dense chunk through libhdf5, which resolves their
     * references.
     *
     * @param count          elements inside of the extent in each dimension
     * @param[out] elements  in the memory type; their data are allocated with malloc()
     */
    stoa_status (*follow)(void *context, const hsize_t *offset, const hsize_t *count,
                          void *elements, stoa_error *err);
    /* Store bytes in the file's global heap. An id is as long as a slot without its length field.
     * The three blob functions may be NULL. */
    stoa_status (*put_blob)(void *context, const void *bytes, size_t n_bytes, uint8_t *id,
                            stoa_error *err);
    /* @return STOA_EHDF5 if the object does not have exactly n_bytes */
    stoa_status (*get_blob)(void *context, const uint8_t *id, void *bytes, size_t n_bytes,
                            stoa_error *err);
    void (*drop_blob)(void *context, uint8_t *id);
} stoa_chunk_io;

/* A dataset: its id, or, below a connector, the object that it is there. */
typedef struct stoa_chunk_dataset {
    hid_t id; /* H5I_INVALID_HID: `object` */
    void *object;
    hid_t connector; /* of `object` */
    hid_t type;      /* of its elements in the file */
} stoa_chunk_dataset;

/* Chunk access to a dataset. It is borrowed, and must stay at its address. */
stoa_chunk_io stoa_chunk_io_of(stoa_chunk_dataset *dataset);
/* The datatype, the dataspace or the creation property list of a connector's dataset. The caller
 * closes it. */
stoa_status stoa_object_get(void *object, hid_t connector, H5VL_dataset_get_t what, hid_t *id,
                            stoa_error *err);

/* A dataset's object and its file's while libhdf5 is entered and its lock is held, for calls of
 * their connector. */
typedef struct stoa_chunk_call {
    const stoa_chunk_dataset *dataset;
    void *object;
    void *file;
    hid_t connector;
    hid_t file_id; /* of `file`, if an id tells it */
    stoa_library_state state;
} stoa_chunk_call;

/* Leave it by stoa_chunk_call_leave() after success. */
stoa_status stoa_chunk_call_enter(const stoa_chunk_dataset *dataset, stoa_chunk_call *call,
                                  stoa_error *err);
/* Returns `status`, or that of a file that cannot be closed. */
stoa_status stoa_chunk_call_leave(stoa_chunk_call *call, stoa_status status, stoa_error *err);

/* Callback of H5Dchunk_iter() that calls a stoa_chunk_visit, and its context. */
typedef struct stoa_chunk_walk {
    stoa_chunk_visit visit;
    void *visitor;
    stoa_status status; /* of the last visit */
    stoa_error *err;
} stoa_chunk_walk;

int stoa_chunk_walk_step(const hsize_t *offset, unsigned mask, haddr_t address, hsize_t n_bytes,
                         void *context);

#endif
