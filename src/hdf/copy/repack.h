/* Rewrites a whole file. */
#ifndef STOA_HDF_REPACK_H
#define STOA_HDF_REPACK_H

#include <stoa/file.h>
#include <stoa/progress.h>

#include "hdf/copy/clone.h"

/* The part of stoa_file_repack() (<stoa/edit.h>) that does not know about tables. `other`,
 * `patience` and `stamp` (see stoa_file_commit_stamped()) may be NULL. */
stoa_status stoa_hdf_repack(const char *from, const char *to, const stoa_other_storage *other,
                            const stoa_file_patience *patience, const stoa_listener *listener,
                            char **stamp, stoa_error *err);

/* Bytes of an open file that its datasets do not take up. `is_known` is false if some of them have
 * values of variable length, which libhdf5 keeps where it cannot count them. */
stoa_status stoa_hdf_unused(hid_t file, uint64_t *n_unused, bool *is_known, stoa_error *err);

#endif
