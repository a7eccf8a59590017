/* LZF for libhdf5, which has to read what lies in its heaps: strings of any length. */
#ifndef STOA_HDF_LZF_FILTER_H
#define STOA_HDF_LZF_FILTER_H

#include "core/error.h"
#include "hdf/ids.h"

/* Where a dataset with these creation properties is packed by LZF and libhdf5 lacks it, lend it
 * Stoa's. It stays for as long as libhdf5 is loaded, as a plugin does. */
stoa_status stoa_lzf_lend(hid_t dcpl, stoa_error *err);

#endif
