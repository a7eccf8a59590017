/*
 * What is computed from groups: expressions over aggregates, as `sum(a) / sum(b)`, the condition
 * of `having`, and sort keys.
 *
 * The groups' own columns are the keys, and each aggregate once. An expression is bound in a scope
 * of these columns, in which the calls of aggregates are replaced by their columns.
 */
#ifndef STOA_QUERY_GROUP_OUTPUTS_H
#define STOA_QUERY_GROUP_OUTPUTS_H

#include "query/run/query.h"

/* Bind the query's aggregates, and what is computed from them: its outputs, which have names
 * already, the condition `having`, which may be NULL, and sort keys that are no outputs. The keys
 * are bound. */
stoa_status stoa_group_outputs_bind(stoa_query *query, const stoa_item *items, size_t n_items,
                                    const stoa_syntax *having, stoa_error *err);
/*
 * Make the query's outputs from the groups' own columns.
 *
 * @param groups    a struct of keys and aggregates; released
 * @param[out] out  a struct of the outputs, only for the groups for which `having` is true; behind
 * them the sort keys that are no outputs, and space for the others
 */
stoa_status stoa_group_outputs_make(stoa_query *query, struct ArrowArray *groups,
                                    struct ArrowArray *out, stoa_error *err);
/* Whether it contains `?`. Each `?` is another value, so equal texts are not equal expressions. */
bool stoa_has_fresh_value(const stoa_syntax *syntax);

#endif
