/*
 * Conditions of SQL as filters of Stoa (docs/query.md).
 *
 * A condition is translated only if both mean exactly the same for every row. DuckDB tests every
 * row again, so an answer never depends on it.
 */
#ifndef STOA_SQL_CONDITION_H
#define STOA_SQL_CONDITION_H

#include "core/memory.h"
#include "sql/tree.h"

/* A value in SQL's logic. */
typedef enum stoa_truth { STOA_FALSE, STOA_UNKNOWN, STOA_TRUE } stoa_truth;

/* Finds the column that a COLUMN_REF means; NULL if it is not one of the table's. */
typedef const struct ArrowSchema *stoa_column_finder(void *context, const stoa_tree *reference);

/*
 * Translate a serialized expression.
 *
 * @param out             the filter is appended; undefined if it is not translated
 * @param[out] of_nulls   its value in a row whose columns are all missing
 * @return false if it is not translated, or memory ran out
 */
bool stoa_condition_translate(const stoa_tree *expression, stoa_column_finder *find, void *context,
                              stoa_buffer *out, stoa_truth *of_nulls);

#endif
