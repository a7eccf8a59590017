/*
 * What the connector does to sparse datasets.
 *
 * Elements that are written become defined, exactly those; reads come from the sections. Chunks are
 * kept unpacked, written back when the dataset or the file is flushed or closed, its extent
 * changes, or anybody asks the connector below for chunks or sizes. Two handles on one dataset
 * share them.
 *
 * connector_dataset.c has the callbacks, connector_create.c the lists that datasets are made with,
 * connector_store.c the datasets that are open, connector_below.c their chunks,
 * connector_transfer.c reads and writes, what lies here and there with connector_scatter.c, columns
 * with connector_lines.c, and elements of variable length with connector_variable.c and
 * connector_blob.c.
 */
#ifndef STOA_SPARSE_CONNECTOR_DATASET_H
#define STOA_SPARSE_CONNECTOR_DATASET_H

#include "sparse/connector.h"
#include "sparse/store.h"

/* A sparse dataset that is open, by one handle or more. */
typedef struct stoa_linked_dataset {
    struct stoa_linked_dataset *next; /* of the file */
    H5O_token_t token;
    stoa_link *links; /* those that hold it; whichever is first serves the store */
    hid_t type;       /* of elements in the file */
    stoa_store *store;
} stoa_linked_dataset;

/* A link to a dataset below, which may be sparse; NULL after a failure, the object is closed then.
 */
void *stoa_link_dataset(void *object, const stoa_link *of, hid_t dxpl, void **req);

/*
 * The creation list to hand below, for a dataset in the file of `link`, an object of type `is`:
 * plain filters beside ours go into the pipelines of the sections, as the RFC has it, and
 * parameters are bound where libhdf5 1.14 does not ask a filter.
 *
 * @param[out] made  the caller's; H5I_INVALID_HID where `dcpl` is fine as it is
 * @return STOA_EINVAL for options under which structured chunks cannot be
 */
stoa_status stoa_linked_dataset_list(const stoa_link *link, H5I_type_t is, hid_t dcpl, hid_t type,
                                     hid_t *made, stoa_error *err);

/* Of a dataset just created or opened: link->dataset is set where it is sparse. */
herr_t stoa_linked_dataset_open(stoa_link *link);
/* Write back what is not in the file yet. */
herr_t stoa_linked_dataset_flush(stoa_link *link);
/* Forget everything that is unpacked (after flush). */
herr_t stoa_linked_dataset_refresh(stoa_link *link);
/* The link no longer holds its dataset; what was not flushed is lost. Fine where it has none. */
void stoa_linked_dataset_leave(stoa_link *link);
/* All datasets of a file. */
herr_t stoa_linked_file_flush(stoa_linked_file *file);

/* Chunks of the object below; `dataset` must stay where it is. */
stoa_chunk_io stoa_chunk_io_below(stoa_linked_dataset *dataset);
/* The file below, of a link to an object of type `is`; borrowed. */
stoa_status stoa_below_file(const stoa_link *link, H5I_type_t is, void **file, stoa_error *err);
/* Bytes of an address in that file. */
stoa_status stoa_below_address_size(const stoa_link *link, H5I_type_t is, size_t *n,
                                    stoa_error *err);
/* The type of a dataset below, or the list it was made with; the caller's. */
stoa_status stoa_below_get(const stoa_link *link, H5VL_dataset_get_t what, hid_t *id,
                           stoa_error *err);
/* Its dataspace; the caller's. */
stoa_status stoa_below_space(const stoa_link *link, hid_t *space, stoa_error *err);

/* One dataset's part of H5Dread() and H5Dwrite(). */
herr_t stoa_linked_dataset_read(stoa_link *link, hid_t mem_type, hid_t mem_space, hid_t file_space,
                                hid_t dxpl, void *buf);
herr_t stoa_linked_dataset_write(stoa_link *link, hid_t mem_type, hid_t mem_space, hid_t file_space,
                                 hid_t dxpl, const void *buf);

/* H5Dvlen_get_buf_size(): bytes that what is selected holds in memory beside the elements. */
herr_t stoa_linked_dataset_measure(stoa_link *link, hid_t mem_type, hid_t file_space,
                                   hsize_t *n_bytes);

/* The operation of connector_op.h: make its number known to libhdf5; is it this one; do it. */
herr_t stoa_connector_register_op(void);
bool stoa_connector_is_our_op(int op);
herr_t stoa_connector_op(stoa_link *link, void *args);

#endif
