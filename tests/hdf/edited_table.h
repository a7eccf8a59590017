/* A typical append, for tests that count its operations: rows for a table with three indexes. */
#ifndef STOA_TESTS_HDF_EDITED_TABLE_H
#define STOA_TESTS_HDF_EDITED_TABLE_H

#include <hdf5.h>
#include <stdbool.h>

/* Create /t with 20,000 rows in chunks of 2,048: integers, floats, categories and times. */
bool edited_table_make(const char *path, H5F_libver_t low, hsize_t user_block);
/* Append 9,000 rows, or 100,000, with new categories. */
bool edited_table_append(hid_t file);
bool edited_table_append_many(hid_t file);

#endif
