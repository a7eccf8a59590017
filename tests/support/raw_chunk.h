/* Read a chunk's bytes as stored in the file. Works with libhdf5 1.14 and with 2.x, which also asks
 * for a size. */
#ifndef STOA_TESTS_RAW_CHUNK_H
#define STOA_TESTS_RAW_CHUNK_H

#include <hdf5.h>

#include "support/check.h"

/* Read the chunk into `bytes`, which has room for `size`. Returns the number of bytes. `mask`: the
 * filters that were skipped. */
static inline size_t raw_chunk(hid_t dataset, const hsize_t *offset, void *bytes, size_t size,
                               uint32_t *mask)
{
    hsize_t n = 0;

    CHECK_H5(H5Dget_chunk_storage_size(dataset, offset, &n));
    CHECK(n <= size);
#if H5_VERSION_GE(2, 0, 0)
    CHECK_H5(H5Dread_chunk2(dataset, H5P_DEFAULT, offset, mask, bytes, &size));
#else
    CHECK_H5(H5Dread_chunk(dataset, H5P_DEFAULT, offset, mask, bytes));
#endif
    return (size_t)n;
}

#endif
