/*
 * Whether a filtered chunk unpacks to as many bytes as its rows take up.
 *
 * libhdf5 1.14 does not ask: it hands out whatever lies behind a buffer that its filters left too
 * short. Ask before it reads a chunk of a file that is not trusted.
 */
#ifndef STOA_HDF_UNPACK_H
#define STOA_HDF_UNPACK_H

#include <stdbool.h>
#include <stdint.h>

#include "codec/pipeline.h"
#include "hdf/ids.h"

typedef enum stoa_unpacked {
    STOA_UNPACKED_WHOLE,  /* as long as it must be, or of a filter that is not libhdf5's own */
    STOA_UNPACKED_SHORT,  /* shorter, or no such chunk, or damaged */
    STOA_UNPACKED_UNKNOWN /* filters in an order that only undoing them would tell */
} stoa_unpacked;

/* The chunk at `offset` (one number a dimension) of a chunked dataset with these creation
 * properties, which takes up `chunk_bytes` unpacked. Fails only where memory runs out. */
stoa_status stoa_chunk_unpacks(hid_t dataset, hid_t dcpl, const hsize_t *offset,
                               uint64_t chunk_bytes, stoa_unpacked *unpacked, stoa_error *err);

/* The pipeline of chunks of so many rows; false where src/codec does not know all of its filters.
 * One without filters is known. */
bool stoa_pipeline_of(hid_t dcpl, size_t element_size, uint64_t chunk_rows,
                      stoa_pipeline *pipeline);

/* A chunk of such a dataset, unpacked here and not by libhdf5: in the scratch, NULL where it was
 * never written. STOA_EDATA where it does not unpack to its rows. */
stoa_status stoa_chunk_decode(hid_t dataset, hid_t dcpl, const hsize_t *offset,
                              const stoa_pipeline *pipeline, stoa_scratch *scratch,
                              const uint8_t **bytes, stoa_error *err);

#endif
