/* A dataset's filters as src/codec takes them. */
#ifndef STOA_HDF_FILTERS_H
#define STOA_HDF_FILTERS_H

#include "codec/pipeline.h"
#include "hdf/ids.h"

/* Of one-dimensional chunks of so many rows, in a dataset with these creation properties; false
 * where src/codec does not know all of its filters. No filter at all is known. */
bool stoa_pipeline_of(hid_t dcpl, size_t element_size, uint64_t chunk_rows,
                      stoa_pipeline *pipeline);

/* The i-th filter as people write it: "shuffle", "deflate:4", "scaleoffset", or its registered
 * name. */
void stoa_filter_words(hid_t dcpl, unsigned i, char *word, size_t size);

/* Whether libhdf5 lacks a filter of these creation properties, and its name (a `size` of 0: not
 * asked for). Those that it was lent
 * (lent_filters.h) it has. */
bool stoa_filter_is_lacking(hid_t dcpl, char *word, size_t size);
/* What a read by libhdf5 ends with, `status`: where it failed for want of a filter, the message
 * names that, which libhdf5's own words do not. */
stoa_status stoa_filter_named(hid_t dcpl, stoa_status status, stoa_error *err);

#endif
