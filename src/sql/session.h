/*
 * SQL in a database of DuckDB in memory.
 *
 * A statement's result is an Arrow stream, so what prints, stores and converts streams takes it.
 */
#ifndef STOA_SQL_SESSION_H
#define STOA_SQL_SESSION_H

#include <stoa/arrow.h>
#include <stoa/error.h>

#include "sql/duckdb.h"

/* A database with a connection. Use it from one thread at a time. */
typedef struct stoa_sql {
    const stoa_duckdb *duckdb; /* NULL: not open */
    duck_object database;
    duck_object connection;
} stoa_sql;

/* Open a new database; start from a zeroed struct. STOA_ENOTFOUND and STOA_EVERSION as for
 * stoa_duckdb_open(). */
stoa_status stoa_sql_open(stoa_sql *sql, stoa_error *err);
/* Close it, after the streams of all statements are released. */
void stoa_sql_close(stoa_sql *sql);

/*
 * Run one statement; a `;` may end it.
 *
 * Rows are computed as the stream is read. A statement that gives no rows, such as `create table`,
 * has ended when this returns. Its stream has no rows, and no columns. One that changes rows
 * gives their number in the column `Count`.
 *
 * @param[out] out  yours; release it before the database is closed
 * @return STOA_ESYNTAX or another failure with DuckDB's message, in one line; STOA_EINVAL for more
 *         statements than one
 */
stoa_status stoa_sql_run(stoa_sql *sql, const char *statement, struct ArrowArrayStream *out,
                         stoa_error *err);

#endif
