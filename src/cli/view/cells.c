#include "cli/view/cells.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/output/cell.h"
#include "cli/view/frame.h"
#include "column/read/rows.h"

/* Items of a list, and bytes of a text, that a cell has room for. */
enum { SHOWN_ITEMS = 48, SHOWN_BYTES = 512 };
/* Values that are read at once. */
enum { MOST_AT_ONCE = 1 << 22 };

/* --- values as texts ------------------------------------------------------------------------- */

/* Write a value, of a list only the first items. */
static void put_brief(stoa_sink *sink, const stoa_view *view, int64_t i)
{
    stoa_view child;
    int64_t first = 0;
    int64_t count = 0;
    char rest[32];

    if (!stoa_kind_is_list(view->type.kind) || stoa_view_is_null(view, i)) {
        cli_cell(sink, view, i);
        return;
    }
    stoa_view_range(view, i, &first, &count);
    if (count <= SHOWN_ITEMS) {
        cli_cell(sink, view, i);
        return;
    }
    if (stoa_view_child(view, 0, &child, sink->err) != STOA_OK) {
        sink->status = STOA_EDATA;
        return;
    }
    stoa_sink_char(sink, '[');
    for (int64_t j = 0; j < SHOWN_ITEMS; j++) {
        put_brief(sink, &child, first + j);
        stoa_sink_text(sink, ", ");
    }
    (void)snprintf(rest, sizeof rest, "… %lld]", (long long)count);
    stoa_sink_text(sink, rest);
}

static char *brief_text(const stoa_view *view, int64_t i)
{
    stoa_error why = STOA_ERROR_INIT;
    stoa_sink sink = {.err = &why};

    put_brief(&sink, view, i);
    const char *const bytes = sink.text.size > 0 ? (const char *)sink.text.data : "";
    size_t length = sink.text.size;
    if (length > SHOWN_BYTES) { /* not in a character */
        length = SHOWN_BYTES;
        while (length > 0 && ((unsigned char)bytes[length] & 0xc0) == 0x80) {
            length--;
        }
    }
    char *const text = sink.status == STOA_OK ? cli_sprintf("%.*s%s", (int)length, bytes,
                                                            length < sink.text.size ? "…" : "")
                                              : cli_sprintf("(%s)", why.message);
    char *const shown = cli_shown(text);
    free(text);
    stoa_sink_clear(&sink);
    return shown;
}

/* What a column shows of row *i: the row, or an item of its list unless that is missing. */
static stoa_status find_value(const cli_column *column, const stoa_view *rows, int64_t *i,
                              stoa_view *view, stoa_error *err)
{
    int64_t first = 0;
    int64_t count = 0;

    *view = *rows;
    if (column->item >= 0 && !stoa_view_is_null(rows, *i)) {
        STOA_RETURN_NOT_OK(stoa_view_child(rows, 0, view, err));
        stoa_view_range(rows, *i, &first, &count);
        *i = first + column->item;
    }
    return STOA_OK;
}

static void take_value(cli_cell_value *to, cli_column *column, const stoa_view *rows, int64_t i)
{
    stoa_view items;

    if (find_value(column, rows, &i, &items, NULL) != STOA_OK) {
        to->text = cli_copy("-");
        return;
    }
    cli_float_learn(&column->style, &items, i);
    to->is_float = column->style.is_float && !stoa_view_is_null(&items, i);
    to->number = to->is_float ? stoa_view_f64(&items, i) : (double)NAN;
    to->text = brief_text(&items, i);
}

/* Give floats the style that their column has by now. */
static void restyle(cli_cells *cells, cli_columns *columns)
{
    for (size_t i = 0; i < cells->n_rows * cells->n_columns; i++) {
        cli_cell_value *const value = &cells->values[i];
        const size_t column = cells->first + i % cells->n_columns;
        char *const text = value->text != NULL && value->is_float
                               ? cli_float_text(&columns->all[column].style, value->number)
                               : NULL;
        if (text != NULL) {
            free(value->text);
            value->text = text;
        }
        if (value->text != NULL) {
            cli_columns_widen(columns, column, value->text);
        }
    }
}

/* --- reading --------------------------------------------------------------------------------- */

static cli_cell_value *value_at(const cli_cells *cells, size_t row, size_t column)
{
    return &cells->values[row * cells->n_columns + column];
}

/* Take what an older window has of the same rows and columns. */
static void take_over(cli_cells *cells, cli_cells *old)
{
    for (size_t row = 0; row < cells->n_rows; row++) {
        size_t was = 0;
        while (was < old->n_rows && old->rows[was] != cells->rows[row]) {
            was++;
        }
        for (size_t i = 0; was < old->n_rows && i < cells->n_columns; i++) {
            const size_t column = cells->first + i;
            if (column >= old->first && column < old->first + old->n_columns) {
                cli_cell_value *const from = value_at(old, was, column - old->first);
                *value_at(cells, row, i) = *from;
                from->text = NULL;
            }
        }
    }
}

/* The end of the run of consecutive row numbers from `row` on whose value is not read yet. */
static size_t run_end(const cli_cells *cells, size_t row, size_t column, size_t most)
{
    size_t end = row + 1;

    while (end < cells->n_rows && end - row < most &&
           cells->rows[end] == cells->rows[end - 1] + 1 &&
           value_at(cells, end, column)->text == NULL) {
        end++;
    }
    return end;
}

