/* Converts a dataset's filters to a pipeline of src/codec. */
#ifndef STOA_HDF_FILTERS_H
#define STOA_HDF_FILTERS_H

#include "codec/pipeline.h"
#include "hdf/ids.h"

/* The pipeline of one-dimensional chunks of `chunk_rows` rows, from a dataset's creation
 * properties. False if src/codec does not know one of the filters. A dataset without filters is
 * supported. */
bool stoa_pipeline_of(hid_t dcpl, size_t element_size, uint64_t chunk_rows,
                      stoa_pipeline *pipeline);

/* Whether partial chunks at the edge skip all filters (H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS). Their
 * masks do not say so. */
bool stoa_edges_are_unfiltered(hid_t dcpl);

/* The i-th filter as users write it: "shuffle", "deflate:4", "scaleoffset", or its registered
 * name. */
void stoa_filter_words(hid_t dcpl, unsigned i, char *word, size_t size);

/* Whether libhdf5 lacks a filter of these creation properties, and its name. A `size` of 0: the
 * name is not needed. Fallback filters (filter_fallback.h) count as available. */
bool stoa_filter_is_lacking(hid_t dcpl, char *word, size_t size);
#define STOA_USUAL_CHUNK_BYTES (UINT64_C(64) << 20)
/* Whether chunks of that size are unpacked without libhdf5. Larger ones than the usual are left to
 * it, so that a damaged file cannot cause a huge allocation. If it lacks a filter, up to 2 GiB are
 * taken here. PyTables makes chunks of Blosc2 as large as the processor's cache. */
bool stoa_chunk_is_unpacked_here(hid_t dcpl, uint64_t n_bytes);
/* Add the name of a missing filter to the message of a failed read; libhdf5's own message lacks it.
 * `status` is the result of the read, and is returned. */
stoa_status stoa_filter_named(hid_t dcpl, stoa_status status, stoa_error *err);

#endif
