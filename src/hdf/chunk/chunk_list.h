/*
 * Lists the chunks of a dataset with correct coordinates.
 *
 * If the only unlimited dimension is not the first, libhdf5 (1.10 to 2.2) lists chunks at wrong
 * coordinates in files of the latest format. H5Dchunk_iter(), H5Dget_chunk_info() and
 * H5Dget_chunk_info_by_coord() are affected (docs/upstream/chunk-coordinates.md). So Stoa lists
 * chunks only through this file. The RFC functions (sparse/rfc/rfc_dense.c), which wrap these
 * calls, are the exception.
 */
#ifndef STOA_HDF_CHUNK_LIST_H
#define STOA_HDF_CHUNK_LIST_H

#include "hdf/ids.h"

/* H5Dchunk_iter() with correct coordinates. If `visit` stops or fails, the iteration ends and the
 * call still succeeds: the visitor keeps its own status. */
stoa_status stoa_chunks_list(hid_t dataset, H5D_chunk_iter_op_t visit, void *context,
                             stoa_error *err);

/* Bytes that a chunk occupies in the file; 0 if it is not stored. A chunk that is only in libhdf5's
 * cache is written to the file first. */
stoa_status stoa_chunk_stored_bytes(hid_t dataset, const hsize_t *offset, hsize_t *n_bytes,
                                    stoa_error *err);

/*
 * H5Dread_chunk(), hiding the different signature of libhdf5 2.
 *
 * @param n_bytes    from H5Dget_chunk_storage_size()
 * @param[out] mask  filters that were not applied to the chunk
 * @return negative also if the chunk has another size
 */
static inline herr_t stoa_raw_chunk_read(hid_t dataset, const hsize_t *offset, size_t n_bytes,
                                         void *bytes, uint32_t *mask)
{
#if H5_VERSION_GE(2, 0, 0)
    size_t n = n_bytes;
    const herr_t read = H5Dread_chunk2(dataset, H5P_DEFAULT, offset, mask, bytes, &n);
    return n == n_bytes ? read : -1;
#else
    (void)n_bytes;
    return H5Dread_chunk(dataset, H5P_DEFAULT, offset, mask, bytes);
#endif
}

/* Search for one chunk during an iteration: input and result. */
typedef struct stoa_chunk_search {
    int rank;
    const hsize_t *offset;
    haddr_t address; /* initialise to HADDR_UNDEF */
    hsize_t n_bytes;
} stoa_chunk_search;

int stoa_chunk_search_step(const hsize_t *offset, unsigned mask, haddr_t address, hsize_t n_bytes,
                           void *search);

/* The same iteration for callers that do not use H5Dchunk_iter(). Pass this as the context of
 * stoa_chunk_turn_step(), which is the callback. */
typedef struct stoa_chunk_turn {
    H5D_chunk_iter_op_t visit; /* the caller's callback */
    void *context;
    int rank;
    int unlimited; /* the dimension that chunks are counted by first; 0: coordinates are correct */
    hsize_t chunk[H5S_MAX_RANK];
    hsize_t n_chunks[H5S_MAX_RANK]; /* maximum, per dimension */
} stoa_chunk_turn;

/* Sets all fields except `visit` and `context`. */
stoa_status stoa_chunk_turn_find(hid_t space, hid_t dcpl, H5D_chunk_index_t index,
                                 stoa_chunk_turn *turn, stoa_error *err);
int stoa_chunk_turn_step(const hsize_t *offset, unsigned mask, haddr_t address, hsize_t n_bytes,
                         void *turn);

#endif
