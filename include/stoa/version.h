/* Which Stoa, and which HDF5, this process runs with. */
#ifndef STOA_VERSION_H
#define STOA_VERSION_H

#include <stoa/error.h>

STOA_BEGIN_DECLS

/** The library's version, "MAJOR.MINOR.PATCH"; static storage. */
STOA_API const char *stoa_version(void);

STOA_END_DECLS

#endif
