/* Checks of a dataset before libhdf5 reads or resizes it. */
#ifndef STOA_HDF_CHUNK_CHECKS_H
#define STOA_HDF_CHUNK_CHECKS_H

#include <stdint.h>

#include <stdbool.h>

#include "hdf/ids.h"

/* STOA_EDATA if libhdf5 1.14 would read or write past the end of a chunk of the dataset, or of its
 * fill value; see libhdf5_checks.h. */
stoa_status stoa_chunks_check(hid_t dataset, stoa_error *err);

/* Whether any chunk occupies more bytes in the file than its elements, as checksums and damage
 * cause. False if the dataset is not chunked. */
stoa_status stoa_chunks_outgrow(hid_t dataset, bool *outgrow, stoa_error *err);

/* Whether an extent may be set. H5Dset_extent() looks up every chunk that it cuts off. STOA_EDATA
 * if more than 2^24 of them are not stored: a file of a few KiB can claim any extent. */
stoa_status stoa_dataset_may_shrink(hid_t dataset, const hsize_t *extent, stoa_error *err);

/* H5Dset_extent(), after that check. */
stoa_status stoa_dataset_resize(hid_t dataset, const hsize_t *extent, stoa_error *err);

/* H5Dwrite() of a box whose values lie together in memory. `what` they are is for a message. */
stoa_status stoa_dataset_write(hid_t dataset, hid_t mem_type, const hsize_t *start,
                               const hsize_t *count, const void *values, const char *what,
                               stoa_error *err);

#endif
