/*
 * Index filter: which rows may pass a predicate, and which surely do, according to the indexes.
 *
 * Each part of the predicate has two sets. The candidates are a superset of the rows for which the
 * part is as wanted (true or false). The certain rows are a subset of these rows.
 *
 * If all parts must hold, both sets are intersected. If one part is enough, both are united. A part
 * without an index has all rows as candidates and no certain rows.
 */
#ifndef STOA_QUERY_INDEX_FILTER_H
#define STOA_QUERY_INDEX_FILTER_H

#include "query/plan/index_verdicts.h"
#include "query/plan/lookup.h"

typedef struct stoa_index_filter stoa_index_filter;
struct stoa_index_filter {
    enum {
        STOA_INDEX_FILTER_OPEN,  /* nothing is known */
        STOA_INDEX_FILTER_ALL,   /* a constant: every row */
        STOA_INDEX_FILTER_NONE,  /* a constant: no row */
        STOA_INDEX_FILTER_ASK,   /* a test of one column */
        STOA_INDEX_FILTER_EVERY, /* all parts must hold */
        STOA_INDEX_FILTER_SOME   /* one part is enough */
    } kind;
    bool is_known;       /* indexes can reduce its candidates */
    bool can_be_certain; /* indexes may know rows that pass */
    uint64_t expected;   /* estimated number of candidates */
    size_t place;        /* position among the parts, as written */
    stoa_index_predicate ask;
    uint64_t *expected_of; /* by each index of the column */
    stoa_buffer args;      /* stoa_index_filter * */
};

/* Make the predicate's tree, with estimates. `arena` owns the branches. Their lists are freed by
 * stoa_index_filter_clear(), which is also required after a failure. */
stoa_status stoa_index_filter_make(stoa_lookup *lookup, const stoa_expr *predicate,
                                   stoa_arena *arena, stoa_index_filter **branch, stoa_error *err);
void stoa_index_filter_clear(stoa_index_filter *branch);
/* Compute the branch's sets (cleared first). `n_open` rows are still in question. */
stoa_status stoa_index_filter_narrow(stoa_lookup *lookup, const stoa_index_filter *branch,
                                     uint64_t n_open, stoa_rowset *candidates, stoa_rowset *certain,
                                     stoa_error *err);
/* Find the parts of the predicate that indexes answer for every row. */
stoa_status stoa_lookup_verdicts(stoa_lookup *lookup, const stoa_expr *predicate, bool wanted,
                                 stoa_index_verdicts *marked, stoa_error *err);
/* Set marks[c] for the columns whose indexes reduce the candidates. */
void stoa_index_filter_columns(const stoa_index_filter *branch, bool *marks);

#endif
