/* A dataset in a call of the RFC's API, with the connector's store or one for this call only. */
#ifndef STOA_SPARSE_RFC_DATASET_H
#define STOA_SPARSE_RFC_DATASET_H

#include "sparse/rfc/rfc.h"
#include "sparse/store/store.h"

typedef struct stoa_rfc_dataset {
    hid_t id; /* borrowed */
    stoa_store *store;
    bool is_own; /* the store belongs to this call */
    bool can_write;
} stoa_rfc_dataset;

/* Open a dataset. STOA_ELAYOUT if it has no structured chunks. */
stoa_status stoa_rfc_open(hid_t dataset, stoa_rfc_dataset *d, stoa_error *err);
/* Close it. If the store belongs to the call, its changes are written. */
stoa_status stoa_rfc_close(stoa_rfc_dataset *d, stoa_status status, stoa_error *err);

/* The dataset's dataspace with the selection of `file_space`, which may be H5S_ALL. The caller
 * closes it. STOA_ERANGE if the selection leaves the extent. */
stoa_status stoa_rfc_selection(hid_t dataset, hid_t file_space, hid_t *space, stoa_error *err);

/* Address and size of a chunk in the file; 0 bytes at HADDR_UNDEF if it is not stored. Flush
 * first. */
stoa_status stoa_rfc_locate(const stoa_rfc_dataset *d, const hsize_t *offset, haddr_t *address,
                            hsize_t *n_bytes, stoa_error *err);
/* A chunk of either kind, and a list of them. The list is complete before the program's callback
 * runs, because the callback may do anything, and runs without the lock. */
typedef struct stoa_rfc_chunk {
    hsize_t offset[H5S_MAX_RANK];
    haddr_t address;
    hsize_t n_bytes;
    unsigned mask;
} stoa_rfc_chunk;

typedef struct stoa_rfc_chunks {
    stoa_buffer all; /* of stoa_rfc_chunk */
    unsigned rank;
} stoa_rfc_chunks;

/* A stoa_chunk_visit; its context is the list. */
stoa_status stoa_rfc_note_chunk(void *chunks, const stoa_stored_chunk *chunk, stoa_error *err);

#endif
