/*
 * Which rows are worth looking at: the predicate, asked of the indexes (HEP001 §10, §16).
 *
 * The answer is a superset of the rows that pass; each of them is still looked at. An index that is
 * damaged, unknown or fails in any way narrows nothing and is mentioned, no more.
 */
#ifndef STOA_QUERY_PLAN_H
#define STOA_QUERY_PLAN_H

#include <stoa/table.h>

#include "index/kind.h"
#include "query/eval.h"

/* Zero-initialise; free with stoa_plan_clear(). */
typedef struct stoa_plan {
    stoa_rowset rows;    /* candidates */
    uint64_t n_rows;     /* of the table */
    uint64_t chunk_rows; /* of the columns whose indexes were asked; 0: none was */
    bool narrowed;       /* by an index */
    stoa_buffer notes;   /* lines for explain, NUL-terminated unless empty */
    char *hint;          /* why indexes were left out; NULL: they were not */
} stoa_plan;

stoa_status stoa_plan_make(stoa_plan *plan, stoa_table *table, const stoa_scope *scope,
                           const stoa_expr *predicate, bool use_indexes, stoa_error *err);
/* How many chunks of `chunk_rows` rows the candidates lie in. */
uint64_t stoa_plan_chunks(const stoa_rowset *rows, uint64_t chunk_rows);
void stoa_plan_clear(stoa_plan *plan);

/* What one leaf of a predicate asks of one column, in the index's domain: see stoa_ask_of(). */
typedef struct stoa_ask {
    size_t column;
    stoa_test test;
} stoa_ask;

/*
 * The test that every row for which `expr` is `wanted` (true or false, not missing) passes.
 *
 * @param[out] known  false where no test says that
 */
stoa_status stoa_ask_of(const stoa_scope *scope, stoa_table *table, const stoa_expr *expr,
                        bool wanted, stoa_pool *pool, stoa_ask *ask, bool *known, stoa_error *err);

#endif
