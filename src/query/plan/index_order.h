/*
 * Ranking: the order of a column's values according to one of its indexes (HEP001 §10.5).
 *
 * A ranking only selects rows that are worth sorting, a superset of the first rows of the order.
 * The sort decides among them as usual, including ties, NaNs and missing values.
 */
#ifndef STOA_QUERY_INDEX_ORDER_H
#define STOA_QUERY_INDEX_ORDER_H

#include "query/plan/lookup.h"

typedef struct stoa_index_order {
    stoa_lookup *lookup;
    size_t column;
    size_t link;
    bool descending;
    uint64_t n_ordered, n_missing, n_nan; /* numbers of ranks, in this order */
    uint64_t first;                       /* ranks to begin with */
    uint64_t most;                        /* beyond this many ranks, sorting everything is faster */
} stoa_index_order;

/* Find an index of the column that has an order. *found is false if there is none. */
stoa_status stoa_index_order_open(stoa_index_order *index_order, stoa_lookup *lookup, size_t column,
                                  bool descending, bool *found, stoa_error *err);
/*
 * The rows of the first `count` ranks, and all rows tied with the last of them. Missing values are
 * last and NaNs before them, in either direction.
 *
 * @param[out] rows   cleared first
 * @param[out] found  false if they are not available, or so many are tied that all rows may as well
 *                    be sorted
 */
stoa_status stoa_index_order_first(const stoa_index_order *index_order, uint64_t count,
                                   stoa_rowset *rows, bool *found, stoa_error *err);

/*
 * The rows that may be among the first `count` of all rows, by the bounds that an index of the
 * column has of its values.
 *
 * @param[out] rows   cleared first
 * @param[out] found  false if there is no such index
 */
stoa_status stoa_index_order_bounds(stoa_lookup *lookup, size_t column, bool descending,
                                    uint64_t count, stoa_rowset *rows, bool *found,
                                    stoa_error *err);

#endif
