/* Arrow data for tests: columns from C arrays, and streams of batches. */
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

/* Begin a struct of n columns and `length` rows. */
batch batch_begin(int64_t n_columns, int64_t length);
/* Set column i to integers of any kind, given as int64. `format` is Arrow's: "c", "L", "tsm:UTC",
 * "tdD", "b". `valid` NULL: all values are valid. */
void batch_integers(batch *b, int64_t i, const char *name, const char *format,
                    const int64_t *values, const bool *valid);
void batch_floats(batch *b, int64_t i, const char *name, const char *format, const double *values,
                  const bool *valid);
/* A NULL string is a missing value. */
void batch_strings(batch *b, int64_t i, const char *name, const char *const *values);
/* The same, dictionary-encoded, with labels in order of appearance. */
void batch_categories(batch *b, int64_t i, const char *name, const char *const *values);
/* Set column i to a dictionary whose labels are those of a batch of one column, which is taken
 * over. The code -1 is a missing value. */
void batch_labelled(batch *b, int64_t i, const char *name, batch *labels, const int64_t *codes);
/* Set column i to lists of the items in a batch of one column, which is taken over. The first list
 * has the first lengths[0] items, and so on. Missing lists have a length too. `format` is "+l",
 * "+L" or "+w:N". */
void batch_lists(batch *b, int64_t i, const char *name, const char *format, batch *items,
                 const int64_t *lengths, const bool *valid);
void batch_end(batch *b);

/* Make a stream of batches with one schema. The batches are taken over. */
void stream_of(batch *batches, size_t n, struct ArrowArrayStream *stream);

/* Format a value: "null", digits, "nan", or a quoted string. The buffers are static and used in
 * turn. */
const char *value_text(const stoa_view *view, int64_t i);

#endif
