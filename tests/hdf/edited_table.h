/* An append as users make it, for what is counted of it: rows to a table with three indexes. */
#ifndef STOA_TESTS_HDF_EDITED_TABLE_H
#define STOA_TESTS_HDF_EDITED_TABLE_H

#include <hdf5.h>
#include <stdbool.h>

/* 20,000 rows as /t: integers, floats, categories, times; chunks of 2,048 rows. */
bool edited_table_make(const char *path, H5F_libver_t low, hsize_t user_block);
/* Append 9,000 rows, or 100,000; with new categories. */
bool edited_table_append(hid_t file);
bool edited_table_append_many(hid_t file);

#endif
