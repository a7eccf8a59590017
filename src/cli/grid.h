/* Text in aligned columns, for people: numbers to the right, widths as a terminal shows them. */
#ifndef STOA_CLI_GRID_H
#define STOA_CLI_GRID_H

#include "cli/cli.h"

typedef struct cli_grid {
    size_t n_columns;
    char **titles;
    bool *right;    /* columns of numbers */
    size_t *widths; /* of what was printed so far */
    char **cells;   /* row by row; owned */
    size_t n_cells;
    size_t capacity;
} cli_grid;

/* `titles` are copied; `right` has a letter a column: 'r' or 'l'. */
void cli_grid_init(cli_grid *grid, size_t n_columns, const char *const *titles, const char *right);
/* The next cell, row by row: taken over, or copied, or printed. */
void cli_grid_take(cli_grid *grid, char *text);
void cli_grid_put(cli_grid *grid, const char *format, ...) STOA_PRINTF(2, 3);
/* Print the head (titles and a rule), if asked, and the rows, and forget the rows. The widths stay,
 * so that a long table can be printed in pieces. */
void cli_grid_print(cli_grid *grid, FILE *out, bool head);
void cli_grid_clear(cli_grid *grid);

/* Columns a terminal needs to show valid UTF-8. */
size_t cli_width(const char *text);
/* The same number of columns in spaces. */
void cli_pad(FILE *out, size_t n);

#endif
