/* A table for tests that edit rows. */
#ifndef STOA_TESTS_TABLE_EDITED_H
#define STOA_TESTS_TABLE_EDITED_H

#include <string.h>

#include "table/kit.h"

/* i int8, x float32, s strings, c categories, b bool, t times; the third row is missing. */
batch sample(void);
/* Write sample() to /t: chunks of four rows, indexes on i, s, t. `contiguous`: x cannot grow. */
stoa_table *sample_table(hid_t file, bool contiguous);
void expect_as_made(stoa_table *table);
/* Close both; before the file is closed, the checker must find no fault. */
void close_table(stoa_table *table, hid_t file);

/* Set one column, or delete rows; returns the number of rows that changed. */
uint64_t update(stoa_table *table, const char *where, const char *column, const char *value);
uint64_t delete_rows(stoa_table *table, const char *where);
/* Check that setting the column in every row fails, with `part` in the message. */
void refuse_update(stoa_table *table, const char *column, const char *value, stoa_status expected,
                   const char *part);

typedef stoa_status (*edit_call)(stoa_table *table, const stoa_edit_options *options,
                                 stoa_error *err);
/* The edit of table /t of a file that Stoa opens, with its n-th read refused; whether one was. */
bool edit_with_read_refused(const char *path, edit_call edit, uint64_t n, stoa_status *status,
                            stoa_error *err);

unsigned n_indexes(const stoa_table *table);
uint64_t extent(stoa_table *table, const char *column);
/* The token of the object at a path. */
H5O_token_t token_of(hid_t file, const char *path);

#define CHECK_SAME_OBJECT(a, b) CHECK(memcmp(&(a), &(b), sizeof(H5O_token_t)) == 0)
#define CHECK_OTHER_OBJECT(a, b) CHECK(memcmp(&(a), &(b), sizeof(H5O_token_t)) != 0)

#endif