/* Read a run of rows, of one column and those after it that are parts of it. */
static void read_run(cli_cells *cells, cli_columns *columns, size_t from, size_t end, size_t column,
                     size_t n_columns)
{
    stoa_column *const of = columns->all[cells->first + column].of;
    stoa_column_rows rows = {.view = {.length = 0}};
    stoa_error why = STOA_ERROR_INIT;
    const stoa_status status =
        stoa_column_rows_read(of, cells->rows[from], end - from, &rows, &why);

    if (status != STOA_OK && end - from > 1) { /* which of them cannot be read? */
        for (size_t row = from; row < end; row++) {
            read_run(cells, columns, row, row + 1, column, n_columns);
        }
        from = end;
    }
    for (size_t row = from; row < end; row++) {
        for (size_t i = column; i < column + n_columns; i++) {
            cli_cell_value *const to = value_at(cells, row, i);
            if (to->text != NULL) {
                continue;
            }
            if (status == STOA_OK) {
                take_value(to, &columns->all[cells->first + i], &rows.view, (int64_t)(row - from));
            } else {
                to->text = cli_sprintf("(%s)", why.message);
            }
        }
    }
    stoa_column_rows_clear(&rows);
}

/* Read what is missing of a column and of those that are parts of the same. */
static bool read_column(cli_cells *cells, cli_columns *columns, size_t column, size_t n_columns,
                        cli_cells_stop *stops)
{
    const cli_column *const of = &columns->all[cells->first + column];
    const uint64_t n_values = of->n_values > 0 ? of->n_values : 1;
    const size_t most = n_values < MOST_AT_ONCE ? (size_t)(MOST_AT_ONCE / n_values) : 1;

    for (size_t row = 0; row < cells->n_rows;) {
        size_t missing = column;
        while (missing < column + n_columns && value_at(cells, row, missing)->text != NULL) {
            missing++;
        }
        if (missing == column + n_columns) {
            row++;
            continue;
        }
        if (of->is_unreadable || n_values > CLI_MOST_VALUES) {
            value_at(cells, row, column)->text =
                of->is_unreadable ? cli_copy("?")
                                  : cli_sprintf("[%llu values]", (unsigned long long)n_values);
            row++;
            continue;
        }
        if (stops != NULL && stops()) {
            return false;
        }
        const size_t end = run_end(cells, row, missing, most);
        read_run(cells, columns, row, end, column, n_columns);
        row = end;
    }
    return true;
}

bool cli_cells_load(cli_cells *cells, cli_columns *columns, size_t first, size_t n_columns,
                    const uint64_t *rows, size_t n_rows, cli_cells_stop *stops)
{
    cli_cells old = *cells;
    bool is_whole = true;

    *cells = (cli_cells){.n_rows = n_rows, .first = first, .n_columns = n_columns};
    cells->rows = cli_resize(NULL, n_rows + 1, sizeof *cells->rows);
    cells->values = cli_resize(NULL, n_rows * n_columns + 1, sizeof *cells->values);
    memset(cells->values, 0, (n_rows * n_columns + 1) * sizeof *cells->values);
    if (n_rows > 0) {
        memcpy(cells->rows, rows, n_rows * sizeof *rows);
    }
    take_over(cells, &old);
    cli_cells_clear(&old);
    for (size_t i = 0; i < n_columns; i++) {
        cli_columns_look(columns, first + i);
    }
    for (size_t i = 0; i < n_columns && is_whole;) {
        const size_t n = columns->all[first + i].item >= 0 ? n_columns - i : 1;
        is_whole = read_column(cells, columns, i, n, stops);
        i += n;
    }
    restyle(cells, columns);
    return is_whole;
}

const char *cli_cells_at(const cli_cells *cells, size_t row, size_t column)
{
    const bool is_in =
        row < cells->n_rows && column >= cells->first && column < cells->first + cells->n_columns;
    const char *const text = is_in ? value_at(cells, row, column - cells->first)->text : NULL;

    return text != NULL ? text : "";
}

void cli_cells_clear(cli_cells *cells)
{
    for (size_t i = 0; i < cells->n_rows * cells->n_columns; i++) {
        free(cells->values[i].text);
    }
    free(cells->values);
    free(cells->rows);
    *cells = (cli_cells){.rows = NULL};
}

stoa_status cli_cells_whole(const cli_column *column, uint64_t row, char **text, stoa_error *err)
{
    stoa_column_rows rows = {.view = {.length = 0}};
    stoa_view view;
    int64_t i = 0;
    stoa_status status = STOA_OK;

    if (column->n_values > CLI_MOST_VALUES) {
        STOA_FAIL(err, STOA_ERANGE, "a row has %llu values; query a part, as 'FILE:PATH[0, 0:100]'",
                  (unsigned long long)column->n_values);
    }
    STOA_TRY(stoa_column_rows_read(column->of, row, 1, &rows, err));
    STOA_TRY(find_value(column, &rows.view, &i, &view, err));
    STOA_TRY(cli_cell_text(&view, i, text, err));

done:
    stoa_column_rows_clear(&rows);
    return status;
}
