/*
 * Checks whether a filtered chunk decodes to as many bytes as its rows have.
 *
 * libhdf5 1.14 does not check this: if its filters leave a buffer too short, it returns whatever is
 * behind that buffer. Check a chunk of an untrusted file before libhdf5 reads it.
 */
#ifndef STOA_HDF_UNPACK_H
#define STOA_HDF_UNPACK_H

#include <stdbool.h>
#include <stdint.h>

#include "codec/pipeline.h"
#include "core/threads.h"
#include "hdf/ids.h"

typedef enum stoa_unpacked {
    STOA_UNPACKED_WHOLE, /* has its full length, or has a filter that is not one of libhdf5's own */
    STOA_UNPACKED_SHORT, /* shorter, missing or damaged */
    STOA_UNPACKED_HUGE,  /* more bytes than a valid chunk can have; its length is not found out */
    STOA_UNPACKED_UNKNOWN /* the order of filters hides its length */
} stoa_unpacked;

/* A chunk as stored in the file. */
typedef struct stoa_loaded_chunk {
    uint8_t *bytes;   /* NULL if there is no chunk or it cannot be read */
    uint64_t n_bytes; /* 0 if it was never written */
    uint32_t mask;    /* bit i: filter i was skipped */
    bool is_huge;     /* stoa_chunk_is_huge(); it is not read */
} stoa_loaded_chunk;

/* Whether a filtered chunk has more bytes than filters make of its rows. */
bool stoa_chunk_is_huge(uint64_t n_stored, uint64_t chunk_bytes);

/* Load the chunk at `offset` (one number per dimension), which has `chunk_bytes` decoded. The
 * caller frees its bytes. Fails only if memory runs out. */
stoa_status stoa_chunk_load(hid_t dataset, hid_t dcpl, const hsize_t *offset, uint64_t chunk_bytes,
                            stoa_loaded_chunk *chunk, stoa_error *err);

/* Make libhdf5 look up a chunk in the index, so that it forgets the one that it looked up last.
 * Fails only if memory runs out. */
stoa_status stoa_chunk_look_up(hid_t dataset, hid_t dcpl, const hsize_t *offset,
                               uint64_t chunk_bytes, stoa_error *err);

/* Check the chunk at `offset` (one number per dimension) of a chunked dataset with these creation
 * properties, which has `chunk_bytes` decoded. Fails only if memory runs out. */
stoa_status stoa_chunk_unpacks(hid_t dataset, hid_t dcpl, const hsize_t *offset,
                               uint64_t chunk_bytes, stoa_unpacked *unpacked, stoa_error *err);

/* Check a chunk before libhdf5 reads it or writes a part of it. `chunk_rows` is its extent in the
 * first dimension. STOA_EDATA if it exists and is not STOA_UNPACKED_WHOLE. */
stoa_status stoa_chunk_check(hid_t dataset, hid_t dcpl, const hsize_t *offset, hsize_t chunk_rows,
                             uint64_t chunk_bytes, stoa_error *err);

/* Whether libhdf5's own filters are set up for chunks of this size. They encode as many bytes as
 * their parameters say, even past the end of a shorter chunk. */
bool stoa_filters_fit(hid_t dcpl, uint64_t chunk_bytes);

/*
 * Decode a chunk of such a dataset without libhdf5's filters.
 *
 * @param workers  whose lock guards libhdf5; NULL: no other thread runs
 * @param[out] bytes  in the scratch; NULL if the chunk was never written
 * @return STOA_EDATA if it does not decode to the size of its rows
 */
stoa_status stoa_chunk_decode(hid_t dataset, hid_t dcpl, const hsize_t *offset,
                              const stoa_pipeline *pipeline, stoa_scratch *scratch,
                              stoa_workers *workers, const uint8_t **bytes, stoa_error *err);

/* How scale-offset packed a chunk of floats. */
typedef enum stoa_float_packing {
    STOA_FLOATS_OTHERWISE, /* not at all */
    STOA_FLOATS_EXACT,     /* by Stoa, without loss */
    STOA_FLOATS_ROUNDED    /* by libhdf5, which rounds */
} stoa_float_packing;

/* Tell how the chunk at `offset` is packed, of a dataset whose first filter is scale-offset. Fails
 * only if memory runs out. */
stoa_status stoa_chunk_float_packing(hid_t dataset, hid_t dcpl, const hsize_t *offset,
                                     const stoa_pipeline *pipeline, stoa_scratch *scratch,
                                     stoa_float_packing *packing, stoa_error *err);

#endif
