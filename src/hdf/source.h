/*
 * What the open datasets of one table share: a descriptor of each file they lie in, and a cache of
 * their chunks. Opened before them and closed after them, by the thread that calls libhdf5.
 */
#ifndef STOA_HDF_SOURCE_H
#define STOA_HDF_SOURCE_H

#include "hdf/chunk_cache.h"
#include "hdf/descriptor.h"

typedef struct stoa_source stoa_source;

stoa_status stoa_source_open(stoa_source **source, stoa_error *err);
void stoa_source_close(stoa_source *source);

/* The descriptor of a dataset's file, which stays the source's; one whose fd is -1 where the
 * dataset must be read by libhdf5. */
stoa_status stoa_source_descriptor(stoa_source *source, hid_t dataset, stoa_descriptor *descriptor,
                                   stoa_error *err);
stoa_chunk_cache *stoa_source_cache(stoa_source *source);

#endif
