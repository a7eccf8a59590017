/* `stoa sql` on a terminal: statements of several lines, and few commands that begin with a dot. */
#ifndef STOA_CLI_SQL_SHELL_H
#define STOA_CLI_SQL_SHELL_H

/* Runs statements and prints what they say, and what is wrong. */
typedef void cli_sql_runner(void *context, const char *text);

/* Read statements until the end of the input. */
void cli_sql_shell(cli_sql_runner *run, void *context);

#endif
