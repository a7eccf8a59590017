/*
 * Filters whose parameters depend on the section that they are of: upstream's class of filters with
 * a set_local() that is told of it (stoa/h5sparse.h, H5Z_class3_t).
 */
#ifndef STOA_SPARSE_SECTION_CLASS_H
#define STOA_SPARSE_SECTION_CLASS_H

#include "hdf/hdf5.h"
#include "sparse/format.h"

/* Let such filters of a list's sections set their parameters for a dataset; each does so by the
 * list. `format`: the list's. */
stoa_status stoa_section_classes_set_local(hid_t dcpl, hid_t type, const stoa_sparse_format *format,
                                           stoa_error *err);

#endif
