/* Arrow arrays of computed vectors. */
#ifndef STOA_QUERY_EMIT_H
#define STOA_QUERY_EMIT_H

#include "arrow/build.h"
#include "query/eval/expr.h"

/* The Arrow type of a computed column's values. */
stoa_type stoa_type_of_values(const stoa_value_type *type);
/* The same, of an expression: a cast names the type. */
stoa_type stoa_type_of_expr(const stoa_expr *expr);
/* Make an array of the given type, which must hold every value. Constants are repeated. */
stoa_status stoa_emit(const stoa_vector *vector, const stoa_type *type, struct ArrowArray *out,
                      stoa_error *err);
/* Make a struct array of n rows with space for the children. */
stoa_status stoa_struct_of(int64_t n, size_t n_children, struct ArrowArray *out, stoa_error *err);

#endif
