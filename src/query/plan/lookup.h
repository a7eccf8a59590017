/* Index lookup: the indexes of a table's columns, opened at first use, and what they say about
 * one test. */
#ifndef STOA_QUERY_LOOKUP_H
#define STOA_QUERY_LOOKUP_H

#include "index/index_set.h"
#include "query/plan/index_predicate.h"

/* Most lines of explain about tests; a predicate may have any number of terms. */
#define STOA_LOOKUP_LINES 32

/* The indexes of one column. */
typedef struct stoa_lookup_column {
    bool tried;
    stoa_index_set own;           /* used if the table keeps none open */
    const stoa_index_link *links; /* of `own`, or of the table */
    size_t n_links;
    stoa_index **indexes; /* parallel to the links, borrowed; NULL: not usable */
    size_t n_usable;
} stoa_lookup_column;

/* Zero-initialise; free with stoa_lookup_clear(). */
typedef struct stoa_lookup {
    stoa_table *table;
    const stoa_scope *scope;
    uint64_t n_rows;
    bool dry;           /* only find out which columns have an index that could help */
    bool counting;      /* rows that are certain are not read */
    unsigned n_threads; /* from the query's options */
    stoa_lookup_column *columns;
    stoa_buffer *notes; /* lines for explain; borrowed */
    char *problem;      /* message about the first damaged index; NULL: no damage */
    size_t n_asked;
    uint64_t chunk_rows; /* the longest chunks of the columns looked up */
} stoa_lookup;

stoa_status stoa_lookup_open(stoa_lookup *lookup, stoa_table *table, const stoa_scope *scope,
                             uint64_t n_rows, stoa_buffer *notes, stoa_error *err);
void stoa_lookup_clear(stoa_lookup *lookup);

/* Open the column's indexes. An index that cannot be used is noted and skipped. */
stoa_status stoa_lookup_column_open(stoa_lookup *lookup, size_t column, stoa_error *err);
/* Whether an opened index of the column supports the test. */
bool stoa_lookup_can_help(const stoa_lookup *lookup, const stoa_index_predicate *ask);
/*
 * Estimate how many rows each of the column's indexes would leave.
 *
 * @param arena           owns *expected
 * @param[out] expected  one entry per link; UINT64_MAX: of no use
 * @param[out] least     the smallest of them, at most n_rows
 */
stoa_status stoa_lookup_expect(stoa_lookup *lookup, const stoa_index_predicate *ask,
                               stoa_arena *arena, uint64_t **expected, uint64_t *least,
                               stoa_error *err);
/*
 * Ask the column's indexes about the test, the most selective first. Those that would list more
 * rows than that saves are skipped.
 *
 * @param expected         from stoa_lookup_expect()
 * @param n_open           rows that are still in question
 * @param[out] candidates  all rows if nothing is known
 * @param[out] certain     those candidates that surely pass
 */
stoa_status stoa_lookup_ask(stoa_lookup *lookup, const stoa_index_predicate *ask,
                            const uint64_t *expected, uint64_t n_open, stoa_rowset *candidates,
                            stoa_rowset *certain, stoa_error *err);

/* The rows that pass the test and no others, as a bitmap, if an index of the column has them.
 * *rows is NULL otherwise; the caller releases it. */
stoa_status stoa_lookup_rows(stoa_lookup *lookup, const stoa_index_predicate *ask,
                             stoa_row_bits **rows, stoa_error *err);

/* How many rows pass a test for missing rows, or for all others, if an index has counted them.
 * Then no row needs to be read. *known is false for other tests, and without such an index. */
stoa_status stoa_lookup_count(stoa_lookup *lookup, const stoa_index_predicate *ask,
                              uint64_t *n_rows, bool *known, stoa_error *err);

/* Note for explain that the column's indexes were not asked, because that would change nothing. */
stoa_status stoa_lookup_skip(stoa_lookup *lookup, const stoa_index_predicate *ask, stoa_error *err);

/* Rows [0, n_rows) of the table. */
stoa_status stoa_lookup_all(const stoa_lookup *lookup, stoa_rowset *rows, stoa_error *err);
/* Report that an index failed: the failure is noted, unless memory ran out. */
stoa_status stoa_lookup_problem(stoa_lookup *lookup, size_t column, const char *kind,
                                stoa_status problem, const stoa_error *why, stoa_error *err);

#endif
