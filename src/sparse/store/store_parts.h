/* Internals of the store. store.c opens it and moves chunks between file and memory, store_runs.c
 * accesses runs of elements, and store_chunks.c whole chunks and the extent. */
#ifndef STOA_SPARSE_STORE_PARTS_H
#define STOA_SPARSE_STORE_PARTS_H

#include "hdf/file/descriptor.h"
#include "sparse/store/cache.h"
#include "sparse/store/store.h"

/* The chunk of the last run. The next run most often is in the same chunk. */
typedef struct stoa_here {
    stoa_cached *cached; /* NULL if there is none */
    uint64_t offset[H5S_MAX_RANK];
    uint64_t inside[H5S_MAX_RANK]; /* number of its elements inside of the extent, per dimension */
} stoa_here;

struct stoa_store {
    stoa_chunk_io io;
    stoa_chunk_dataset *own; /* context of `io`; NULL if that belongs to the caller */
    stoa_descriptor file;    /* for reads without libhdf5; none if the file may be written to */
    stoa_shape shape;
    stoa_sparse_format format;
    stoa_heap_measure heap;
    stoa_vlen_layout *vlen; /* NULL for elements of fixed size */
    uint8_t *fill;          /* element_size bytes */
    uint8_t *fill_value;    /* in the form of section 1 */
    stoa_buffer fill_heap;  /* in the form of section 2 */
    stoa_sparse_coder coder;
    uint64_t most;  /* maximal bytes of a chunk */
    bool is_loaded; /* the directory is loaded */
    stoa_directory directory;
    stoa_cache cache;
    stoa_here here;
    struct stoa_chunk_task
        *spare; /* reusable memory for pieces (chunk_task.h); NULL if there is none */
    size_t n_spare;
    stoa_buffer raw;         /* buffer for a packed chunk */
    stoa_sparse_chunk chunk; /* buffer for an unpacked chunk */
};

/* Whether chunks are read without libhdf5. */
static inline bool stoa_store_reads_past(const stoa_store *store)
{
    return store->file.fd >= 0;
}
/* Whether stoa_descriptor_read() can read this chunk. Any thread may do so while no other call of
 * the store runs. */
static inline bool stoa_store_reaches(const stoa_store *store, const stoa_chunk_entry *entry)
{
    return stoa_store_reads_past(store) && entry->n_bytes > 0 &&
           stoa_descriptor_has(&store->file, entry->address, entry->n_bytes);
}
/* Load the directory, if it is not loaded yet. */
stoa_status stoa_store_load(stoa_store *store, stoa_error *err);
/* Get a chunk into memory as the newest in the cache. If the chunk does not exist and `makes` is
 * false, *cached is NULL. Trim the cache after use. */
stoa_status stoa_store_fetch(stoa_store *store, uint64_t number, bool makes, stoa_cached **cached,
                             stoa_error *err);
/* Whether a chunk is known to have no defined element. NULL is a chunk that does not exist. */
bool stoa_store_is_empty(const stoa_chunk_entry *entry);
/* Prepare a chunk for n more elements with n_heap bytes of section 2. If it might exceed the
 * maximal size, its current content is written first. */
stoa_status stoa_store_edits(stoa_store *store, stoa_cached *cached, uint64_t n, uint64_t n_heap,
                             stoa_error *err);
/* Mark a chunk as modified, and update its size in the cache. A chunk that might be too long is
 * written at once. If that fails, the edit is dropped and `cached` is freed. */
stoa_status stoa_store_edited(stoa_store *store, stoa_cached *cached, stoa_error *err);
/* Undefine all elements of a chunk, without reading it. */
stoa_status stoa_store_empty(stoa_store *store, uint64_t number, stoa_error *err);
/* Read and unpack a chunk into store->chunk. Elements outside of the extent are dropped, unless
 * there is a heap: only a content knows which data belong to which element. */
stoa_status stoa_store_unpack(stoa_store *store, stoa_chunk_entry *entry, const uint64_t *offset,
                              unsigned n_sections, stoa_error *err);
/* Drop the elements outside of the extent. For formats without a heap. */
void stoa_store_clip(const stoa_store *store, const uint64_t *offset, bool has_values,
                     stoa_sparse_chunk *chunk);
/* Collect the elements of a chunk that a program stored without our filter. */
stoa_status stoa_store_collect(const stoa_store *store, const stoa_buffer *raw,
                               stoa_sparse_chunk *chunk, stoa_error *err);
/* Collect them if section 2 holds variable-length data: libhdf5 resolves the references. */
stoa_status stoa_store_adopt(const stoa_store *store, const uint64_t *offset,
                             stoa_sparse_chunk *chunk, stoa_error *err);
/* Pack a chunk for the file. `out` is replaced. */
stoa_status stoa_store_pack(stoa_store *store, stoa_cached *cached, stoa_buffer *out,
                            stoa_error *err);
/* Read a chunk's stored bytes. `entry` may be NULL. */
stoa_status stoa_store_get(stoa_store *store, stoa_chunk_entry *entry, const uint64_t *offset,
                           stoa_buffer *bytes, uint32_t *mask, stoa_error *err);
/* Write a chunk's packed bytes. */
stoa_status stoa_store_put(stoa_store *store, stoa_chunk_entry *entry, const uint64_t *offset,
                           const uint8_t *bytes, size_t n_bytes, uint64_t n_defined,
                           stoa_error *err);
/* Drop all chunks from memory without writing them. */
void stoa_store_forget(stoa_store *store);
/* Add the chunk's coordinates to an error. */
stoa_status stoa_store_at(const stoa_store *store, const uint64_t *offset, stoa_status status,
                          stoa_error *err);

#endif
