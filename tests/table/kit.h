/* Tables of batches, for the tests of this room. */
#ifndef STOA_TESTS_TABLE_KIT_H
#define STOA_TESTS_TABLE_KIT_H

#include <hdf5.h>
#include <stoa/stoa.h>

#include "support/batches.h"
#include "support/check.h"

/* An empty file of this test's own. */
hid_t new_file(void);
/* One beside it, of another name. */
hid_t other_file(hid_t file);
/* The batches, which are taken over, as a table. */
void write_batches(hid_t file, const char *path, batch *batches, size_t n,
                   const stoa_table_options *options);
stoa_table *open_table(hid_t file, const char *path);
/* Append one batch, or several; they are taken over. */
stoa_status append(stoa_table *table, batch *b, stoa_error *err);
stoa_status append_all(stoa_table *table, batch *batches, size_t n, stoa_error *err);
/* No MUST of the specification is broken, indexes looked into. */
void check_conformant(hid_t file, const char *path);

/* All rows of a column as value_text() says them. */
void expect(stoa_table *table, const char *name, const char *const *texts, size_t n);
#define EXPECT(table, name, ...)                                                                   \
    do {                                                                                           \
        const char *const texts_[] = {__VA_ARGS__};                                                \
        expect((table), (name), texts_, sizeof texts_ / sizeof texts_[0]);                         \
    } while (0)

#endif
