/* The progress bar on stderr, and the ear that every long job gets. */
#ifndef STOA_CLI_PROGRESS_H
#define STOA_CLI_PROGRESS_H

#include "cli/args.h"

/*
 * A listener for a long job: shows a bar if stderr is a terminal and not `quiet`, and stops the job
 * when the user interrupts it. Signals are caught from here on.
 */
stoa_listener cli_listener(bool quiet);

/* Wipe the bar off the line, if there is one; whatever prints next finds an empty line. */
void cli_progress_clear(void);

/* For people: "1.2 M", "3.4 MiB". */
void cli_human_count(double value, char out[16]);
void cli_human_bytes(uint64_t bytes, char out[16]);

#endif
