/* Looking at a dataset before libhdf5 reads it. */
#ifndef STOA_HDF_CHUNKS_H
#define STOA_HDF_CHUNKS_H

#include <stdint.h>

#include <stdbool.h>

#include "hdf/ids.h"

/* STOA_EDATA where libhdf5 1.14 would read or write past the end of a chunk of the dataset, or of
 * its fill value; see guard.h. */
stoa_status stoa_chunks_check(hid_t dataset, stoa_error *err);

/* Whether a chunk takes up more bytes in the file than its elements do, as checksums and damage
 * make it; false where a dataset has no chunks. */
stoa_status stoa_chunks_outgrow(hid_t dataset, bool *outgrow, stoa_error *err);

#endif
