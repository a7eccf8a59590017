/*
 * Which rows are worth looking at: the predicate, asked of the indexes (HEP001 §10, §16).
 *
 * Candidates are a superset of the rows that pass; each of them is still looked at, but for those
 * that an index is certain of. An index that is damaged, unknown or fails in any way narrows
 * nothing and is mentioned, no more.
 */
#ifndef STOA_QUERY_PLAN_H
#define STOA_QUERY_PLAN_H

#include "query/marked.h"
#include "query/ranking.h"

/* What a plan is made for. */
typedef struct stoa_plan_request {
    const stoa_expr *predicate; /* NULL: every row passes */
    bool use_indexes;
    unsigned n_threads;
    bool counting;       /* rows that pass are counted, no more */
    size_t order_column; /* rows are sorted by this column alone and cut; SIZE_MAX: they are not */
    bool descending;
    uint64_t limit;
} stoa_plan_request;

/* Zero-initialise; free with stoa_plan_clear(). */
typedef struct stoa_plan {
    stoa_rowset rows;    /* candidates */
    stoa_rowset certain; /* of them, those that surely pass */
    stoa_marked marked;  /* parts of the predicate whose verdicts are known */
    uint64_t n_counted;  /* rows besides, of which only the number is known, and asked for */
    uint64_t n_rows;     /* of the table */
    bool is_ranked;      /* the first rows of the order may be looked at first */
    stoa_ranking ranking;
    stoa_lookup lookup; /* open as long as the ranking is used */
    stoa_buffer notes;  /* lines for explain, NUL-terminated unless empty */
    char *hint;         /* why indexes were left out; NULL: they were not */
} stoa_plan;

/* Not to be moved afterwards: its parts refer to each other. */
stoa_status stoa_plan_make(stoa_plan *plan, stoa_table *table, const stoa_scope *scope,
                           const stoa_plan_request *request, stoa_error *err);
void stoa_plan_clear(stoa_plan *plan);

#endif
