/* The extent of a dataset in words. */
#ifndef STOA_LAYOUT_EXTENT_H
#define STOA_LAYOUT_EXTENT_H

#include "core/memory.h"
#include "hdf/ids.h"

/* "13 x 10", appended; "scalar" where it has none. */
stoa_status stoa_extent_print(hid_t dataset, stoa_buffer *out, stoa_error *err);

#endif
