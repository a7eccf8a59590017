/* What the rest of Stoa may do with a stoa_file, besides what everybody may. */
#ifndef STOA_HDF_FILE_H
#define STOA_HDF_FILE_H

#include <stoa/file.h>

#include "hdf/ids.h"

/*
 * A new file with the creation properties `creation` and the user block of `like`, as
 * STOA_FILE_CREATE makes one. Without a `name` it takes the place of `like` at its commit; `like`
 * must then be open to edit, so that it is locked, and be closed after that commit.
 */
stoa_status stoa_file_create_like(const stoa_file *like, const char *name, hid_t creation,
                                  stoa_file **out, stoa_error *err);

/* As stoa_file_open_with(), with everything in the file under a VOL connector, borrowed;
 * H5I_INVALID_HID: the one that libhdf5 takes by default. */
stoa_status stoa_file_open_under(const char *name, stoa_file_mode mode, hid_t connector,
                                 const stoa_file_options *options, stoa_file **out,
                                 stoa_error *err);

/* As stoa_file_open(); what is made in the file, and the file if it is new, has the oldest formats
 * that hold it: groups list their members in the order of names (Arkouda notes §J.4). A file made
 * like it (above) is of the same kind. */
stoa_status stoa_file_open_oldest(const char *name, stoa_file_mode mode,
                                  const stoa_file_options *options, stoa_file **out,
                                  stoa_error *err);

/* As stoa_file_wake(), but a file that has changed is not opened anew: it rests on. */
stoa_status stoa_file_wake_same(stoa_file *file, bool *same, stoa_error *err);

/*
 * The first step of the commit of a file that is new, or a copy: everything that takes room on the
 * disk. What is left to stoa_file_commit() is to give it its name: files that belong together are
 * all settled before the first of them is published. Its id is closed.
 */
stoa_status stoa_file_settle(stoa_file *file, stoa_error *err);

#endif
