/* Filters of ordinary creation lists, and those of sections. */
#ifndef STOA_SPARSE_FOLD_H
#define STOA_SPARSE_FOLD_H

#include "hdf/hdf5.h"
#include "sparse/format.h"

/* The filters of a list but ours, added to a section's. */
stoa_status stoa_sparse_filters_of_list(hid_t list, stoa_section_filters *filters, stoa_error *err);

/*
 * Filters that HDF5's own calls put on a structured list become the last of the first `n_sections`
 * (sparse RFC §2.3.3), so that ours is alone again (sparse fact sheet §2.5).
 */
stoa_status stoa_sparse_fold(hid_t dcpl, stoa_sparse_format *format, unsigned n_sections,
                             stoa_error *err);

#endif
