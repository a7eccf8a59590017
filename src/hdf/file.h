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

/* As stoa_file_open(), with everything in the file under a VOL connector, borrowed;
 * H5I_INVALID_HID: the one that libhdf5 takes by default. */
stoa_status stoa_file_open_under(const char *name, stoa_file_mode mode, hid_t connector,
                                 stoa_file **out, stoa_error *err);

#endif
