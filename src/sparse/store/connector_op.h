/*
 * Access to the store of a dataset that a program opened under the connector. The rest of Stoa uses
 * an optional operation registered by name, as HDF5's own connectors do (sparse fact sheet §4).
 *
 * The connector may be a plugin with its own copy of Stoa. Its answer is used only if both copies
 * have the same version.
 */
#ifndef STOA_SPARSE_CONNECTOR_OP_H
#define STOA_SPARSE_CONNECTOR_OP_H

#include "sparse/store/store.h"

/* An operation of H5VL_SUBCLS_DATASET; its argument is a stoa_connected. */
#define STOA_CONNECTOR_OP "stoa.store"

/* The connector's state of a dataset. All pointers are borrowed and valid until the dataset is
 * closed. */
typedef struct stoa_connected {
    size_t size;         /* in: sizeof(stoa_connected) of the caller */
    const char *version; /* in: stoa_version() of the caller */
    stoa_store *store;   /* NULL if the dataset has no structured chunks */
    bool can_write;      /* the file is open for writing */
    hid_t
        type; /* of elements in the file; its references belong to the file that the program sees */
    void *object; /* below; NULL if the connector has not answered */
} stoa_connected;

/*
 * Query the connector about `dataset`.
 *
 * @return STOA_ENOTFOUND if the dataset was not opened under the connector; STOA_EVERSION if the
 *         connector has another version
 */
stoa_status stoa_connected_dataset(hid_t dataset, stoa_connected *connected, stoa_error *err);
/* The chunks of a dataset as they are in the file: those of the connector's store, which is
 * flushed, or of `own`, which becomes the dataset's. */
stoa_status stoa_stored_chunks_of(hid_t dataset, stoa_chunk_dataset *own, stoa_chunk_io *io,
                                  stoa_error *err);

#endif
