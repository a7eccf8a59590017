/* A pager for output that is longer than the terminal, as git and psql have it. */
#ifndef STOA_CLI_PAGER_H
#define STOA_CLI_PAGER_H

#include <stdbool.h>
#include <stdio.h>

/*
 * A stream in front of the terminal `out`. Output is held back until it is longer than the screen.
 * Then it goes through $STOA_PAGER, $PAGER or `less`, and what is printed to stderr on the same
 * terminal goes there, too. A pager that is not there is not used. When the reader ends it early,
 * the stream fails with EPIPE.
 *
 * @return the stream; `out` if nothing is to be paged
 */
FILE *cli_pager_open(FILE *out);
/* Allow the pager; until then everything goes to the terminal at once. */
void cli_pager_allow(bool is_allowed);
/* Where messages to stderr go: behind output that is held back, if there is any. */
FILE *cli_pager_messages(void);
/* Show what is held back, and use no pager from now on. */
void cli_pager_release(void);
/* Show what is held back, or wait for the reader to end the pager. It is called at exit, too. */
void cli_pager_end(void);
/* The same for a signal handler: held output is lost. */
void cli_pager_end_in_handler(void);
bool cli_pager_runs(void);
/* Whether the reader ended the pager before it had everything. */
bool cli_pager_was_left(void);

#endif
