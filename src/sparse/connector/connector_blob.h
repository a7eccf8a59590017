/* Elements whose variable-length data are in the file's global heap. They are written one by one,
 * so that exactly the selected elements become defined (sparse fact sheet §6, option A). */
#ifndef STOA_SPARSE_CONNECTOR_BLOB_H
#define STOA_SPARSE_CONNECTOR_BLOB_H

#include "sparse/connector/connector_transfer.h"

/* Write the data of elements of the file's datatype to the global heap. `values` receives the
 * stored elements that refer to them, element_size bytes each. */
stoa_status stoa_blobs_write(const stoa_transfer *t, uint64_t n, const uint8_t *elements,
                             uint8_t *values, stoa_error *err);
/* Read the elements of the current parts through libhdf5. Their data are allocated with malloc().
 * Flushes the store first. */
stoa_status stoa_blobs_read(const stoa_transfer *t, uint64_t n, uint8_t *elements, stoa_error *err);

#endif
