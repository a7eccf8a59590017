/*
 * A predicate as what indexes can say of it: which rows may pass, and which surely do.
 *
 * Each part of the predicate has two sets: its candidates (a superset of the rows for which it is
 * what is wanted, true or false) and those of them that are certain (a subset of these rows). Of
 * parts that must all hold, both sets intersect; of parts of which one is enough, both unite; a
 * part that no index knows has all rows as candidates and none certain.
 */
#ifndef STOA_QUERY_NARROW_H
#define STOA_QUERY_NARROW_H

#include "query/lookup.h"
#include "query/marked.h"

typedef struct stoa_branch stoa_branch;
struct stoa_branch {
    enum {
        STOA_BRANCH_OPEN,  /* nothing is known */
        STOA_BRANCH_ALL,   /* a constant: every row */
        STOA_BRANCH_NONE,  /* a constant: no row */
        STOA_BRANCH_ASK,   /* a test of one column */
        STOA_BRANCH_EVERY, /* all parts must hold */
        STOA_BRANCH_SOME   /* one part is enough */
    } kind;
    bool is_known;       /* indexes can narrow it */
    bool can_be_certain; /* they may know of some rows that they pass */
    uint64_t expected;   /* candidates, about */
    size_t place;        /* among the parts, as they were written */
    stoa_ask ask;
    uint64_t *expected_of; /* by each index of the column */
    stoa_buffer args;      /* stoa_branch * */
};

/* The predicate's tree, estimated. `pool` holds the branches; their lists go with
 * stoa_branch_clear(), which a failed call needs too. */
stoa_status stoa_branch_make(stoa_lookup *lookup, const stoa_expr *predicate, stoa_pool *pool,
                             stoa_branch **branch, stoa_error *err);
void stoa_branch_clear(stoa_branch *branch);
/* The sets of the branch (cleared first), where `n_open` rows are in question. */
stoa_status stoa_branch_narrow(stoa_lookup *lookup, const stoa_branch *branch, uint64_t n_open,
                               stoa_rowset *candidates, stoa_rowset *certain, stoa_error *err);
/* Parts of the predicate that indexes answer for every row. */
stoa_status stoa_lookup_mark(stoa_lookup *lookup, const stoa_expr *predicate, bool wanted,
                             stoa_marked *marked, stoa_error *err);
/* Mark the columns whose indexes narrow it. */
void stoa_branch_columns(const stoa_branch *branch, bool *marks);

#endif
