/* A dataset in a call of the RFC's API: its store is the connector's, or one for this call. */
#ifndef STOA_SPARSE_RFC_DATASET_H
#define STOA_SPARSE_RFC_DATASET_H

#include "sparse/rfc.h"
#include "sparse/store.h"

typedef struct stoa_rfc_dataset {
    hid_t id; /* borrowed */
    stoa_store *store;
    bool is_own; /* the store is this call's */
    bool can_write;
    void *object; /* below the connector; NULL: libhdf5 opened the dataset itself */
    hid_t below;
} stoa_rfc_dataset;

/* Stays where it is until stoa_rfc_close(). STOA_ELAYOUT: not of structured chunks. */
stoa_status stoa_rfc_open(hid_t dataset, stoa_rfc_dataset *d, stoa_error *err);
/* Puts what a store of its own has changed into the file. */
stoa_status stoa_rfc_close(stoa_rfc_dataset *d, stoa_status status, stoa_error *err);

/* The dataset's dataspace with what `file_space` selects, which may be H5S_ALL; the caller's.
 * STOA_ERANGE where that leaves the extent. */
stoa_status stoa_rfc_selection(hid_t dataset, hid_t file_space, hid_t *space, stoa_error *err);

/* Where a chunk lies in the file; 0 bytes at HADDR_UNDEF where it is not there. Flush first. */
stoa_status stoa_rfc_locate(const stoa_rfc_dataset *d, const hsize_t *offset, haddr_t *address,
                            hsize_t *n_bytes, stoa_error *err);
/* A chunk of either kind as it is listed, and a list of them: what programs are told of is listed
 * first, as they may do what they like meanwhile, without the lock. */
typedef struct stoa_rfc_chunk {
    hsize_t offset[H5S_MAX_RANK];
    haddr_t address;
    hsize_t n_bytes;
    unsigned mask;
} stoa_rfc_chunk;

typedef struct stoa_rfc_chunks {
    stoa_buffer all; /* of stoa_rfc_chunk */
    unsigned rank;
    stoa_status status;
    stoa_error *err;
} stoa_rfc_chunks;

/* A callback, whose context is the list. */
int stoa_rfc_note_chunk(const hsize_t *offset, unsigned mask, haddr_t address, hsize_t n_bytes,
                        void *chunks);

/* stoa_chunks_list(), by whatever is below. Flush first. */
stoa_status stoa_rfc_list(const stoa_rfc_dataset *d, H5D_chunk_iter_op_t visit, void *context,
                          stoa_error *err);

#endif
