/* Rows picked out of Arrow arrays, and vectors made into Arrow arrays. */
#ifndef STOA_QUERY_TAKE_H
#define STOA_QUERY_TAKE_H

#include "arrow/build.h"
#include "query/expr.h"

/* A row of one of several arrays. */
typedef struct stoa_pick {
    int64_t row;
    uint32_t source;
} stoa_pick;

/*
 * The picked rows, in the order of the picks, as one array of the sources' type.
 *
 * @param sources  at least one; all of one type, and of one dictionary if they have one: it is
 * shared with the result
 */
stoa_status stoa_take(const stoa_view *const *sources, size_t n_sources, const stoa_pick *picks,
                      int64_t n, struct ArrowArray *out, stoa_error *err);

/* The Arrow type that shows values of a computed column. */
stoa_type stoa_type_of_values(const stoa_value_type *type);
/* The values as an array of the given type, to which each of them must fit. Constants are spread.
 */
stoa_status stoa_emit(const stoa_vector *vector, const stoa_type *type, struct ArrowArray *out,
                      stoa_error *err);
/* A struct array of n rows with room for the children. */
stoa_status stoa_struct_of(int64_t n, size_t n_children, struct ArrowArray *out, stoa_error *err);

#endif
