/* Awkward arrays of AnnData as tables: a column of lists, or a column for each field of records. */
#ifndef STOA_LAYOUT_ANNDATA_AWKWARD_READ_H
#define STOA_LAYOUT_ANNDATA_AWKWARD_READ_H

#include "layout/layout.h"

/* What `encoding-type` says of them. */
#define STOA_AWKWARD_ENCODING "awkward-array"

extern const stoa_layout_class stoa_awkward_arrays;

/* Read how many values an array has. */
stoa_status stoa_awkward_read_length(hid_t group, uint64_t *n, stoa_error *err);

#endif
