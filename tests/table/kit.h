/* Tables made from batches, for the tests of this folder. */
#ifndef STOA_TESTS_TABLE_KIT_H
#define STOA_TESTS_TABLE_KIT_H

#include <hdf5.h>
#include <stoa/stoa.h>

#include "support/batches.h"
#include "support/check.h"

/* Create an empty file for this test. */
hid_t new_file(void);
/* Create another file next to it. */
hid_t other_file(hid_t file);
/* Write the batches as a table. They are taken over. */
void write_batches(hid_t file, const char *path, batch *batches, size_t n,
                   const stoa_table_options *options);
stoa_table *open_table(hid_t file, const char *path);
/* Append one batch or several. They are taken over. */
stoa_status append(stoa_table *table, batch *b, stoa_error *err);
stoa_status append_all(stoa_table *table, batch *batches, size_t n, stoa_error *err);
/* Check that no MUST of the specification is violated, also in the indexes. */
void check_conformant(hid_t file, const char *path);

/* Check that the rows of a column, formatted by value_text(), are these texts. */
void expect(stoa_table *table, const char *name, const char *const *texts, size_t n);
#define EXPECT(table, name, ...)                                                                   \
    do {                                                                                           \
        const char *const texts_[] = {__VA_ARGS__};                                                \
        expect((table), (name), texts_, sizeof texts_ / sizeof texts_[0]);                         \
    } while (0)

#endif
