/* Output to a terminal. Names, titles, labels and values come from files, and some characters
 * control a terminal. They are escape sequences, single C1 characters, and controls that change the
 * text direction (Unicode Standard Annex #9). On a terminal they are always shown escaped, through
 * cli_escaped(). Files and pipes get the bytes unchanged. */
#ifndef STOA_CLI_TERMINAL_H
#define STOA_CLI_TERMINAL_H

#include "cli/common/cli.h"
#include "layout/text/sink.h"

/* From now on, escape what is printed to stdout, except line ends and tabs, if it is a terminal. */
void cli_terminal_begin(void);
/* The same for a stream. Returns the stream to write to, which closes `out` when it is closed;
 * `out` itself if it is not a terminal. */
FILE *cli_terminal_guard(FILE *out);

/* Whether output to it is shown on a terminal. */
bool cli_is_terminal(FILE *out);
/* The width of the terminal in columns; 80 if it is not a terminal. */
size_t cli_terminal_width(FILE *out);

/* Start (code "1" bold, "2" dim, "31" red, ...) or end ("0") a style, if `out` is a terminal that
 * allows colour (NO_COLOR, TERM=dumb). */
void cli_paint(FILE *out, const char *code);

/* The stream behind the escapes, for what the program itself draws on a terminal. Nothing may have
 * been written to `out` yet. */
FILE *cli_terminal_raw(FILE *out);

/* Write a text with invalid UTF-8 and control characters escaped, as \n, \t, \x1b, \u202e. */
void cli_escaped(stoa_sink *sink, const char *bytes, size_t length);

/* Prepare a text for one line of `out`: escaped on a terminal; elsewhere only line ends are. `text`
 * is consumed, and the caller frees the result. */
char *cli_within_line(FILE *out, char *text);

#endif
