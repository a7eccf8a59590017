/* Picks rows out of Arrow arrays, and makes Arrow arrays of vectors. */
#ifndef STOA_QUERY_TAKE_H
#define STOA_QUERY_TAKE_H

#include "arrow/build.h"
#include "query/eval/expr.h"

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
 */
stoa_status stoa_take(const stoa_view *const *sources, size_t n_sources,
                      const stoa_row_source *picks, int64_t n, struct ArrowArray *out,
                      stoa_error *err);

/* The Arrow type of a computed column's values. */
stoa_type stoa_type_of_values(const stoa_value_type *type);
/* Make an array of the given type, which must hold every value. Constants are repeated. */
stoa_status stoa_emit(const stoa_vector *vector, const stoa_type *type, struct ArrowArray *out,
                      stoa_error *err);
/* Make a struct array of n rows with space for the children. */
stoa_status stoa_struct_of(int64_t n, size_t n_children, struct ArrowArray *out, stoa_error *err);

#endif
