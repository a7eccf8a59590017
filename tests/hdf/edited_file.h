/* A file, an edit of it, and a digest of all it says: what the crash tests compare. */
#ifndef STOA_TESTS_HDF_EDITED_FILE_H
#define STOA_TESTS_HDF_EDITED_FILE_H

#include <hdf5.h>
#include <stdbool.h>
#include <stdint.h>

/* Make the file as a stock program would: chunked datasets plain and deflated, a contiguous one,
 * variable-length strings, groups, attributes by the dozen. False if libhdf5 refused something. */
bool edited_file_make(const char *path, H5F_libver_t low, hsize_t user_block);

/* Touch all of it: extend, overwrite whole and partial chunks, add and unlink groups, change and
 * add attributes. */
bool edited_file_edit(hid_t file);

/* What an append does: rows for two datasets, whose chunks are new, and a number that says so. */
bool edited_file_append(hid_t file);

/* Every name, shape, value and attribute in one number; false if something cannot be read. Prints
 * nothing. */
bool edited_file_digest(hid_t file, uint64_t *digest);

#endif
