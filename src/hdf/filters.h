/* A dataset's filters as src/codec takes them. */
#ifndef STOA_HDF_FILTERS_H
#define STOA_HDF_FILTERS_H

#include "codec/pipeline.h"
#include "hdf/ids.h"

/* Of a one-dimensional chunked dataset with these creation properties, whose elements are of the
 * stored datatype `type`. False where there are more filters, or longer client data, than
 * stoa_pipeline has room for; whether src/codec knows them is for stoa_pipeline_is_known() to say.
 */
bool stoa_pipeline_of(hid_t dcpl, hid_t type, stoa_pipeline *pipeline);

#endif
