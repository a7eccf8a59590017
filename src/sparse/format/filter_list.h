/* Conversion of the filters of ordinary creation property lists to filters of sections. */
#ifndef STOA_SPARSE_FILTER_LIST_H
#define STOA_SPARSE_FILTER_LIST_H

#include "hdf/hdf5.h"
#include "sparse/format/format.h"

/* Append all filters of a list except ours to the filters of a section. */
stoa_status stoa_sparse_filters_of_list(hid_t list, stoa_section_filters *filters, stoa_error *err);

/* Put the filters of a section at the end of an ordinary list. */
stoa_status stoa_sparse_filters_to_list(hid_t list, const stoa_section_filters *filters,
                                        stoa_error *err);

/* Move filters that HDF5's own calls put on a structured list to the end of the first `n_sections`
 * (sparse RFC §2.3.3). Ours is then the only filter of the list (sparse fact sheet §2.5). */
stoa_status stoa_sparse_fold(hid_t dcpl, stoa_sparse_format *format, unsigned n_sections,
                             stoa_error *err);

#endif
