/* Rows picked out of Arrow arrays, of any type. */
#ifndef STOA_ARROW_TAKE_H
#define STOA_ARROW_TAKE_H

#include "arrow/build.h"
#include "arrow/read.h"

/* A row of one of several arrays. */
typedef struct stoa_row_source {
    int64_t row;
    uint32_t source;
} stoa_row_source;

/*
 * Copy the picked rows, in the order of the picks, into one array of the sources' type.
 *
 * @param sources  at least one, all of one type. If they have a dictionary, it is the same one, and
 *                 the result shares it
 * @return STOA_ERANGE if the bytes or items are too many for 32-bit offsets
 */
stoa_status stoa_take(const stoa_view *const *sources, size_t n_sources,
                      const stoa_row_source *picks, int64_t n, struct ArrowArray *out,
                      stoa_error *err);
/* The same for all rows of `parts`, at least one, one after the other. */
stoa_status stoa_take_all(const struct ArrowSchema *schema, const struct ArrowArray *parts,
                          size_t n_parts, struct ArrowArray *out, stoa_error *err);
/* The same for the rows `at` of one array; -1 is a missing value. */
stoa_status stoa_take_rows(const stoa_view *from, const int64_t *at, int64_t n,
                           struct ArrowArray *out, stoa_error *err);

/*
 * The labels of a dictionary array.
 *
 * @param schema  of the array, whose codes are checked; its own dictionary is not looked at
 * @param column  for messages
 * @return STOA_EDATA for a code that has no label
 */
stoa_status stoa_take_labels(const struct ArrowSchema *schema, const struct ArrowArray *array,
                             const stoa_view *labels, const char *column, struct ArrowArray *out,
                             stoa_error *err);

/* Make n missing values of a type. */
stoa_status stoa_array_missing(const struct ArrowSchema *schema, int64_t n, struct ArrowArray *out,
                               stoa_error *err);

#endif
