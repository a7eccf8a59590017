/*
 * Put this directory before HDF5's own (-I.../include/stoa/compat), and sources that say
 * #include "hdf5.h" alone find the names of the sparse RFC there (stoa/h5sparse.h, docs/sparse.md).
 */
#ifndef STOA_COMPAT_HDF5_H
#define STOA_COMPAT_HDF5_H

#if defined(__GNUC__)
#pragma GCC system_header /* #include_next is no ISO C */
#endif

#include_next <hdf5.h>
#include <stoa/h5sparse.h>

#endif
