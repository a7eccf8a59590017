/* A chunk's bytes as they lie in the file, past its filters, in every libhdf5. */
#ifndef STOA_HDF_RAW_CHUNK_H
#define STOA_HDF_RAW_CHUNK_H

#include "hdf/hdf5.h"

/*
 * H5Dread_chunk(), which has another argument from libhdf5 2 on.
 *
 * @param n_bytes    what H5Dget_chunk_storage_size() said
 * @param[out] mask  filters that the chunk did not pass
 * @return negative, too, where the chunk has another size
 */
static inline herr_t stoa_raw_chunk_read(hid_t dataset, const hsize_t *offset, size_t n_bytes,
                                         void *bytes, uint32_t *mask)
{
#if H5_VERSION_GE(2, 0, 0)
    size_t n = n_bytes;
    const herr_t read = H5Dread_chunk2(dataset, H5P_DEFAULT, offset, mask, bytes, &n);
    return n == n_bytes ? read : -1;
#else
    (void)n_bytes;
    return H5Dread_chunk(dataset, H5P_DEFAULT, offset, mask, bytes);
#endif
}

#endif
