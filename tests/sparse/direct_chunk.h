/* A structured chunk through the RFC's direct calls (sparse RFC §2.2), for tests that do not want
 * its names. */
#ifndef STOA_TESTS_SPARSE_DIRECT_CHUNK_H
#define STOA_TESTS_SPARSE_DIRECT_CHUNK_H

#include <hdf5.h>

/*
 * Read the chunk at `offset`, and write it back as it was read.
 *
 * @param[out] space  which elements of the dataset it holds; H5I_INVALID_HID where there are none
 */
void direct_chunk_rewrite(hid_t dset, const hsize_t *offset, hid_t *space);

#endif
