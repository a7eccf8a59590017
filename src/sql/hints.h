/*
 * Filters of a statement for the scans of its tables.
 *
 * DuckDB's C API does not tell a table function what a statement's WHERE says. So the statement is
 * serialized by DuckDB, and the conditions that concern one table alone become the argument `hint`
 * of its scan:
 *
 *     from 'run.h5:/t' t where t.x > 5    from read_stoa('run.h5:/t', hint := '"x" > 5') t where
 * ...
 *
 * DuckDB tests every row again. A hint is right if it leaves out only rows that no answer needs:
 *
 * - A condition of WHERE, if it is not true for missing values where an outer join may make them.
 * - A condition of ON, for the sides of the join that are not kept whole.
 * - Not for tables below a sample, or a join by position or by the nearest row.
 */
#ifndef STOA_SQL_HINTS_H
#define STOA_SQL_HINTS_H

#include "core/memory.h"
#include "sql/place.h"

/* Open a place to see its columns: a struct that the caller releases. */
typedef stoa_status stoa_sql_columns_of(void *context, const char *place, struct ArrowSchema *out,
                                        stoa_error *err);

/*
 * Write the statement with hints.
 *
 * @param serialized  what json_serialize_sql() says of it
 * @param[out] out    the text; empty if there is no hint
 */
stoa_status stoa_sql_add_hints(const char *statement, const char *serialized, size_t length,
                               stoa_sql_columns_of *columns_of, void *context, stoa_buffer *out,
                               stoa_error *err);

#endif
