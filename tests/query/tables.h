/* Tables in files in memory, and queries of them, for the tests of this folder. */
#ifndef STOA_TESTS_QUERY_TABLES_H
#define STOA_TESTS_QUERY_TABLES_H

#include <hdf5.h>
#include <stoa/stoa.h>

#include "support/batches.h"

/* A table at /t in a file that is never written to disk. */
typedef struct home {
    hid_t file;
    stoa_table *table;
} home;

/* Write the batch, which is taken over, in chunks of `chunk_rows`, with indexes on the named
 * columns. */
home home_of(batch *b, uint64_t chunk_rows, const char *const *indexed, size_t n_indexed);
/* The same in a file of this name in the test's directory, opened for reading. */
home home_on_disk(const char *name, batch *b, const stoa_table_options *options);
void home_leave(home *h);

/* The result as text: rows "a b c" separated by " | "; or the error's message. A static buffer. */
const char *ask(home *h, const stoa_query_options *options, int64_t limit);
/* The plan after the run. A static buffer. */
const char *explain(home *h, const stoa_query_options *options, int64_t limit);

#define OPTIONS(...) (&(stoa_query_options){.size = sizeof(stoa_query_options), __VA_ARGS__})
#define ASK(h, ...) ask((h), OPTIONS(__VA_ARGS__), -1)
#define ASK_FIRST(limit, h, ...) ask((h), OPTIONS(__VA_ARGS__), limit)
#define EXPLAIN(h, ...) explain((h), OPTIONS(__VA_ARGS__), -1)
#define EXPLAIN_FIRST(limit, h, ...) explain((h), OPTIONS(__VA_ARGS__), limit)

#endif
