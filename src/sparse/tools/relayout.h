/*
 * Datasets that change their storage while the file is rewritten: to or from structured chunks,
 * with another chunk shape or other filters (sparse RFC §4.6).
 *
 * Defined elements of a sparse array stay defined, explicit fill values included. In a dense
 * dataset every element is defined, unless a list or a value says which are not.
 */
#ifndef STOA_SPARSE_RELAYOUT_H
#define STOA_SPARSE_RELAYOUT_H

#include <stoa/progress.h>

#include "hdf/copy/clone.h"
#include "sparse/format/format.h"
#include "sparse/tools/regions.h"

typedef enum stoa_new_layout {
    STOA_LAYOUT_AS_IS,
    STOA_LAYOUT_SPARSE,
    STOA_LAYOUT_CHUNKED,
    STOA_LAYOUT_CONTIGUOUS,
    STOA_LAYOUT_COMPACT
} stoa_new_layout;

/* The new storage of one dataset. */
typedef struct stoa_relayout {
    char *path;
    H5O_token_t token; /* set by stoa_relayout_resolve() */
    stoa_new_layout layout;
    unsigned rank; /* of the chunk; 0 if no chunk shape was given */
    hsize_t chunk[H5S_MAX_RANK];
    bool has_filters[STOA_MAX_SECTIONS]; /* use `filters`, not the source's; section 1 if dense */
    stoa_section_filters filters[STOA_MAX_SECTIONS];
} stoa_relayout;

/* The new storage of the datasets of a file. */
typedef struct stoa_relayouts {
    const char *file; /* its name, for messages */
    stoa_relayout *items;
    size_t n;
    const stoa_regions
        *defined; /* the defined elements of datasets that become sparse; NULL if not given */
    const char *exclude; /* elements with this value, given as text, become undefined; or NULL */
    const stoa_listener *listener;
} stoa_relayouts;

/*
 * Find the datasets in a file and check the request for each.
 *
 * @return STOA_ENOTFOUND, STOA_EINVAL, STOA_ETYPE or STOA_ERANGE; the error names the dataset
 */
stoa_status stoa_relayout_resolve(stoa_relayouts *all, hid_t file, stoa_error *err);

/* For stoa_hdf_repack() of the file in which they were resolved. `all` must stay at its address. */
stoa_other_storage stoa_relayout_storage(stoa_relayouts *all);

#endif
