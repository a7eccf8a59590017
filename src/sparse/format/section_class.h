/*
 * Filters whose parameters depend on their section: the RFC's filter class with a set_local() that
 * receives the section (stoa/h5sparse.h, H5Z_class3_t).
 */
#ifndef STOA_SPARSE_SECTION_CLASS_H
#define STOA_SPARSE_SECTION_CLASS_H

#include "hdf/hdf5.h"
#include "sparse/format/format.h"

/* Call set_local() of such filters in the sections of a list, for a new dataset. Each sets its
 * parameters on the list. `format` is the list's. */
stoa_status stoa_section_classes_set_local(hid_t dcpl, hid_t type, const stoa_sparse_format *format,
                                           stoa_error *err);

#endif
