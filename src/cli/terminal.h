/*
 * What a terminal gets. Names, titles, labels and values come from files, and a terminal obeys some
 * of what it is shown: escape sequences, also by one C1 character, and controls that turn the order
 * of what follows (Unicode Standard Annex #9). On a terminal all of these are shown escaped, by
 * cli_escaped() alone, whichever command prints them. Files and pipes get the bytes as they are.
 */
#ifndef STOA_CLI_TERMINAL_H
#define STOA_CLI_TERMINAL_H

#include "cli/cli.h"
#include "layout/sink.h"

/* From now on stdout, if it is a terminal, escapes what is printed, but for the ends of lines and
 * tabs. */
void cli_terminal_begin(void);
/* The same for a stream: what to write to instead, which closes `out` with itself. `out` if it is
 * no terminal. */
FILE *cli_terminal_guard(FILE *out);

/* Whether what is printed to it is shown, not kept. */
bool cli_is_terminal(FILE *out);
/* Its columns; 80 where there is no terminal. */
size_t cli_terminal_width(FILE *out);

/* Start (code "1" bold, "2" dim, "31" red, ...) or end ("0") a style, where `out` is a terminal
 * that wants colour (NO_COLOR, TERM=dumb). */
void cli_paint(FILE *out, const char *code);

/* A text with bytes that are no UTF-8 and all that drives a terminal as \n, \t, \x1b, \u202e. */
void cli_escaped(stoa_sink *sink, const char *bytes, size_t length);

/* A text as it is printed within a line of `out`: escaped on a terminal, elsewhere but for the ends
 * of lines as it is. Takes `text` over; the caller's. */
char *cli_within_line(FILE *out, char *text);

#endif
