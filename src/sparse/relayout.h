/*
 * Datasets that get another storage while their file is written anew: from and to structured
 * chunks, in other chunks, through other filters (sparse RFC §4.6).
 *
 * What is defined in a sparse array stays so, explicit fill values too. Of a dense one every
 * element is, unless a list or a value says which are not.
 */
#ifndef STOA_SPARSE_RELAYOUT_H
#define STOA_SPARSE_RELAYOUT_H

#include <stoa/progress.h>

#include "hdf/clone.h"
#include "sparse/format.h"
#include "sparse/regions.h"

typedef enum stoa_new_layout {
    STOA_LAYOUT_AS_IS,
    STOA_LAYOUT_SPARSE,
    STOA_LAYOUT_CHUNKED,
    STOA_LAYOUT_CONTIGUOUS,
    STOA_LAYOUT_COMPACT
} stoa_new_layout;

/* What becomes of one dataset. */
typedef struct stoa_relayout {
    char *path;
    H5O_token_t token; /* by stoa_relayout_resolve() */
    stoa_new_layout layout;
    unsigned rank; /* of the chunk; 0: no chunk was given */
    hsize_t chunk[H5S_MAX_RANK];
    bool has_filters[STOA_MAX_SECTIONS]; /* these; else those it has. A dense one has section 1's */
    stoa_section_filters filters[STOA_MAX_SECTIONS];
} stoa_relayout;

/* What becomes of a file. */
typedef struct stoa_relayouts {
    const char *file; /* its name, for messages */
    stoa_relayout *items;
    size_t n;
    const stoa_regions *defined; /* what is defined in those that become sparse; NULL: not told */
    const char *exclude;         /* a value that is not, as text; NULL: none */
    const stoa_listener *listener;
} stoa_relayouts;

/*
 * Find the datasets in a file, and test what is asked of each.
 *
 * @return STOA_ENOTFOUND, STOA_EINVAL, STOA_ETYPE, STOA_ERANGE, with place of the dataset
 */
stoa_status stoa_relayout_resolve(stoa_relayouts *all, hid_t file, stoa_error *err);

/* For stoa_hdf_repack() of the file that they were resolved in; `all` stays where it is. */
stoa_other_storage stoa_relayout_storage(stoa_relayouts *all);

#endif
