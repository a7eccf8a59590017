/* Filter fallbacks: filters of src/codec that are registered with libhdf5. It needs them for
 * variable-length lists and strings, which only libhdf5 reads. */
#ifndef STOA_HDF_FILTER_FALLBACK_H
#define STOA_HDF_FILTER_FALLBACK_H

#include "core/error.h"
#include "hdf/ids.h"

/*
 * If libhdf5 lacks a filter of these creation properties and src/codec can decode it, register it.
 * Like a plugin, it stays registered while libhdf5 is loaded. The program's own datasets can be
 * read with it, but not written. libstoa.so is never unloaded.
 *
 * libhdf5 1.14 does not check whether a chunk decodes to all of its rows. Check chunks before
 * libhdf5 reads them (vlen_check.h).
 */
stoa_status stoa_filter_fallback_for(hid_t dcpl, stoa_error *err);

/* Whether libhdf5, with the plugins that it finds, can decode a filter without Stoa. */
bool stoa_filter_is_installed(uint32_t id);

#endif
