/* The extent of a dataset as text. */
#ifndef STOA_LAYOUT_EXTENT_H
#define STOA_LAYOUT_EXTENT_H

#include "core/memory.h"
#include "hdf/ids.h"

/* Append "13 x 10", or "scalar" for rank 0. */
stoa_status stoa_extent_print(hid_t dataset, stoa_buffer *out, stoa_error *err);

#endif
