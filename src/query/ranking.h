/*
 * The order of a column, as one of its indexes knows it (HEP001 §10.5): which rows come first.
 *
 * A ranking only says which rows are worth sorting: it leaves a superset of the first rows of the
 * order, and the sort decides among them as it always does, ties, NaNs and missing values included.
 */
#ifndef STOA_QUERY_RANKING_H
#define STOA_QUERY_RANKING_H

#include "query/lookup.h"

typedef struct stoa_ranking {
    stoa_lookup *lookup;
    size_t column;
    size_t link;
    bool descending;
    uint64_t n_ordered, n_missing, n_nan; /* ranks, in this order */
    uint64_t first;                       /* places to begin with */
    uint64_t most;                        /* places past which sorting everything is faster */
} stoa_ranking;

/* Find an index of the column that has an order; false in *found if there is none. */
stoa_status stoa_ranking_open(stoa_ranking *ranking, stoa_lookup *lookup, size_t column,
                              bool descending, bool *found, stoa_error *err);
/*
 * The rows at the first `count` places of the order (missing values last, NaNs before them, in
 * either direction), and all that are tied with the last of them.
 *
 * @param[out] rows   cleared first
 * @param[out] found  false where they cannot be had, or so many are tied that all may be sorted
 */
stoa_status stoa_ranking_first(const stoa_ranking *ranking, uint64_t count, stoa_rowset *rows,
                               bool *found, stoa_error *err);

#endif
