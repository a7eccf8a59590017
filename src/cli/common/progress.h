/* The progress bar on stderr, and the progress callback of long jobs. */
#ifndef STOA_CLI_PROGRESS_H
#define STOA_CLI_PROGRESS_H

#include "cli/common/args.h"

/* A progress callback for a long job. It shows a bar if stderr is a terminal and `quiet` is not
 * set. It stops the job when the user interrupts it. Signals are caught from here on. */
stoa_listener cli_listener(bool quiet);

/* Clear the bar, so that the next output starts on an empty line. */
void cli_progress_clear(void);

/* Seconds since some moment, by a clock that is never set. */
double cli_clock(void);

/* Format a count for people: "1.2 M", "3.4 MiB". */
void cli_human_count(double value, char out[16]);
void cli_human_bytes(uint64_t bytes, char out[16]);

/* Whether the command prints errors alone on stderr (--quiet): no remarks, and no bar. */
void cli_be_quiet(bool is_quiet);
bool cli_is_quiet(void);

#endif
