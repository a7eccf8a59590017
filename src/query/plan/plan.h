/*
 * The plan: which rows the indexes leave for a predicate (HEP001 §10, §16).
 *
 * Candidates are a superset of the rows that pass. They are tested, except for those that an index
 * is certain of. An index that is damaged, unknown or fails is ignored and mentioned.
 */
#ifndef STOA_QUERY_PLAN_H
#define STOA_QUERY_PLAN_H

#include "query/plan/index_order.h"
#include "query/plan/index_verdicts.h"

struct stoa_plan;

/* What a plan is made for. */
typedef struct stoa_plan_request {
    const stoa_expr *predicate; /* NULL: every row passes */
    stoa_range rows;            /* no others are looked at */
    bool use_indexes;
    unsigned n_threads;
    bool counting;       /* only the number of rows that pass is wanted */
    size_t order_column; /* rows are sorted by this column alone, and limited; SIZE_MAX: not so */
    bool descending;
    uint64_t limit;
    const struct stoa_plan *like; /* of the same table and predicate: what the indexes answered is
                                     taken from it; NULL: none */
} stoa_plan_request;

/* Zero-initialise; free with stoa_plan_clear(). */
typedef struct stoa_plan {
    stoa_rowset rows;           /* candidates */
    stoa_rowset certain;        /* those candidates that surely pass */
    stoa_index_verdicts marked; /* parts of the predicate that indexes have answered */
    uint64_t n_counted;         /* further rows that pass, of which only the number is known */
    uint64_t n_rows;            /* of the table */
    bool is_ranked;             /* the first rows of the order may be tried first */
    stoa_index_order index_order;
    bool has_asked;     /* an index was asked */
    stoa_lookup lookup; /* open as long as the ranking is used */
    stoa_buffer notes;  /* lines for explain, NUL-terminated unless empty */
    char *hint;         /* why indexes were not used; NULL: they were */
} stoa_plan;

/* The plan must not move afterwards, since its parts refer to each other. */
stoa_status stoa_plan_make(stoa_plan *plan, stoa_table *table, const stoa_scope *scope,
                           const stoa_plan_request *request, stoa_error *err);
void stoa_plan_clear(stoa_plan *plan);

#endif
