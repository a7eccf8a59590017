/* Filters for libhdf5, which has to read what lies in its heaps: lists and strings of any length.
 */
#ifndef STOA_HDF_LENT_FILTERS_H
#define STOA_HDF_LENT_FILTERS_H

#include "core/error.h"
#include "hdf/ids.h"

/* Where a dataset with these creation properties is packed by a filter that libhdf5 lacks and
 * src/codec can undo, lend it that. It stays for as long as libhdf5 is loaded, as a plugin does:
 * the program's own datasets are read by it, too, but not written. libstoa.so is never unloaded.
 *
 * libhdf5 1.14 does not ask whether a chunk unpacks to all of its rows: look at chunks before it
 * reads them (lengths.h). */
stoa_status stoa_filters_lend(hid_t dcpl, stoa_error *err);

/* Whether libhdf5, with the plugins that it finds, undoes a filter without Stoa. */
bool stoa_filter_is_installed(uint32_t id);

#endif
