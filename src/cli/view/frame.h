/* One picture of the terminal, line by line. */
#ifndef STOA_CLI_VIEW_FRAME_H
#define STOA_CLI_VIEW_FRAME_H

#include <stdbool.h>
#include <stddef.h>

#include "layout/text/sink.h"

typedef enum cli_style {
    CLI_PLAIN = 0,
    CLI_BOLD = 1,
    CLI_DIM = 2,
    CLI_REVERSE = 4,
    CLI_ALERT = 8, /* red, where there are colours; else bold */
} cli_style;

/* Zero-initialise. */
typedef struct cli_frame {
    size_t n_lines;
    size_t n_columns;
    bool has_colour;
    stoa_sink *lines; /* texts with their styles; owned */
    size_t n_owned;
    size_t line;     /* the one that is being drawn, and its columns so far */
    size_t column;   /* SIZE_MAX after a text was cut */
    bool has_cursor; /* at: */
    size_t cursor_line;
    size_t cursor_column;
} cli_frame;

/* Begin a picture, at its first line. */
void cli_frame_begin(cli_frame *frame, size_t n_lines, size_t n_columns);
/* Go to a line, which is empty then. What is below the last one is not drawn. */
void cli_frame_go(cli_frame *frame, size_t line);
/* Put a text from anywhere: controls are escaped, and what does not fit is cut, as "abc…". */
void cli_frame_put(cli_frame *frame, cli_style style, const char *text);
/* The same in a cell of that width. */
void cli_frame_cell(cli_frame *frame, cli_style style, const char *text, size_t width,
                    bool is_right);
/* Blanks up to that column. */
void cli_frame_fill(cli_frame *frame, cli_style style, size_t column);
/* Put the cursor of the terminal here. */
void cli_frame_cursor(cli_frame *frame);
void cli_frame_clear(cli_frame *frame);

/* A text as it is shown: controls are escaped. The caller frees it. */
char *cli_shown(const char *text);

#endif
