/* Index predicates: leaves of a predicate as tests of one column, in the index's domain. */
#ifndef STOA_QUERY_INDEX_PREDICATE_H
#define STOA_QUERY_INDEX_PREDICATE_H

#include <stoa/table.h>

#include "index/common/kind.h"
#include "query/eval/eval.h"

/* A test of one column. */
typedef struct stoa_index_predicate {
    size_t column;
    stoa_test test;
    bool is_exact; /* every row that passes the test is an answer: if the index is certain, so is
                      the answer */
} stoa_index_predicate;

/*
 * Make the test that is passed by every row for which `expr` is `wanted` (true or false, not
 * missing).
 *
 * @param arena        owns the intervals
 * @param[out] known  false if no test can express that
 */
stoa_status stoa_index_predicate_of(const stoa_scope *scope, stoa_table *table,
                                    const stoa_expr *expr, bool wanted, stoa_arena *arena,
                                    stoa_index_predicate *ask, bool *known, stoa_error *err);
/*
 * Combine two tests of one column into their conjunction. `x > 1 and x < 5` is one short range when
 * combined, but two long ranges when asked separately.
 *
 * @param[in,out] ask  becomes the conjunction, if *merged is true
 * @param[out] merged  false if the tests have too many intervals, or bounds without an order
 */
stoa_status stoa_index_predicate_and(stoa_arena *arena, stoa_index_predicate *ask,
                                     const stoa_index_predicate *other, bool *merged,
                                     stoa_error *err);

#endif
