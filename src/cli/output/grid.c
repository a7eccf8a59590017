#include "cli/output/grid.h"
#include "cli/common/terminal.h"

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
        grid->titles[i] = cli_copy(titles[i]);
        grid->right[i] = right[i] == 'r';
        grid->widths[i] = 0;
    }
}

void cli_grid_take(cli_grid *grid, char *text)
{
    if (grid->n_cells == grid->capacity) {
        grid->capacity = grid->capacity * 2 + 64;
        grid->cells = cli_resize(grid->cells, grid->capacity, sizeof *grid->cells);
    }
    grid->cells[grid->n_cells++] = text;
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

/* Lines have no trailing blanks, which would wrap on a terminal of exactly that width. */
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

/* Format a cell for `out`, and widen its column as needed. */
static char *settle(cli_grid *grid, size_t column, FILE *out, char *text)
{
    char *const shown = cli_within_line(out, text);
    const size_t width = cli_width(shown);

    if (width > grid->widths[column]) {
        grid->widths[column] = width;
    }
    return shown;
}

/* Narrow the widest columns until a line fits the terminal. Titles keep a few characters. */
static void fit(cli_grid *grid, FILE *out)
{
    enum { LEAST = 8 };
    const size_t room = cli_is_terminal(out) ? cli_terminal_width(out) : SIZE_MAX;
    size_t total = grid->n_columns > 0 ? (grid->n_columns - 1) * GAP : 0;

    for (size_t i = 0; i < grid->n_columns; i++) {
        total += grid->widths[i];
    }
    while (total > room) {
        size_t widest = 0;
        for (size_t i = 1; i < grid->n_columns; i++) {
            widest = grid->widths[i] > grid->widths[widest] ? i : widest;
        }
        if (grid->widths[widest] <= LEAST) {
            return;
        }
        grid->widths[widest]--;
        total--;
    }
}

/* Cut a text to a width, with an ellipsis at its end. */
static void cut(char *text, size_t width)
{
    size_t end = strlen(text);

    while (end > 0 && cli_width(text) >= width) {
        do {
            end--;
        } while (end > 0 && ((unsigned char)text[end] & 0xc0) == 0x80);
        text[end] = '\0';
    }
}

static char *shorten(const cli_grid *grid, size_t column, char *text)
{
    if (cli_width(text) <= grid->widths[column]) {
        return text;
    }
    cut(text, grid->widths[column]);
    char *const shown = cli_sprintf("%s…", text);
    free(text);
    return shown;
}

void cli_grid_print(cli_grid *grid, FILE *out, bool head)
{
    for (size_t i = 0; head && i < grid->n_columns; i++) {
        grid->titles[i] = settle(grid, i, out, grid->titles[i]);
    }
    for (size_t i = 0; i < grid->n_cells; i++) {
        grid->cells[i] = settle(grid, i % grid->n_columns, out, grid->cells[i]);
    }
    if (head && cli_is_terminal(out)) {
        fit(grid, out);
        for (size_t i = 0; i < grid->n_columns; i++) {
            grid->titles[i] = shorten(grid, i, grid->titles[i]);
        }
    }
    for (size_t i = 0; cli_is_terminal(out) && i < grid->n_cells; i++) {
        grid->cells[i] = shorten(grid, i % grid->n_columns, grid->cells[i]);
    }
    if (head) {
        cli_paint(out, "1");
        print_row(grid, out, (const char *const *)grid->titles);
        cli_paint(out, "0");
        cli_paint(out, "2");
        for (size_t i = 0; i < grid->n_columns; i++) {
            cli_pad(out, i > 0 ? GAP : 0);
            for (size_t j = 0; j < grid->widths[i]; j++) {
                fputs("─", out);
            }
        }
        cli_paint(out, "0");
        fputc('\n', out);
    }
    /* A table without columns has no cells. */
    for (size_t at = 0; at < grid->n_cells && at + grid->n_columns <= grid->n_cells;
         at += grid->n_columns) {
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
    for (size_t i = 0; grid->titles != NULL && i < grid->n_columns; i++) {
        free(grid->titles[i]);
    }
    free(grid->cells);
    free(grid->titles);
    free(grid->right);
    free(grid->widths);
    *grid = (cli_grid){0};
}
