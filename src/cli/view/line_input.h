/* A line that a person types: its text, and the cursor in it. */
#ifndef STOA_CLI_VIEW_LINE_INPUT_H
#define STOA_CLI_VIEW_LINE_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zero-initialise. */
typedef struct cli_line_input {
    char *text;    /* UTF-8, with NUL; owned; NULL until the line is begun */
    size_t cursor; /* in bytes */
    char **past;   /* lines that were accepted, oldest first; owned */
    size_t n_past;
    size_t at_past; /* the one that is shown; n_past: the line itself */
} cli_line_input;

/* Begin with a text, and the cursor behind it. */
void cli_line_input_begin(cli_line_input *input, const char *text);
/* Do what a key says: insert, delete, move, or go back to lines of before. False if it says nothing
 * here. */
bool cli_line_input_key(cli_line_input *input, uint32_t key);
/* Remember the line for later ones. */
void cli_line_input_accept(cli_line_input *input);
void cli_line_input_clear(cli_line_input *input);

#endif
