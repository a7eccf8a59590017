/* Queries of a table: filter, columns, grouped aggregates, sort, limit. */
#ifndef STOA_QUERY_H
#define STOA_QUERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stoa/arrow.h>
#include <stoa/error.h>
#include <stoa/parameter.h>
#include <stoa/progress.h>
#include <stoa/table.h>

STOA_BEGIN_DECLS

/** A query. Start from STOA_QUERY_OPTIONS_INIT. docs/query.md describes the texts. */
typedef struct stoa_query_options {
    size_t size;            /**< of this struct */
    const char *where;      /**< predicate; NULL: every row */
    const char *columns;    /**< "a, b": columns in order; NULL: all. Not with aggregates */
    const char *aggregates; /**< "count(), sum(a) / sum(b)"; NULL: none */
    const char *by;         /**< "a, b": group columns; needs aggregates */
    const char *sort;       /**< "a:desc, b": columns or expressions; NULL: table order (groups: no
                                 guaranteed order) */
    int64_t limit;          /**< rows at most; negative: all */
    bool row_numbers;       /**< only the row numbers, one uint64 column "row" */
    bool use_indexes;       /**< use indexes, which you trust (§16) */
    stoa_listener listener; /**< called on your thread */
    unsigned threads;       /**< number of worker threads, while the caller waits for a batch; 0:
                                 one per processor. The result does not depend on it */
    uint64_t memory;        /**< bytes that a sort may use before it goes to temporary files in
                                 $TMPDIR. median, quantile and distinct may use an eighth of it. 0:
                                 a quarter of the machine's, at most 768 MiB */
    const stoa_parameter *parameters; /**< values of `?`, `?NNN` and `:name` in the texts; copied.
                                           `?` is numbered in the order of docs/query.md. NULL:
                                           none */
    size_t n_parameters;
    uint64_t first_row; /**< only rows from this one on, counted from 0 */
    uint64_t n_rows;  /**< at most so many of these; 0: all. Not a limit of the result: rows outside
                           of the range are not looked at */
    bool use_trusted; /**< of a table over several files: use the indexes of those tables that the
                           ledger trusts (stoa_trust_get()); with use_indexes, of all */
    const char *having; /**< a condition on groups: "count() > 5"; needs aggregates. NULL: every
                             group */
    uint64_t offset;    /**< rows of the result that are left out at its start */
    bool distinct;      /**< each row of the columns once; without `sort` in no guaranteed order */
    uint64_t sample;    /**< so many of the rows that pass, chosen at random, each at most once. All
                             else is done with these. 0: all */
    uint64_t seed;      /**< another one chooses other rows of a sample */
} stoa_query_options;

#define STOA_QUERY_OPTIONS_INIT                                                                    \
    {                                                                                              \
        sizeof(stoa_query_options), 0, 0, 0, 0, 0, -1, 0, 0, {0, 0}, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, \
            0, 0                                                                                   \
    }

/** A query that is parsed, type-checked and planned for a table. Use a handle, its table and its
 * stream from one thread at a time. Different threads may use different handles at the same
 * time. */
typedef struct stoa_query stoa_query;

/**
 * Parse, bind and plan; reads no column data.
 *
 * @param table  borrowed; must stay open until the query is closed and its stream released
 * @return STOA_ESYNTAX or STOA_ETYPE, with the position in the text; STOA_ENOTFOUND for an unknown
 *         table column or a parameter without a value, STOA_EINVAL for a malformed value or one
 *         that no text uses
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_query_open(stoa_table *table,
                                                     const stoa_query_options *options,
                                                     stoa_query **query, stoa_error *err);

/** A column that cannot be read, and why. Both are borrowed for the call. */
typedef void (*stoa_unreadable_visitor)(void *context, const char *column, const stoa_error *why);

/**
 * The columns for a query of all of them, if some cannot be read: one bad column does not stop a
 * table. Looks at the details of every column.
 *
 * @param visitor            called for each column that cannot be read, if others can; NULL: not
 * @param[out] columns       as in stoa_query_options; NULL if all columns can be read, or none.
 *                           Release it with stoa_free()
 * @param[out] n_unreadable  columns that cannot be read
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_query_readable(stoa_table *table,
                                                         stoa_unreadable_visitor visitor,
                                                         void *context, char **columns,
                                                         size_t *n_unreadable, stoa_error *err);

/**
 * The result as a stream of batches. A query can run once.
 *
 * @param[out] out  yours; it borrows from the query, so release it first
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_query_run(stoa_query *query, struct ArrowArrayStream *out,
                                                    stoa_error *err);

/** The plan as text, one line for each step. After the stream has ended it includes statistics:
 * chunks skipped, rows tested. Release it with stoa_free(). */
STOA_MUST_CHECK STOA_API stoa_status stoa_query_explain(const stoa_query *query, char **text,
                                                        stoa_error *err);

/** Rows [first, first + count). Return false to stop. */
typedef bool (*stoa_row_range_visitor)(void *context, uint64_t first, uint64_t count);

/**
 * Visit the rows that indexes leave for the predicate, as ascending ranges. Every row that passes
 * is in one of them. Without indexes that is every row. For queries without aggregates.
 *
 * @return STOA_EINVAL for a query with aggregates; STOA_ECANCELLED if the visitor stopped
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_query_visit_candidates(const stoa_query *query,
                                                                 stoa_row_range_visitor visitor,
                                                                 void *context, stoa_error *err);

/** Why the plan does not use existing indexes ("" if it uses them); borrowed. */
STOA_API const char *stoa_query_hint(const stoa_query *query);

STOA_API void stoa_query_close(stoa_query *query);

STOA_END_DECLS

#endif
