/* Structured chunks through the RFC's direct calls (sparse RFC §2.2), for tests that avoid the
 * RFC's names. */
#ifndef STOA_TESTS_SPARSE_DIRECT_CHUNK_H
#define STOA_TESTS_SPARSE_DIRECT_CHUNK_H

#include <hdf5.h>

/*
 * Read the chunk at `offset`, and write it back unchanged.
 *
 * @param[out] space  selection of the dataset's elements in the chunk; H5I_INVALID_HID if there are
 *                    none
 */
void direct_chunk_rewrite(hid_t dset, const hsize_t *offset, hid_t *space);

#endif
