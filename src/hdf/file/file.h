/* Internal functions of stoa_file, besides the public ones. */
#ifndef STOA_HDF_FILE_H
#define STOA_HDF_FILE_H

#include <stoa/file.h>

#include "hdf/ids.h"

/* Create a file with the creation properties `creation` and the user block of `like`, in the manner
 * of STOA_FILE_CREATE. Without a `name` it replaces `like` at its commit. Then `like` must be open
 * for editing, so that it is locked, and be closed after that commit. */
stoa_status stoa_file_create_like(const stoa_file *like, const char *name, hid_t creation,
                                  stoa_file **out, stoa_error *err);

/* stoa_file_open_with(), with the whole file under a VOL connector, which is borrowed.
 * H5I_INVALID_HID: libhdf5's default connector. */
stoa_status stoa_file_open_under(const char *name, stoa_file_mode mode, hid_t connector,
                                 const stoa_file_options *options, stoa_file **out,
                                 stoa_error *err);

/* stoa_file_open(), but new objects, and the file if it is new, use the oldest formats that can
 * hold them. Then groups list their members in the order of names (Arkouda notes §J.4).
 * stoa_file_create_like() of such a file does the same. */
stoa_status stoa_file_open_oldest(const char *name, stoa_file_mode mode,
                                  const stoa_file_options *options, stoa_file **out,
                                  stoa_error *err);

/* stoa_file_lock(), but a file that has changed is not reopened: it stays at rest. */
stoa_status stoa_file_lock_same(stoa_file *file, bool *same, stoa_error *err);

/* The first step of committing a new file or a copy: everything that may need disk space.
 * stoa_file_commit() then only gives it its name. So files that belong together are all settled
 * before the first of them is published. The file's id is closed. */
stoa_status stoa_file_settle(stoa_file *file, stoa_error *err);

#endif
