/*
 * Reads lists as Arrow lists and strings, for every layout that stores them as offsets and values.
 * Rows are read without libhdf5 where their members can be, by any number of threads.
 */
#ifndef STOA_COLUMN_LIST_READER_H
#define STOA_COLUMN_LIST_READER_H

#include "column/column.h"

/* Give a column whose list has open members its type and its source. Call it where libhdf5 may be
 * called. */
stoa_status stoa_list_present(stoa_column *column, stoa_error *err);

/*
 * Make a column of another layout than HEP001 from members, which are consumed in every case.
 *
 * @param list         its `load` is NULL
 * @param[out] column  loaded; the caller owns it until a table takes it over
 */
stoa_status stoa_list_of_members(const char *name, const stoa_list *list, uint64_t n_rows,
                                 stoa_column **column, stoa_error *err);

/* Bytes that lists take up in the file, without their items. */
uint64_t stoa_list_bare_bytes(const stoa_column *column);
/* Whether the members of a list are read as they lie, without decoding chunks. Call it where
 * libhdf5 may be called. */
stoa_status stoa_list_is_unpacked(stoa_column *column, bool *is, stoa_error *err);
/* Bytes of an average row in memory; at least 1. */
uint64_t stoa_list_row_bytes(const stoa_column *column);

#endif
