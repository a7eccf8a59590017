/* Open a store from the properties of an HDF5 dataset. */
#ifndef STOA_SPARSE_DATASET_H
#define STOA_SPARSE_DATASET_H

#include "sparse/format/filter.h"
#include "sparse/store/store.h"

/* Whether a dataset has structured chunks. */
bool stoa_is_structured(hid_t dataset);
/* The chunk format of a dataset with these creation properties. There must be exactly one filter,
 * ours, which each chunk passes (sparse fact sheet §2.5). STOA_ELAYOUT and STOA_EDATA as below. */
stoa_status stoa_sparse_format_of(hid_t dcpl, hid_t type, stoa_sparse_format *format,
                                  stoa_error *err);
/* The extent and the chunk shape of the dataset. */
stoa_status stoa_sparse_shape_of(hid_t dcpl, hid_t space, stoa_shape *shape, stoa_error *err);

/*
 * Bind a format to a new dataset of variable-length elements in the file of `loc`. libhdf5 1.14
 * does not call the filter's set_local for these, and would also put the data into the global heap.
 * The user's part of the format says where the data go.
 *
 * @param dcpl  has the chunk shape and the fill value
 * @return as stoa_sparse_format_bind(); also STOA_ETYPE for types that Stoa cannot take apart
 */
stoa_status stoa_sparse_bind_variable(hid_t loc, hid_t dcpl, hid_t type, stoa_sparse_format *format,
                                      stoa_error *err);

/*
 * @param io    access to the dataset's chunks
 * @param dcpl  its creation properties
 * @param type  of its elements in the file
 * @return STOA_ELAYOUT if the dataset does not consist of structured chunks only; STOA_EDATA if the
 *         filter's parameters are invalid; STOA_ETYPE for variable-length elements that Stoa cannot
 *         take apart
 */
stoa_status stoa_store_of(const stoa_chunk_io *io, hid_t dcpl, hid_t type, hid_t space,
                          size_t cache_bytes, stoa_store **store, stoa_error *err);

/* Open the store of an open dataset, which must stay open. */
stoa_status stoa_store_of_dataset(hid_t dataset, size_t cache_bytes, stoa_store **store,
                                  stoa_error *err);

#endif
