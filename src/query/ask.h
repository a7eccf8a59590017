/* Leaves of a predicate as tests of one column, in the index's domain. */
#ifndef STOA_QUERY_ASK_H
#define STOA_QUERY_ASK_H

#include <stoa/table.h>

#include "index/kind.h"
#include "query/eval.h"

/* What is asked of one column. */
typedef struct stoa_ask {
    size_t column;
    stoa_test test;
    bool is_exact; /* every row that passes the test is an answer: an index that is certain of the
                      test is certain of the answer */
} stoa_ask;

/*
 * The test that every row for which `expr` is `wanted` (true or false, not missing) passes.
 *
 * @param pool        of the intervals
 * @param[out] known  false where no test says that
 */
stoa_status stoa_ask_of(const stoa_scope *scope, stoa_table *table, const stoa_expr *expr,
                        bool wanted, stoa_pool *pool, stoa_ask *ask, bool *known, stoa_error *err);
/*
 * Make of two asks of one column the one that is both: `x > 1 and x < 5` asked together is a short
 * range, asked apart two long ones.
 *
 * @param[in,out] ask  becomes both, unless *merged is false: then it would be long, and is as it
 * was
 */
stoa_status stoa_ask_both(stoa_pool *pool, stoa_ask *ask, const stoa_ask *other, bool *merged,
                          stoa_error *err);

#endif
