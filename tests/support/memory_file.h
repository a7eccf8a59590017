/* Files that exist only in memory. */
#ifndef STOA_TESTS_SUPPORT_MEMORY_FILE_H
#define STOA_TESTS_SUPPORT_MEMORY_FILE_H

#include <hdf5.h>

#include "support/check.h"

/* Create a file in the earliest format, which the caller closes. `is_kept`: it is written to disk
 * on close. */
static inline hid_t memory_file(const char *name, bool is_kept)
{
    const hid_t fapl = CHECK_H5(H5Pcreate(H5P_FILE_ACCESS));

    CHECK_H5(H5Pset_fapl_core(fapl, 1 << 14, is_kept));
    CHECK_H5(H5Pset_libver_bounds(fapl, H5F_LIBVER_EARLIEST, H5F_LIBVER_LATEST));
    const hid_t file = CHECK_H5(H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, fapl));
    CHECK_H5(H5Pclose(fapl));
    return file;
}

#endif
