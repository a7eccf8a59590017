/* The library state that libhdf5 requires around calls below a connector, for calls that do not
 * come from libhdf5. */
#ifndef STOA_SPARSE_LIBRARY_H
#define STOA_SPARSE_LIBRARY_H

#include "hdf/hdf5.h"

#if H5_VERSION_GE(2, 0, 0)
typedef void *stoa_library_state;

static inline herr_t stoa_library_enter(stoa_library_state *state)
{
    *state = NULL;
    return H5VLopen_lib_context(state);
}

static inline void stoa_library_leave(stoa_library_state state)
{
    (void)H5VLclose_lib_context(state);
}
#else
typedef int stoa_library_state;

static inline herr_t stoa_library_enter(stoa_library_state *state)
{
    *state = 0;
    return H5VLstart_lib_state();
}

static inline void stoa_library_leave(stoa_library_state state)
{
    (void)state;
    (void)H5VLfinish_lib_state();
}
#endif

#endif
