/*
 * Sparse datasets under the connector.
 *
 * Exactly the elements that a program writes become defined. Reads come from the sections. Unpacked
 * chunks are cached, and shared by all handles of a dataset. They are written back when the dataset
 * or the file is flushed or closed, when the extent changes, or when a call asks the connector
 * below for chunks or sizes.
 *
 * connector_dataset.c has the callbacks, connector_create.c the creation properties, and
 * connector_store.c the open datasets. Their chunks come by store/chunk_io.h.
 *
 * connector_transfer.c reads and writes, connector_scatter.c handles scattered elements, and
 * connector_strided.c columns. connector_variable.c handles variable-length elements.
 */
#ifndef STOA_SPARSE_CONNECTOR_DATASET_H
#define STOA_SPARSE_CONNECTOR_DATASET_H

#include "sparse/connector/connector.h"
#include "sparse/store/store.h"

/* An open sparse dataset, with one handle or more. */
typedef struct stoa_linked_dataset {
    struct stoa_linked_dataset *next; /* next dataset of the file */
    H5O_token_t token;
    stoa_link *links;         /* handles of the dataset */
    stoa_chunk_dataset below; /* object of the first handle, and the type; serves the store */
    stoa_store *store;
} stoa_linked_dataset;

/* A link to a dataset below, which may be sparse. After a failure it is NULL, and the object is
 * closed. */
void *stoa_link_dataset(void *object, const stoa_link *of, hid_t dxpl, void **req);

/*
 * The creation property list to pass below, for a dataset in the file of `link`, an object of type
 * `is`. Ordinary filters next to ours move into the pipelines of the sections, as the RFC requires.
 * The parameters are bound here if libhdf5 1.14 would not call the filter's set_local.
 *
 * @param[out] made  the caller closes it; H5I_INVALID_HID if `dcpl` needs no change
 * @return STOA_EINVAL for options that structured chunks do not support
 */
stoa_status stoa_linked_dataset_list(const stoa_link *link, H5I_type_t is, hid_t dcpl, hid_t type,
                                     hid_t *made, stoa_error *err);

/* Set link->dataset if the dataset just created or opened is sparse. */
herr_t stoa_linked_dataset_open(stoa_link *link);
/* Write back all modified chunks. */
herr_t stoa_linked_dataset_flush(stoa_link *link);
/* Drop all unpacked chunks; called after a flush. */
herr_t stoa_linked_dataset_refresh(stoa_link *link);
/* Detach the link from its dataset, if it has one. Chunks that were not flushed are lost. */
void stoa_linked_dataset_leave(stoa_link *link);
/* Flush all datasets of a file. */
herr_t stoa_linked_file_flush(stoa_linked_file *file);

/* The file object below, for a link to an object of type `is`. Borrowed. */
stoa_status stoa_below_file(const stoa_link *link, H5I_type_t is, void **file, stoa_error *err);
/* Size in bytes of an address in that file. */
stoa_status stoa_below_address_size(const stoa_link *link, H5I_type_t is, size_t *n,
                                    stoa_error *err);
/* The datatype or the creation property list of a dataset below. The caller closes it. */
stoa_status stoa_below_get(const stoa_link *link, H5VL_dataset_get_t what, hid_t *id,
                           stoa_error *err);
/* The dataspace of the dataset below. The caller closes it. */
stoa_status stoa_below_space(const stoa_link *link, hid_t *space, stoa_error *err);

/* H5Dread() and H5Dwrite() for one dataset. */
herr_t stoa_linked_dataset_read(stoa_link *link, hid_t mem_type, hid_t mem_space, hid_t file_space,
                                hid_t dxpl, void *buf);
herr_t stoa_linked_dataset_write(stoa_link *link, hid_t mem_type, hid_t mem_space, hid_t file_space,
                                 hid_t dxpl, const void *buf);

/* H5Dvlen_get_buf_size(): bytes of variable-length data that the selected elements hold in
 * memory. */
herr_t stoa_linked_dataset_measure(stoa_link *link, hid_t mem_type, hid_t file_space,
                                   hsize_t *n_bytes);

/* The optional operation of connector_op.h: register it with libhdf5, recognise it, and execute
 * it. */
herr_t stoa_connector_register_op(void);
bool stoa_connector_is_our_op(int op);
herr_t stoa_connector_op(stoa_link *link, void *args);

#endif
