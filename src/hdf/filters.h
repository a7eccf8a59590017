/* A dataset's filters as src/codec takes them. */
#ifndef STOA_HDF_FILTERS_H
#define STOA_HDF_FILTERS_H

#include "codec/pipeline.h"
#include "hdf/ids.h"

/* Of one-dimensional chunks of so many rows, in a dataset with these creation properties; false
 * where src/codec does not know all of its filters. No filter at all is known. */
bool stoa_pipeline_of(hid_t dcpl, size_t element_size, uint64_t chunk_rows,
                      stoa_pipeline *pipeline);

#endif
