/* What the RFC's API (stoa/h5sparse.h) shares: HDF5's way to fail, and creation lists. */
#ifndef STOA_SPARSE_RFC_H
#define STOA_SPARSE_RFC_H

#define STOA_H5SPARSE_DECLARATIONS_ONLY
#include <stoa/h5sparse.h>

#include "hdf/ids.h"
#include "sparse/filter.h"

/* What a function of HDF5's returns: >= 0, or -1 with the reason in libhdf5's error stack, printed
 * as the program has asked libhdf5 to. */
herr_t stoa_rfc_result(stoa_status status, const stoa_error *err);

/*
 * Change the filters of a section of a structured list, or of all (H5_SECTION_NUM).
 *
 * @param edit  changes an ordinary creation list that has the section's filters as its own;
 *              STOA_ENOTFOUND is a failure only where each section gives it
 */
typedef stoa_status (*stoa_rfc_edit)(hid_t list, const void *what, stoa_error *err);
stoa_status stoa_rfc_edit_sections(stoa_sparse_format *format, uint64_t section, stoa_rfc_edit edit,
                                   const void *what, stoa_error *err);
/* The filters of a section as those of an ordinary list; the caller's. */
stoa_status stoa_rfc_section_list(const stoa_sparse_format *format, uint64_t section, hid_t *list,
                                  stoa_error *err);

#endif
