/*
 * Datasets with filtered chunks, read without believing that a chunk is as long as its rows.
 *
 * Chunks whose filters src/codec knows are unpacked here, which costs no more than libhdf5 takes
 * for it. Others are unpacked once to know their length (unpack.h) before libhdf5 unpacks them for
 * good.
 */
#ifndef STOA_HDF_PACKED_H
#define STOA_HDF_PACKED_H

#include <stdbool.h>
#include <stdint.h>

#include "codec/pipeline.h"
#include "hdf/ids.h"

typedef struct stoa_packed {
    hid_t dataset; /* borrowed */
    hid_t dcpl;
    hid_t type;
    int rank;
    hsize_t chunk[H5S_MAX_RANK];
    uint64_t chunk_bytes; /* unpacked; 0: no chunk is looked at */
    bool is_ours;         /* one-dimensional, plain elements, a pipeline that src/codec knows */
    bool is_ours_alone;   /* that libhdf5 lacks a filter of */
    stoa_pipeline pipeline;
    stoa_scratch scratch;
    uint64_t *looked;  /* numbers of chunks, counted from 1, that have the right length */
    bool is_read_only; /* nobody writes to the file, so that a chunk may be kept */
    uint8_t *kept;     /* the chunk that was unpacked last, or NULL */
    uint64_t kept_number;
} stoa_packed;

/* Whether elements of a stored datatype are their bytes alone: what H5Tconvert() makes of them. */
bool stoa_type_is_plain(hid_t type);

#define STOA_PACKED_INIT                                                                           \
    {                                                                                              \
        .dcpl = H5I_INVALID_HID, .type = H5I_INVALID_HID                                           \
    }

/* Look at everything but the insides of chunks (stoa_chunks_check). Start from STOA_PACKED_INIT;
 * close after a failure as well, and before the dataset. */
stoa_status stoa_packed_open(stoa_packed *packed, hid_t dataset, stoa_error *err);
void stoa_packed_close(stoa_packed *packed);

/* Make sure that libhdf5 may read the box of `count` elements from `start` on. STOA_EDATA where a
 * chunk in it is too short, or filters are in an order that hides it. */
stoa_status stoa_packed_look(stoa_packed *packed, const hsize_t *start, const hsize_t *count,
                             stoa_error *err);
/* Read rows [first, first + count) of a one-dimensional dataset as elements of `mem_type`. */
stoa_status stoa_packed_read(stoa_packed *packed, hid_t mem_type, uint64_t first, uint64_t count,
                             void *out, stoa_error *err);

/* The same for one look at a dataset that was checked and is not read often. */
stoa_status stoa_chunks_look(hid_t dataset, const hsize_t *start, const hsize_t *count,
                             stoa_error *err);

#endif
