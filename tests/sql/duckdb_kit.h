/* DuckDB's library for tests: that of STOA_DUCKDB, else that of the peers' environment. */
#ifndef STOA_TESTS_SQL_DUCKDB_KIT_H
#define STOA_TESTS_SQL_DUCKDB_KIT_H

#include "sql/session.h"

/* Open a database, or skip the test. */
void sql_kit_open(stoa_sql *sql);

#endif
