/* Elements whose data of variable length are in the file's global heap, written element by element
 * where the program wants exactly these defined (sparse fact sheet §6, option A). */
#ifndef STOA_SPARSE_CONNECTOR_BLOB_H
#define STOA_SPARSE_CONNECTOR_BLOB_H

#include "sparse/connector_transfer.h"

/* Elements in the file's datatype into the file: their data into the global heap, and in `values`
 * as many of element_size bytes, which refer to these. */
stoa_status stoa_blobs_write(const stoa_transfer *t, uint64_t n, const uint8_t *elements,
                             uint8_t *values, stoa_error *err);
/* The elements of the parts at hand, by libhdf5; what they hold is malloc()'s. Flushes. */
stoa_status stoa_blobs_read(const stoa_transfer *t, uint64_t n, uint8_t *elements, stoa_error *err);

#endif
