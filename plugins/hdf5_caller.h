/*
 * libhdf5 found at run time: the one that calls the plugin, whichever version it is.
 *
 * A process may hold several copies of libhdf5, and each may load the plugin. Python's packages
 * load theirs under names of their own, with symbols that other libraries cannot see. So the plugin
 * is linked with none. Each entry point passes its return address, which lies in the libhdf5 that
 * called it; that object's functions and ids are used until the entry point returns.
 *
 * Invariants
 *  1. Between begin and end no other thread is in the plugin. So calls of worker threads, too, go
 * to the libhdf5 of the entry point.
 *  2. A function that the libhdf5 does not have fails, as one of HDF5 fails.
 */
#ifndef STOA_HDF5_CALLER_H
#define STOA_HDF5_CALLER_H

#include <stdbool.h>

/* Find the libhdf5 that `address` lies in, before its first call of an entry point. False if that
 * object does not show HDF5's functions. */
bool stoa_hdf5_caller_find(const void *address);

/* Use the libhdf5 of `address` until the end. An address of no known one means the first. */
void stoa_hdf5_caller_begin(const void *address);
void stoa_hdf5_caller_end(void);

#endif
