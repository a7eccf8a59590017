/* Messages of DuckDB as errors. */
#ifndef STOA_SQL_MESSAGE_H
#define STOA_SQL_MESSAGE_H

#include <stoa/error.h>

/*
 * Fill the error with a message of DuckDB in one line.
 *
 * DuckDB shows the place of a mistake in a line of its own, with a mark below it. Here the text at
 * the mark is quoted. The status follows from the kind of error that the message begins with.
 *
 * @param message  NULL: not known
 */
stoa_status stoa_sql_fail(stoa_error *err, const char *message);

#endif
