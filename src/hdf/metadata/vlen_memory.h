/* Variable-length elements in memory. libhdf5 may represent empty ones by NULL. */
#ifndef STOA_HDF_VLEN_MEMORY_H
#define STOA_HDF_VLEN_MEMORY_H

#include <string.h>

#include "hdf/hdf5.h"

static inline const char *stoa_vlen_string(const void *value)
{
    const char *text;

    memcpy(&text, value, sizeof text);
    return text != NULL ? text : "";
}

static inline hvl_t stoa_vlen_sequence(const void *value)
{
    hvl_t sequence;

    memcpy(&sequence, value, sizeof sequence);
    if (sequence.p == NULL) {
        sequence.len = 0;
    }
    return sequence;
}

#endif
