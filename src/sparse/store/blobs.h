/* Elements whose variable-length data are in the file's global heap. They are written one by one,
 * so that exactly the selected elements become defined (sparse fact sheet §6, option A). */
#ifndef STOA_SPARSE_BLOBS_H
#define STOA_SPARSE_BLOBS_H

#include "sparse/format/vlen.h"
#include "sparse/store/chunk_io.h"

/*
 * Write the data of n elements of the file's datatype in memory to the heap of a dataset's file.
 *
 * @param layout      of the elements
 * @param[out] values the stored elements that refer to the data, value_size bytes each
 */
stoa_status stoa_blobs_write(const stoa_chunk_dataset *dataset, const stoa_vlen_layout *layout,
                             size_t value_size, uint64_t n, const uint8_t *elements,
                             uint8_t *values, stoa_error *err);

#endif
