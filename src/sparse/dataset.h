/* A store of what libhdf5 tells of a dataset. */
#ifndef STOA_SPARSE_DATASET_H
#define STOA_SPARSE_DATASET_H

#include "sparse/store.h"

/*
 * @param io    of the dataset's chunks
 * @param dcpl  its creation properties
 * @param type  of its elements in the file
 * @param heap  NULL where the format has none
 * @return STOA_ELAYOUT where it is not a dataset of structured chunks and nothing else; STOA_EDATA
 *         where the parameters of its filter make no sense
 */
stoa_status stoa_store_of(const stoa_chunk_io *io, hid_t dcpl, hid_t type, hid_t space,
                          const stoa_heap_measure *heap, size_t cache_bytes, stoa_store **store,
                          stoa_error *err);

/* The same of a dataset that is open, without a heap; `dataset` must stay where it is, and open. */
stoa_status stoa_store_of_dataset(hid_t *dataset, size_t cache_bytes, stoa_store **store,
                                  stoa_error *err);

#endif
