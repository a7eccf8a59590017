/* What the files of the store share: store.c opens it and moves chunks between file and memory,
 * store_runs.c has runs of elements, store_chunks.c whole chunks and extents. */
#ifndef STOA_SPARSE_STORE_PARTS_H
#define STOA_SPARSE_STORE_PARTS_H

#include "hdf/descriptor.h"
#include "sparse/cache.h"
#include "sparse/store.h"

/* The chunk that a run was in last: the next one most often is there, too. */
typedef struct stoa_here {
    stoa_cached *cached; /* NULL: none */
    uint64_t offset[H5S_MAX_RANK];
    uint64_t inside[H5S_MAX_RANK]; /* elements of it inside of the extent */
} stoa_here;

struct stoa_store {
    stoa_chunk_io io;
    stoa_descriptor file; /* past libhdf5; none where it may be written to */
    stoa_shape shape;
    stoa_sparse_format format;
    stoa_heap_measure heap;
    stoa_vlen_layout *vlen; /* NULL: none */
    uint8_t *fill;          /* element_size bytes */
    uint8_t *fill_value;    /* in the form of section 1 */
    stoa_buffer fill_heap;  /* in that of section 2 */
    stoa_sparse_coder coder;
    uint64_t most;  /* bytes of a chunk */
    bool is_loaded; /* the directory */
    stoa_directory directory;
    stoa_cache cache;
    stoa_here here;
    struct stoa_piece *spare; /* memory for the next ones (pieces.h); NULL: none */
    size_t n_spare;
    stoa_buffer raw;         /* a chunk on its way */
    stoa_sparse_chunk chunk; /* the same, unpacked */
};

/* Whether chunks are read past libhdf5: */
static inline bool stoa_store_reads_past(const stoa_store *store)
{
    return store->file.fd >= 0;
}
/* and one that is not in memory can be, by stoa_descriptor_read() on any thread, as long as nothing
 * calls the store for anything else. */
static inline bool stoa_store_reaches(const stoa_store *store, const stoa_chunk_entry *entry)
{
    return stoa_store_reads_past(store) && entry->n_bytes > 0 &&
           stoa_descriptor_has(&store->file, entry->address, entry->n_bytes);
}
/* The directory, unless it is there. */
stoa_status stoa_store_load(stoa_store *store, stoa_error *err);
/* A chunk in memory, the newest; *cached is NULL where it is not there and not to be made. Trim the
 * cache once it is used. */
stoa_status stoa_store_fetch(stoa_store *store, uint64_t number, bool makes, stoa_cached **cached,
                             stoa_error *err);
/* Whether a chunk is known to have no defined element; NULL is not there. */
bool stoa_store_is_empty(const stoa_chunk_entry *entry);
/*
 * n elements with so much of section 2 are about to be put into a chunk. Where it might have too
 * many bytes then, what it has already goes into the file first.
 */
stoa_status stoa_store_edits(stoa_store *store, stoa_cached *cached, uint64_t n, uint64_t n_heap,
                             stoa_error *err);
/*
 * Its content is not what the file has any more, and maybe of another size. One that might have too
 * many bytes is written at once; where it has, it is again what the file has: `cached` is gone.
 */
stoa_status stoa_store_edited(stoa_store *store, stoa_cached *cached, stoa_error *err);
/* Undefine all of a chunk, without looking at it. */
stoa_status stoa_store_empty(stoa_store *store, uint64_t number, stoa_error *err);
/* Read and unpack a chunk into store->chunk; elements outside of the extent are left out, unless
 * there is a heap: only a content knows whose data are whose. */
stoa_status stoa_store_unpack(stoa_store *store, stoa_chunk_entry *entry, const uint64_t *offset,
                              unsigned n_sections, stoa_error *err);
/* Leave out what is outside of the extent; no heap. */
void stoa_store_clip(const stoa_store *store, const uint64_t *offset, bool has_values,
                     stoa_sparse_chunk *chunk);
/* The elements of a chunk that a stock program stored without our filter. */
stoa_status stoa_store_collect(const stoa_store *store, const stoa_buffer *raw,
                               stoa_sparse_chunk *chunk, stoa_error *err);
/* The same where elements are of variable length and section 2 has their data: as libhdf5 finds
 * those. */
stoa_status stoa_store_adopt(const stoa_store *store, const uint64_t *offset,
                             stoa_sparse_chunk *chunk, stoa_error *err);
/* A chunk as it is to lie in the file; `out` is replaced. */
stoa_status stoa_store_pack(stoa_store *store, stoa_cached *cached, stoa_buffer *out,
                            stoa_error *err);
/* All of a chunk's bytes out of the file. `entry` may be NULL. */
stoa_status stoa_store_get(stoa_store *store, stoa_chunk_entry *entry, const uint64_t *offset,
                           stoa_buffer *bytes, uint32_t *mask, stoa_error *err);
/* Bytes into the file. */
stoa_status stoa_store_put(stoa_store *store, stoa_chunk_entry *entry, const uint64_t *offset,
                           const uint8_t *bytes, size_t n_bytes, uint64_t n_defined,
                           stoa_error *err);
/* Nothing is in memory any more, written or not. */
void stoa_store_forget(stoa_store *store);
/* Say which chunk a failure is about. */
stoa_status stoa_store_at(const stoa_store *store, const uint64_t *offset, stoa_status status,
                          stoa_error *err);

#endif
