/*
 * Drop-in hdf5.h for programs written for the sparse RFC. Put this directory before HDF5's own
 * (-I.../include/stoa/compat). Sources that only include "hdf5.h" then find the RFC's names
 * (stoa/h5sparse.h, docs/sparse.md).
 */
#ifndef STOA_COMPAT_HDF5_H
#define STOA_COMPAT_HDF5_H

#if defined(__GNUC__)
#pragma GCC system_header /* #include_next is not ISO C */
#endif

#include_next <hdf5.h>
#include <stoa/h5sparse.h>

#endif
