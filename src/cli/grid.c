/* See grid.h. */
#include "cli/grid.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { GAP = 2 };

void cli_grid_init(cli_grid *grid, size_t n_columns, const char *const *titles, const char *right)
{
    *grid = (cli_grid){.n_columns = n_columns};
    grid->titles = cli_resize(NULL, n_columns, sizeof *grid->titles);
    grid->right = cli_resize(NULL, n_columns, sizeof *grid->right);
    grid->widths = cli_resize(NULL, n_columns, sizeof *grid->widths);
    for (size_t i = 0; i < n_columns; i++) {
        grid->titles[i] = titles[i];
        grid->right[i] = right[i] == 'r';
        grid->widths[i] = cli_width(titles[i]);
    }
}

void cli_grid_take(cli_grid *grid, char *text)
{
    const size_t column = grid->n_cells % grid->n_columns;
    const size_t width = cli_width(text);

    if (grid->n_cells == grid->capacity) {
        grid->capacity = grid->capacity * 2 + 64;
        grid->cells = cli_resize(grid->cells, grid->capacity, sizeof *grid->cells);
    }
    grid->cells[grid->n_cells++] = text;
    if (width > grid->widths[column]) {
        grid->widths[column] = width;
    }
}

void cli_grid_put(cli_grid *grid, const char *format, ...)
{
    char *text = NULL;
    va_list values;

    va_start(values, format);
    if (vasprintf(&text, format, values) < 0) {
        text = cli_copy("");
    }
    va_end(values);
    cli_grid_take(grid, text);
}

void cli_pad(FILE *out, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        fputc(' ', out);
    }
}

/* No blanks at the end of a line: they would wrap it on a terminal that is just wide enough. */
static void print_row(const cli_grid *grid, FILE *out, const char *const *cells)
{
    size_t owed = 0;

    for (size_t i = 0; i < grid->n_columns; i++) {
        const size_t width = cli_width(cells[i]);
        const size_t room = grid->widths[i] > width ? grid->widths[i] - width : 0;

        owed += grid->right[i] ? room : 0;
        if (cells[i][0] != '\0') {
            cli_pad(out, owed);
            fputs(cells[i], out);
            owed = 0;
        } else {
            owed += width;
        }
        owed += (grid->right[i] ? 0 : room) + GAP;
    }
    fputc('\n', out);
}

void cli_grid_print(cli_grid *grid, FILE *out, bool head)
{
    if (head) {
        fputs(cli_style(out, "1"), out);
        print_row(grid, out, grid->titles);
        fputs(cli_style(out, "0"), out);
        fputs(cli_style(out, "2"), out);
        for (size_t i = 0; i < grid->n_columns; i++) {
            cli_pad(out, i > 0 ? GAP : 0);
            for (size_t j = 0; j < grid->widths[i]; j++) {
                fputs("─", out);
            }
        }
        fprintf(out, "%s\n", cli_style(out, "0"));
    }
    for (size_t at = 0; at + grid->n_columns <= grid->n_cells; at += grid->n_columns) {
        print_row(grid, out, (const char *const *)grid->cells + at);
    }
    for (size_t i = 0; i < grid->n_cells; i++) {
        free(grid->cells[i]);
    }
    grid->n_cells = 0;
}

void cli_grid_clear(cli_grid *grid)
{
    for (size_t i = 0; i < grid->n_cells; i++) {
        free(grid->cells[i]);
    }
    free(grid->cells);
    free(grid->titles);
    free(grid->right);
    free(grid->widths);
    *grid = (cli_grid){0};
}
