/* Arrow data for tests: columns of C arrays, streams of batches. */
#ifndef STOA_TESTS_BATCHES_H
#define STOA_TESTS_BATCHES_H

#include "arrow/build.h"
#include "arrow/read.h"
#include "support/check.h"

/* A batch under construction: a struct schema and its array. */
typedef struct batch {
    struct ArrowSchema schema;
    struct ArrowArray array;
    int64_t n_columns;
} batch;

/* An empty struct of n columns and `length` rows. */
batch batch_begin(int64_t n_columns, int64_t length);
/* Column i: integers of any kind from int64 values; validity NULL: all valid. `format` as Arrow has
 * it
 * ("c", "L", "tsm:UTC", "tdD", "b"). */
void batch_integers(batch *b, int64_t i, const char *name, const char *format,
                    const int64_t *values, const bool *valid);
void batch_floats(batch *b, int64_t i, const char *name, const char *format, const double *values,
                  const bool *valid);
/* NULL strings are missing. */
void batch_strings(batch *b, int64_t i, const char *name, const char *const *values);
/* Dictionary-encoded, labels in order of appearance. */
void batch_categories(batch *b, int64_t i, const char *name, const char *const *values);
/* Lists of the items of a batch of one column, which is used up: the first lengths[0] of them, and
 * so on. Missing ones have a length too. `format` is "+l", "+L" or "+w:N". */
void batch_lists(batch *b, int64_t i, const char *name, const char *format, batch *items,
                 const int64_t *lengths, const bool *valid);
void batch_end(batch *b);

/* A stream over batches of one schema; takes them over. */
void stream_of(batch *batches, size_t n, struct ArrowArrayStream *stream);

/* One value as text: "null", digits, "nan", or the string in quotes. Static buffers, used in turn.
 */
const char *value_text(const stoa_view *view, int64_t i);

#endif
