/* Statements of `stoa sql` that write places: copy, create table and insert. */
#ifndef STOA_CLI_SQL_TARGET_H
#define STOA_CLI_SQL_TARGET_H

#include "cli/common/args.h"
#include "sql/session.h"

/*
 * Run a statement if it writes a place. Of others, nothing is run.
 *
 * The rows are written as `stoa query -o` and `stoa append` write them: whole or not at all.
 *
 * @param[out] is_run  whether it was such a statement
 */
stoa_status cli_sql_write_place(cli_args *args, stoa_sql *sql, const char *statement,
                                const stoa_listener *listener, bool *is_run, stoa_error *err);

#endif
