/*
 * Lines that a person types, with editing, history and completion by libedit.
 *
 * libedit is opened at run time. Without it, lines are read as the terminal gives them.
 */
#ifndef STOA_CLI_LINE_EDITOR_H
#define STOA_CLI_LINE_EDITOR_H

#include <stdbool.h>

/* Gives the words that begin with `start`, one a call, then NULL. Each is yours to malloc();
 * libedit frees it. `state` is 0 in the first call. File names complete a word that has none. */
typedef char *cli_completion(const char *start, int state);

/* Read the history of earlier runs, from a file of that name among Stoa's state. */
void cli_line_editor_open(const char *history, cli_completion *complete);
/* The next line without its end, for free(). NULL at the end of the input, or if a signal came:
 * cli_interrupted(). */
char *cli_line_editor_read(const char *prompt);
/* Add an entry to the history, and to its file. */
void cli_line_editor_remember(const char *entry);

#endif
