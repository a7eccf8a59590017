/* The indexes of a table's columns, opened when first asked, and what they say about one test. */
#ifndef STOA_QUERY_LOOKUP_H
#define STOA_QUERY_LOOKUP_H

#include "index/opened.h"
#include "query/ask.h"

/* Lines of explain about what was asked; a predicate may have any number of terms. */
#define STOA_LOOKUP_LINES 32

/* The indexes of one column. */
typedef struct stoa_lookup_column {
    bool tried;
    stoa_index_set own;           /* where the table keeps none open */
    const stoa_index_link *links; /* of that, or of the table's */
    size_t n_links;
    stoa_index **indexes; /* beside the links, borrowed; NULL: not usable */
    size_t n_usable;
} stoa_lookup_column;

/* Zero-initialise; free with stoa_lookup_clear(). */
typedef struct stoa_lookup {
    stoa_table *table;
    const stoa_scope *scope;
    uint64_t n_rows;
    bool dry;           /* only find out which columns have indexes that could help */
    bool counting;      /* rows that are certain are not read at all */
    unsigned n_threads; /* as the query has been given */
    stoa_lookup_column *columns;
    stoa_buffer *notes; /* what was asked, for explain; borrowed */
    char *problem;      /* of the first index that is damaged, for the user; NULL: none is */
    size_t n_asked;
    uint64_t chunk_rows; /* the longest of the columns that were asked */
} stoa_lookup;

stoa_status stoa_lookup_open(stoa_lookup *lookup, stoa_table *table, const stoa_scope *scope,
                             uint64_t n_rows, stoa_buffer *notes, stoa_error *err);
void stoa_lookup_clear(stoa_lookup *lookup);

/* Open what the column has. An index that cannot be used is noted and passed by. */
stoa_status stoa_lookup_column_open(stoa_lookup *lookup, size_t column, stoa_error *err);
/* Whether the column has an index (opened before) that this could be asked of. */
bool stoa_lookup_can_help(const stoa_lookup *lookup, const stoa_ask *ask);
/*
 * About how many rows each of the column's indexes would leave.
 *
 * @param pool           of *expected, an entry a link; UINT64_MAX: of no use
 * @param[out] least     the lowest of them, at most n_rows
 */
stoa_status stoa_lookup_expect(stoa_lookup *lookup, const stoa_ask *ask, stoa_pool *pool,
                               uint64_t **expected, uint64_t *least, stoa_error *err);
/*
 * What the column's indexes say of the test, the most selective first; those that would list more
 * rows than that saves are passed over.
 *
 * @param expected    as stoa_lookup_expect() made it
 * @param n_open      rows that are in question so far
 * @param candidates  [out] all rows where nothing is known
 * @param certain     [out] of the candidates, those that surely pass
 */
stoa_status stoa_lookup_ask(stoa_lookup *lookup, const stoa_ask *ask, const uint64_t *expected,
                            uint64_t n_open, stoa_rowset *candidates, stoa_rowset *certain,
                            stoa_error *err);

/* The rows that pass the test and no others, as bits, where an index of the column has them; to be
 * released. *rows is NULL where none does. */
stoa_status stoa_lookup_rows(stoa_lookup *lookup, const stoa_ask *ask, stoa_row_bits **rows,
                             stoa_error *err);

/* How many rows pass a test for missing rows, or for all others, where an index has counted them:
 * none of them need be looked at. *known is false for other tests, and without such an index. */
stoa_status stoa_lookup_count(stoa_lookup *lookup, const stoa_ask *ask, uint64_t *n_rows,
                              bool *known, stoa_error *err);

/* Note that the column's indexes were not asked, as it would change nothing. */
stoa_status stoa_lookup_skip(stoa_lookup *lookup, const stoa_ask *ask, stoa_error *err);

/* Rows [0, n_rows) of the table. */
stoa_status stoa_lookup_all(const stoa_lookup *lookup, stoa_rowset *rows, stoa_error *err);
/* set becomes what is in both (or either) of itself and `other`. */
stoa_status stoa_rowset_combine(stoa_rowset *set, const stoa_rowset *other, bool unite,
                                stoa_error *err);
/* An index failed: noted, unless memory ran out. */
stoa_status stoa_lookup_problem(stoa_lookup *lookup, size_t column, const char *kind,
                                stoa_status problem, const stoa_error *why, stoa_error *err);

#endif
