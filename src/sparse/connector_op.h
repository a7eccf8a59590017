/*
 * How the rest of Stoa reaches the store of a dataset that a program opened under the connector:
 * by an operation registered under a name, as HDF5's own connectors do (sparse fact sheet §4).
 *
 * The connector may be a plugin, with its own copy of Stoa; what it hands out is used only where
 * both are of one version.
 */
#ifndef STOA_SPARSE_CONNECTOR_OP_H
#define STOA_SPARSE_CONNECTOR_OP_H

#include "sparse/store.h"

#define STOA_CONNECTOR_OP "stoa.store" /* of H5VL_SUBCLS_DATASET; its argument: stoa_connected */

/* What the connector knows of a dataset. All borrowed, good until the dataset is closed. */
typedef struct stoa_connected {
    size_t size;         /* in: sizeof(stoa_connected) of the caller */
    const char *version; /* in: stoa_version() of the caller */
    stoa_store *store;   /* NULL: not of structured chunks */
    bool can_write;      /* the file is open for it */
    hid_t type;          /* of elements in the file, with references into the right file */
    /* The object below and its connector, for stoa_native_below(). Flush the store first. */
    void *object;
    hid_t below;
} stoa_connected;

/*
 * What the connector knows of `dataset`.
 *
 * @return STOA_ENOTFOUND where the dataset was not opened under the connector; STOA_EVERSION where
 *         the connector is of another version
 */
stoa_status stoa_connected_dataset(hid_t dataset, stoa_connected *connected, stoa_error *err);

/*
 * A native operation on the object below, also one that this connector refuses (sparse RFC §2.2.7);
 * with the state that libhdf5 wants around calls of connectors.
 *
 * @param args  H5VL_native_dataset_optional_args_t
 */
herr_t stoa_native_below(void *object, hid_t below, int op, void *args);

/* stoa_chunks_list() of the object below. */
stoa_status stoa_native_list(void *object, hid_t below, H5D_chunk_iter_op_t visit, void *context,
                             stoa_error *err);

#endif
