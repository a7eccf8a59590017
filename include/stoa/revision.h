/* The revisions of HEP001. */
#ifndef STOA_REVISION_H
#define STOA_REVISION_H

#include <stoa/error.h>

STOA_BEGIN_DECLS

/** A revision of HEP001. VERSION is 1.0 in each of them. */
typedef enum stoa_revision {
    STOA_REVISION_TOLD = 0, /**< none in particular: what the table tells */
    STOA_REVISION_2026_06 = 1,
    STOA_REVISION_2026_07 = 2
} stoa_revision;

/** The name of a revision, such as "2026-06"; NULL for STOA_REVISION_TOLD. */
STOA_API const char *stoa_revision_name(stoa_revision revision);

STOA_END_DECLS

#endif
