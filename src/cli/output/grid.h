/* Prints text in aligned columns: numbers to the right, widths as a terminal shows them. */
#ifndef STOA_CLI_GRID_H
#define STOA_CLI_GRID_H

#include "cli/common/cli.h"
#include "cli/output/json.h"

typedef struct cli_grid {
    size_t n_columns;
    char **titles;
    bool *right;    /* right-aligned columns */
    size_t *widths; /* of the cells printed so far */
    char **cells;   /* row by row; owned */
    size_t n_cells;
    size_t capacity;
    size_t hidden[2]; /* columns from .. to that a terminal has no room for */
    bool is_json;     /* cells are JSON, for cli_grid_print_json(); set it before the first cell */
} cli_grid;

/* `titles` are copied; `right` has one letter per column: 'r' or 'l'. */
void cli_grid_init(cli_grid *grid, size_t n_columns, const char *const *titles, const char *right);
/* Add the next cell, row by row: _take() owns the text, the others copy or format it. */
void cli_grid_take(cli_grid *grid, char *text);
void cli_grid_put(cli_grid *grid, const char *format, ...) STOA_PRINTF(2, 3);
/* Cells that JSON has as numbers: any text of one, an integer, bytes as people read them; and one
 * without a value, for which people see `text`. */
void cli_grid_take_number(cli_grid *grid, char *text);
void cli_grid_count(cli_grid *grid, uint64_t n);
void cli_grid_bytes(cli_grid *grid, uint64_t n);
void cli_grid_none(cli_grid *grid, const char *text);
/* Print the titles and a rule if `head` is set, then print and discard the rows. Column widths are
 * kept, so that a long table can be printed in parts. */
void cli_grid_print(cli_grid *grid, FILE *out, bool head);
/* Add the rows to a JSON object as an array of objects, and discard them. */
void cli_grid_print_json(cli_grid *grid, cli_json *json, const char *name);
void cli_grid_clear(cli_grid *grid);

/* The number of terminal columns of valid UTF-8 text. */
size_t cli_width(const char *text);
/* The bytes of its longest prefix that takes at most `width` columns. */
size_t cli_fitting(const char *text, size_t width);
/* Print n spaces. */
void cli_pad(FILE *out, size_t n);

#endif
