#include "cli/output/grid.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/progress.h"
#include "cli/common/terminal.h"

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

static void take(cli_grid *grid, char *text)
{
    if (grid->n_cells == grid->capacity) {
        grid->capacity = grid->capacity * 2 + 64;
        grid->cells = cli_resize(grid->cells, grid->capacity, sizeof *grid->cells);
    }
    grid->cells[grid->n_cells++] = text;
}

void cli_grid_take(cli_grid *grid, char *text)
{
    if (grid->is_json) {
        char *const quoted = cli_json_quoted(text);
        free(text);
        text = quoted;
    }
    take(grid, text);
}

void cli_grid_take_number(cli_grid *grid, char *text)
{
    take(grid, text);
}

void cli_grid_count(cli_grid *grid, uint64_t n)
{
    take(grid, cli_sprintf("%llu", (unsigned long long)n));
}

void cli_grid_bytes(cli_grid *grid, uint64_t n)
{
    char text[16];

    if (grid->is_json) {
        cli_grid_count(grid, n);
    } else {
        cli_human_bytes(n, text);
        take(grid, cli_copy(text));
    }
}

void cli_grid_none(cli_grid *grid, const char *text)
{
    take(grid, cli_copy(grid->is_json ? "null" : text));
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

static bool is_hidden(const cli_grid *grid, size_t column)
{
    return column >= grid->hidden[0] && column < grid->hidden[1];
}

/* Lines have no trailing blanks, which would wrap on a terminal of exactly that width. */
static void print_row(const cli_grid *grid, FILE *out, const char *const *cells)
{
    size_t owed = 0;

    for (size_t i = 0; i < grid->n_columns; i++) {
        if (is_hidden(grid, i)) {
            if (i == grid->hidden[0]) {
                cli_pad(out, owed);
                fputs("…", out);
                owed = GAP;
            }
            continue;
        }
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

/* Leave out columns in the middle until a line of `total` columns fits. */
static void hide(cli_grid *grid, size_t total, size_t room)
{
    size_t *const hidden = grid->hidden;

    hidden[0] = hidden[1] = (grid->n_columns + 1) / 2;
    total += 1 + GAP;
    while (total > room && hidden[1] - hidden[0] + 1 < grid->n_columns) {
        const bool is_left = hidden[0] > grid->n_columns - hidden[1];
        const size_t column = is_left ? --hidden[0] : hidden[1]++;
        total -= grid->widths[column] + GAP;
    }
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
            hide(grid, total, room);
            return;
        }
        grid->widths[widest]--;
        total--;
    }
}

static char *shorten(const cli_grid *grid, size_t column, char *text)
{
    if (cli_width(text) <= grid->widths[column]) {
        return text;
    }
    const size_t n = cli_fitting(text, grid->widths[column] - 1);
    char *const shown = cli_sprintf("%.*s…", (int)n, text);
    free(text);
    return shown;
}

static void discard(cli_grid *grid)
{
    for (size_t i = 0; i < grid->n_cells; i++) {
        free(grid->cells[i]);
    }
    grid->n_cells = 0;
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
            if (is_hidden(grid, i)) {
                fputs(i == grid->hidden[0] ? "  …" : "", out);
                continue;
            }
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
    discard(grid);
}

void cli_grid_print_json(cli_grid *grid, cli_json *json, const char *name)
{
    cli_json_open(json, name);
    for (size_t i = 0; i < grid->n_cells; i++) {
        const size_t column = i % grid->n_columns;
        if (column == 0) {
            cli_json_begin_item(json);
        }
        cli_json_value(json, grid->titles[column], grid->cells[i]);
        if (column + 1 == grid->n_columns) {
            cli_json_close(json, '}');
        }
    }
    cli_json_close(json, ']');
    discard(grid);
}

void cli_grid_clear(cli_grid *grid)
{
    discard(grid);
    for (size_t i = 0; grid->titles != NULL && i < grid->n_columns; i++) {
        free(grid->titles[i]);
    }
    free(grid->cells);
    free(grid->titles);
    free(grid->right);
    free(grid->widths);
    *grid = (cli_grid){0};
}
