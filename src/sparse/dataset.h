/* A store of what libhdf5 tells of a dataset. */
#ifndef STOA_SPARSE_DATASET_H
#define STOA_SPARSE_DATASET_H

#include "sparse/store.h"

/* What the chunks of a dataset with these creation properties have in common: exactly one filter,
 * which each chunk passes (sparse fact sheet §2.5). STOA_ELAYOUT, STOA_EDATA as below. */
stoa_status stoa_sparse_format_of(hid_t dcpl, hid_t type, stoa_sparse_format *format,
                                  stoa_error *err);
/* Its extent and the shape of its chunks. */
stoa_status stoa_sparse_shape_of(hid_t dcpl, hid_t space, stoa_shape *shape, stoa_error *err);

/*
 * The dataset's part of the format of one that is to be made in the file of `loc`, of elements of
 * variable length: libhdf5 1.14 does not ask the filter, which would put the data into the global
 * heap besides. The user's part says where these go.
 *
 * @param dcpl  has the chunk's shape and the fill value
 * @return as stoa_sparse_format_bind(); STOA_ETYPE, too, for types that Stoa cannot take apart
 */
stoa_status stoa_sparse_bind_variable(hid_t loc, hid_t dcpl, hid_t type, stoa_sparse_format *format,
                                      stoa_error *err);

/*
 * @param io    of the dataset's chunks
 * @param dcpl  its creation properties
 * @param type  of its elements in the file
 * @return STOA_ELAYOUT where it is not a dataset of structured chunks and nothing else; STOA_EDATA
 *         where the parameters of its filter make no sense; STOA_ETYPE for elements of variable
 *         length of which Stoa cannot find the parts
 */
stoa_status stoa_store_of(const stoa_chunk_io *io, hid_t dcpl, hid_t type, hid_t space,
                          size_t cache_bytes, stoa_store **store, stoa_error *err);

/* The same of a dataset that is open; `dataset` must stay where it is, and open. */
stoa_status stoa_store_of_dataset(hid_t *dataset, size_t cache_bytes, stoa_store **store,
                                  stoa_error *err);

#endif
