/* Columns of tables as DuckDB's types and vectors. */
#ifndef STOA_SQL_TYPES_H
#define STOA_SQL_TYPES_H

#include <stoa/arrow.h>
#include <stoa/error.h>

#include "sql/duckdb.h"

/*
 * The type of DuckDB for an Arrow field; NULL after a failure.
 *
 * - float16 is FLOAT. Fixed-size binary is BLOB.
 * - Times with a zone are TIMESTAMPTZ, times of day TIME, and durations INTERVAL. These count
 *   microseconds: nanoseconds are cut off.
 * - Categories are their labels. Labels of strings are VARCHAR, which sorts them as Stoa does, and
 *   not by their codes, as an ENUM does.
 * - Fixed-size lists are ARRAY, if they have at most 100,000 items; others are LIST.
 *
 * @return STOA_ETYPE for a type that DuckDB has not
 */
stoa_status stoa_sql_type_of(const stoa_duckdb *duckdb, const struct ArrowSchema *schema,
                             duck_object *type, stoa_error *err);

/* Write rows [first, first + n) of an array, whose schema the vector's type was made of, to the
 * first n rows of a vector. `array` is sound. STOA_ERANGE for a time or duration that DuckDB's type
 * does not hold, STOA_EDATA for a text that is not UTF-8. */
stoa_status stoa_sql_fill(const stoa_duckdb *duckdb, duck_object vector,
                          const struct ArrowSchema *schema, const struct ArrowArray *array,
                          int64_t first, int64_t n, stoa_error *err);

#endif
