/* Shared by the RFC's API (stoa/h5sparse.h): creation property lists. */
#ifndef STOA_SPARSE_RFC_H
#define STOA_SPARSE_RFC_H

#define STOA_H5SPARSE_DECLARATIONS_ONLY
#include <stoa/h5sparse.h>

#include "hdf/ids.h"
#include "sparse/format/filter.h"
#include "sparse/format/rfc_result.h"

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
