/* Shared by the RFC's API (stoa/h5sparse.h): errors in HDF5's way, and creation property lists. */
#ifndef STOA_SPARSE_RFC_H
#define STOA_SPARSE_RFC_H

#define STOA_H5SPARSE_DECLARATIONS_ONLY
#include <stoa/h5sparse.h>

#include "hdf/ids.h"
#include "sparse/format/filter.h"

/* The return value of an HDF5 function: >= 0, or -1 with the error pushed onto libhdf5's error
 * stack. The stack is printed as the program has configured it. */
herr_t stoa_rfc_result(stoa_status status, const stoa_error *err);

/*
 * Change the filters of one section of a structured list, or of all sections (H5_SECTION_NUM).
 *
 * @param edit  changes an ordinary creation property list that holds the section's filters.
 *              STOA_ENOTFOUND is an error only if every section returns it
 */
typedef stoa_status (*stoa_rfc_edit)(hid_t list, const void *what, stoa_error *err);
stoa_status stoa_rfc_edit_sections(stoa_sparse_format *format, uint64_t section, stoa_rfc_edit edit,
                                   const void *what, stoa_error *err);
/* The filters of a section as an ordinary creation property list. The caller closes it. */
stoa_status stoa_rfc_section_list(const stoa_sparse_format *format, uint64_t section, hid_t *list,
                                  stoa_error *err);

#endif
