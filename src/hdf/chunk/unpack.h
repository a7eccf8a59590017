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
#include "core/threads.h"
#include "hdf/ids.h"

typedef enum stoa_unpacked {
    STOA_UNPACKED_WHOLE,  /* as long as it must be, or of a filter that is not libhdf5's own */
    STOA_UNPACKED_SHORT,  /* shorter, or no such chunk, or damaged */
    STOA_UNPACKED_UNKNOWN /* filters in an order that only undoing them would tell */
} stoa_unpacked;

/* A chunk as it lies in the file. */
typedef struct stoa_loaded_chunk {
    uint8_t *bytes;   /* NULL: not there, or not to be read */
    uint64_t n_bytes; /* 0: never written */
    uint32_t mask;    /* the filters that it did not pass */
    bool is_huge;     /* more bytes than an honest chunk takes up: not read */
} stoa_loaded_chunk;

/* Load the chunk at `offset` (one number a dimension), which takes up `chunk_bytes` unpacked, into
 * a block that the caller frees. Fails only where memory runs out. */
stoa_status stoa_chunk_load(hid_t dataset, hid_t dcpl, const hsize_t *offset, uint64_t chunk_bytes,
                            stoa_loaded_chunk *chunk, stoa_error *err);

/* Have libhdf5 look a chunk up in the index, so that it forgets the one that it looked up last.
 * Fails only where memory runs out. */
stoa_status stoa_chunk_look_up(hid_t dataset, hid_t dcpl, const hsize_t *offset,
                               uint64_t chunk_bytes, stoa_error *err);

/* The chunk at `offset` (one number a dimension) of a chunked dataset with these creation
 * properties, which takes up `chunk_bytes` unpacked. Fails only where memory runs out. */
stoa_status stoa_chunk_unpacks(hid_t dataset, hid_t dcpl, const hsize_t *offset,
                               uint64_t chunk_bytes, stoa_unpacked *unpacked, stoa_error *err);

/* Make sure of that before libhdf5 reads a chunk, of `chunk_rows` in its first dimension, or writes
 * a part of it: STOA_EDATA where it is there and not STOA_UNPACKED_WHOLE. */
stoa_status stoa_chunk_check(hid_t dataset, hid_t dcpl, const hsize_t *offset, hsize_t chunk_rows,
                             uint64_t chunk_bytes, stoa_error *err);

/* Whether libhdf5's own filters say that they are for chunks of so many bytes. They pack what they
 * say, past the end of a chunk that is shorter. */
bool stoa_filters_fit(hid_t dcpl, uint64_t chunk_bytes);

/* A chunk of such a dataset, unpacked here and not by libhdf5: in the scratch, NULL where it was
 * never written. STOA_EDATA where it does not unpack to its rows. `workers`: whose lock guards
 * libhdf5; NULL: no other thread runs. */
stoa_status stoa_chunk_decode(hid_t dataset, hid_t dcpl, const hsize_t *offset,
                              const stoa_pipeline *pipeline, stoa_scratch *scratch,
                              stoa_workers *workers, const uint8_t **bytes, stoa_error *err);

#endif
