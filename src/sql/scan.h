/*
 * Tables of Stoa in statements of DuckDB: the table function read_stoa(place), and the names of
 * places as tables.
 *
 * `read_stoa(['a.h5:/t', 'b.h5:/t'], by_name := true)` reads several tables as one.
 *
 * Only the columns that a statement needs are read. Threads of DuckDB take ranges of rows in whole
 * chunks, each with a handle of its own.
 */
#ifndef STOA_SQL_SCAN_H
#define STOA_SQL_SCAN_H

#include "sql/session.h"

/* Make them known to an open database. */
stoa_status stoa_sql_register_scan(stoa_sql *sql, stoa_error *err);

#endif
