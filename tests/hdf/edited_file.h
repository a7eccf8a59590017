/* A file, an edit of it, and a digest of its contents. The crash tests compare digests. */
#ifndef STOA_TESTS_HDF_EDITED_FILE_H
#define STOA_TESTS_HDF_EDITED_FILE_H

#include <hdf5.h>
#include <stdbool.h>
#include <stdint.h>

/* Create the file as another program would: chunked datasets with and without deflate, a contiguous
 * one, variable-length strings, groups, and dozens of attributes. False if libhdf5 refused
 * something. */
bool edited_file_make(const char *path, H5F_libver_t low, hsize_t user_block);

/* Edit the whole file: extend datasets, overwrite whole and partial chunks, add and unlink groups,
 * change and add attributes. */
bool edited_file_edit(hid_t file);

/* Edit as an append does: add rows in new chunks to two datasets, and record their number. */
bool edited_file_append(hid_t file);

/* Hash every name, shape, value and attribute; false if something cannot be read. Prints
 * nothing. */
bool edited_file_digest(hid_t file, uint64_t *digest);

#endif
