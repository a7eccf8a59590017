/* Values that an update gives to a column, beside plain expressions. */
#ifndef STOA_QUERY_EDIT_VALUES_H
#define STOA_QUERY_EDIT_VALUES_H

#include "query/eval/emit.h"
#include "query/eval/eval.h"

/* Convert a constant, a text or ticks, to the ticks of a time or duration column. `column` is
 * borrowed, and needs its name and types. */
stoa_status stoa_value_to_ticks(stoa_arena *arena, const stoa_scope_column *column,
                                stoa_expr *value, stoa_error *err);
/* The type in which values are made for a column of `kind`. They are rounded to float32 if the
 * column has shorter floats, as texts are, unless a finite value would become infinite. */
stoa_type stoa_value_type_for(stoa_kind kind, const stoa_vector *values, stoa_type type);

/* A list in brackets, such as [1, x, null], or [[1], []] for lists of lists. The arena owns it. */
typedef struct stoa_list_value stoa_list_value;

/*
 * Bind a list for a column.
 *
 * @param column  of lists; borrowed during this call
 * @return STOA_ETYPE, at the place in the text, for what cannot be an item of the column
 */
stoa_status stoa_list_value_bind(const stoa_binder *binder, const stoa_syntax *syntax,
                                 const stoa_scope_column *column, stoa_list_value **out,
                                 stoa_error *err);
/* Note what the list reads of each column, as stoa_expr_columns() does. */
void stoa_list_value_columns(const stoa_list_value *list, stoa_use *uses);
/* Make the lists of `n` rows, where the evaluation is. The caller releases both, on success. */
stoa_status stoa_list_value_emit(const stoa_list_value *list, stoa_evaluation *ev, int64_t n,
                                 struct ArrowSchema *schema, struct ArrowArray *out,
                                 stoa_error *err);

#endif
