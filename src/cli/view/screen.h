/*
 * The whole terminal: its size, its keys, and what it shows. There is one per process.
 *
 * Sequences are those of ECMA-48, which all terminals of today share. The terminal is given back as
 * it was however the command ends: by a return, by exit(), by a signal, and after a crash. While
 * another program has it (Ctrl-Z, SIGTSTP), too.
 */
#ifndef STOA_CLI_VIEW_SCREEN_H
#define STOA_CLI_VIEW_SCREEN_H

#include "cli/common/cli.h"
#include "cli/view/frame.h"

/* Whether there is one: stdout is a terminal, keys can be read, and TERM is not "dumb". Otherwise
 * *why says what is missing. */
bool cli_screen_is_there(const char **why);

/* Take the terminal. Until cli_screen_close(), what is printed to stderr is kept aside. */
stoa_status cli_screen_open(stoa_error *err);
/* Give it back. Does nothing if it is not taken. */
void cli_screen_close(void);
bool cli_screen_is_open(void);

void cli_screen_size(size_t *n_lines, size_t *n_columns);
/* Draw the lines that changed. */
void cli_screen_show(const cli_frame *frame);
/* Draw all lines the next time. */
void cli_screen_forget(void);

/* The next key; CLI_KEY_NONE after so many milliseconds without one (-1: wait for it). At the end
 * of the input it is CLI_KEY_CLOSED. */
enum { CLI_KEY_CLOSED = 0x120000 };
uint32_t cli_screen_key(int milliseconds);
/* Whether a key waits, so that a job makes room for it. */
bool cli_screen_has_key(void);
/* Whether Esc or Ctrl-C was pressed. They are taken; other keys wait. */
bool cli_screen_is_cancelled(void);

/* Give the terminal to the shell until it continues the program. */
void cli_screen_stop(void);

/* The last line that was printed to stderr since the call before; NULL: none. The caller frees
 * it. */
char *cli_screen_remark(void);

#endif
