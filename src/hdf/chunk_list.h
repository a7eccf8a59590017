/*
 * The chunks of a dataset, each where it is.
 *
 * Where one dimension alone is unlimited and it is not the first, in files of the latest format,
 * libhdf5 (1.10 to 2.2) lists chunks at wrong coordinates: H5Dchunk_iter(), H5Dget_chunk_info() and
 * H5Dget_chunk_info_by_coord() all do (docs/upstream/chunk-coordinates.md). Nothing but this file
 * calls the first, and nothing calls the others.
 */
#ifndef STOA_HDF_CHUNK_LIST_H
#define STOA_HDF_CHUNK_LIST_H

#include "hdf/ids.h"

/* H5Dchunk_iter() with true coordinates. A `visit` that stops or fails ends the list, and is no
 * failure of the call: it keeps its own status. */
stoa_status stoa_chunks_list(hid_t dataset, H5D_chunk_iter_op_t visit, void *context,
                             stoa_error *err);

/* The bytes that a chunk takes up in the file; 0: it is not stored. Puts it there first, if
 * libhdf5's cache alone has it. */
stoa_status stoa_chunk_stored_bytes(hid_t dataset, const hsize_t *offset, hsize_t *n_bytes,
                                    stoa_error *err);

/*
 * H5Dread_chunk(), which has another argument from libhdf5 2 on.
 *
 * @param n_bytes    what H5Dget_chunk_storage_size() said
 * @param[out] mask  filters that the chunk did not pass
 * @return negative, too, where the chunk has another size
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

/* A chunk that is looked for in a list: what a visit is handed, and found. */
typedef struct stoa_chunk_search {
    int rank;
    const hsize_t *offset;
    haddr_t address; /* HADDR_UNDEF to begin with */
    hsize_t n_bytes;
} stoa_chunk_search;

int stoa_chunk_search_step(const hsize_t *offset, unsigned mask, haddr_t address, hsize_t n_bytes,
                           void *search);

/* The same list for those who reach libhdf5 by another way than H5Dchunk_iter(): what to hand to
 * its iterator, with stoa_chunk_turn_step() as the callback. */
typedef struct stoa_chunk_turn {
    H5D_chunk_iter_op_t visit; /* the caller's */
    void *context;
    int rank;
    int unlimited; /* the dimension that chunks are counted by first; 0: coordinates are right */
    hsize_t chunk[H5S_MAX_RANK];
    hsize_t n_chunks[H5S_MAX_RANK]; /* at most, in each dimension */
} stoa_chunk_turn;

/* Sets all but `visit` and `context`. */
stoa_status stoa_chunk_turn_find(hid_t space, hid_t dcpl, H5D_chunk_index_t index,
                                 stoa_chunk_turn *turn, stoa_error *err);
int stoa_chunk_turn_step(const hsize_t *offset, unsigned mask, haddr_t address, hsize_t n_bytes,
                         void *turn);

#endif
