/* A table to edit, and its contents as read by plain libhdf5. Texts are in static buffers. */
#ifndef STOA_TESTS_TABLE_COLUMNS_KIT_H
#define STOA_TESTS_TABLE_COLUMNS_KIT_H

#include "table/kit.h"

enum { N_ROWS = 6 };

/* i int8, x float32, s strings, c and d categories, t times. The third row is missing in i, s,
 * c. */
batch six_columns(void);
/* six_columns() at "/t", in chunks of 4, with capacity for 10 rows. Row labels i, t, x; indexes on
 * i, s and c. */
stoa_table *edited_table(hid_t file);
/* Check the rows, order and row labels of edited_table(), and its conformance. A failed edit must
 * leave nothing in the handle or in the file. */
void expect_unchanged(stoa_table *table, hid_t file);

/* column-order as one text, separated by spaces. */
const char *order_text(hid_t file, const char *path);
/* A scalar fixed-length UTF-8 attribute; "" if there is none. */
const char *text_of(hid_t file, const char *path, const char *name);
/* Names of the datasets that an attribute refers to. */
const char *targets_text(hid_t file, const char *path, const char *name);
/* Number of links of a group; 0 if there is no such group. */
uint64_t n_links(hid_t file, const char *path);
/* "chunk 4, 1 filters". */
const char *layout_text(hid_t file, const char *path);

/* Check that all indexes of a column match it. */
void expect_verified(stoa_table *table, const char *column);
stoa_status restore(stoa_table *table, const char *column, const char *codec, uint64_t chunk_rows,
                    stoa_error *err);

/* Run an edit with its n-th allocation failing, for every n. The table must be unchanged or
 * edited. */
typedef stoa_status (*edit_of_table)(stoa_table *table, stoa_error *err);
void sweep_edit(edit_of_table edit);

#endif
