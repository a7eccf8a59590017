/* Draws what a view shows. The first line is the title, the last one says where the cursor is. */
#include <stdlib.h>
#include <string.h>

#include "cli/output/grid.h"
#include "cli/view/screen.h"
#include "cli/view/view.h"

/* Lines of an error above what is being typed; and of a screen that has one for units. */
enum { MOST_ERROR_LINES = 4, UNITS_LINES = 9 };

/* --- first and last lines -------------------------------------------------------------------- */

static void draw_title(cli_frame *frame, const char *left, const char *right)
{
    const size_t width = cli_width(right);

    cli_frame_go(frame, 0);
    if (width + 12 < frame->n_columns) {
        cli_frame_cell(frame, CLI_REVERSE, left, frame->n_columns - width - 2, false);
        cli_frame_put(frame, CLI_REVERSE, "  ");
        cli_frame_put(frame, CLI_REVERSE, right);
    } else {
        cli_frame_cell(frame, CLI_REVERSE, left, frame->n_columns, false);
    }
}

static const char *prompt_of(cli_prompt prompt)
{
    static const char *const texts[] = {"", "filter: ", "search: ", "row: ", ""};

    return texts[prompt];
}

/* Draw the line that is typed. Its cursor stays in sight. */
static void draw_prompt(cli_view *view)
{
    cli_frame *const frame = &view->frame;
    const cli_line_input *const input = &view->inputs[view->prompt];
    const char *const label = prompt_of(view->prompt);
    const char *from = input->text;

    cli_frame_go(frame, frame->n_lines - 1);
    if (cli_width(label) + 8 < frame->n_columns) {
        cli_frame_put(frame, CLI_BOLD, label);
    }
    char *const before = cli_sprintf("%.*s", (int)input->cursor, input->text);
    size_t width = cli_width(before);
    const size_t room = frame->n_columns - frame->column - 1;
    while (width > room && *from != '\0') {
        const size_t n = cli_fitting(from, width - room);
        from += n > 0 ? n : 1;
        while (((unsigned char)*from & 0xc0) == 0x80) {
            from++;
        }
        width = cli_width(before + (from - input->text));
    }
    char *const left = cli_sprintf("%s", before + (from - input->text));
    cli_frame_put(frame, CLI_PLAIN, left);
    cli_frame_cursor(frame);
    cli_frame_put(frame, CLI_PLAIN, input->text + input->cursor);
    free(left);
    free(before);
}

/* Draw the error of what was typed above it, in as many lines as it needs. */
static void draw_error(cli_view *view)
{
    cli_frame *const frame = &view->frame;
    cli_page page = {.title = NULL};

    cli_page_set(&page, "", view->message, false);
    cli_page_wrap(&page, frame->n_columns, 1);
    const size_t half = frame->n_lines / 2;
    const size_t most = half < MOST_ERROR_LINES ? half : MOST_ERROR_LINES;
    const size_t n = page.n_lines < most ? page.n_lines : most;
    for (size_t i = 0; i < n; i++) {
        cli_frame_go(frame, frame->n_lines - 1 - n + i);
        cli_frame_put(frame, CLI_ALERT, page.lines[i]);
    }
    cli_page_clear(&page);
}

static void draw_last(cli_view *view, const char *where)
{
    static const char hint[] = "? help";
    cli_frame *const frame = &view->frame;
    const size_t n = frame->n_columns;

    if (view->prompt != CLI_NO_PROMPT) {
        if (view->message != NULL) {
            draw_error(view);
        }
        draw_prompt(view);
        return;
    }
    cli_frame_go(frame, frame->n_lines - 1);
    if (view->message != NULL) {
        cli_frame_put(frame, view->is_alert ? CLI_ALERT : CLI_BOLD, view->message);
    } else if (n > 40) {
        cli_frame_cell(frame, CLI_DIM, where, n - sizeof hint - 1, false);
        cli_frame_put(frame, CLI_DIM, "  ");
        cli_frame_put(frame, CLI_DIM, hint);
    } else {
        cli_frame_put(frame, CLI_DIM, where);
    }
}

void cli_view_draw_job(cli_view *view, const stoa_progress *progress)
{
    const bool is_known = progress != NULL && progress->total_rows > 0;
    char *const text =
        is_known ? cli_sprintf("%s: %.0f %%, Esc ends it", view->job,
                               100.0 * (double)progress->rows / (double)progress->total_rows)
                 : cli_sprintf("%s, Esc ends it", view->job);

    cli_frame_go(&view->frame, view->frame.n_lines - 1);
    cli_frame_put(&view->frame, CLI_BOLD, text);
    view->frame.has_cursor = false;
    cli_screen_show(&view->frame);
    free(text);
}

/* --- the tree -------------------------------------------------------------------------------- */

static void draw_objects(cli_view *view)
{
    cli_frame *const frame = &view->frame;
    const size_t height = frame->n_lines > 2 ? frame->n_lines - 2 : 1;
    char *const count =
        cli_sprintf("%zu %s", view->objects.n, cli_plural(view->objects.n, "object", "objects"));

    draw_title(frame, view->place->place.file, count);
    free(count);
    cli_scroll_resize(&view->in_objects, view->objects.n_shown, height);
    for (size_t i = 0; i < height; i++) {
        const uint64_t line = view->in_objects.first + i;
        const cli_listed *const one = cli_object_list_at(&view->objects, line);
        if (one == NULL) {
            break;
        }
        const bool is_chosen = line == view->in_objects.cursor;
        const cli_style style = is_chosen ? CLI_REVERSE : CLI_PLAIN;
        const size_t indent = 2 * (size_t)one->level;
        cli_frame_go(frame, i + 1);
        cli_frame_fill(frame, style, indent < frame->n_columns / 2 ? indent : frame->n_columns / 2);
        cli_frame_put(frame, style, !one->has_inner ? "  " : one->is_folded ? "+ " : "- ");
        cli_frame_put(frame, style | CLI_BOLD, one->name);
        if (one->words[0] != '\0') {
            cli_frame_put(frame, style, "  ");
            cli_frame_put(frame, is_chosen ? style : CLI_DIM, one->words);
        }
        if (is_chosen) {
            cli_frame_fill(frame, style, frame->n_columns);
        }
    }
    const cli_listed *const chosen = cli_object_list_at(&view->objects, view->in_objects.cursor);
    draw_last(view, chosen != NULL && chosen->path != NULL ? chosen->path : "");
}

/* --- a table --------------------------------------------------------------------------------- */

static size_t digits_of(uint64_t n)
{
    size_t digits = 1;

    for (; n > 9; n /= 10) {
        digits++;
    }
    return digits;
}

static void draw_table_title(cli_view *view)
{
    const stoa_table *const table = view->place->table;
    const uint64_t n_rows = stoa_table_n_rows(table);
    const uint64_t n_columns = view->columns.n;
    char *const right =
        cli_sprintf("%llu %s, %llu %s, %s", (unsigned long long)n_rows,
                    cli_plural(n_rows, "row", "rows"), (unsigned long long)n_columns,
                    cli_plural(n_columns, "column", "columns"), stoa_table_layout(table));

    draw_title(&view->frame, view->place->name, right);
    free(right);
}

/* Where the cursor is, and what is asked of the table. */
static char *where_of(const cli_view *view)
{
    const cli_rows *const rows = &view->rows;
    const uint64_t n = cli_rows_count(rows);
    const uint64_t n_table = stoa_table_n_rows(rows->table);
    char *where = n == 0 ? cli_copy("no row")
                         : cli_sprintf("row %llu",
                                       (unsigned long long)cli_rows_at(rows, view->in_rows.cursor));

    if (n > 0) {
        cli_append(&where, ", %llu of %llu%s", (unsigned long long)(view->in_rows.cursor + 1),
                   (unsigned long long)n, rows->is_cut ? " (the first of the order)" : "");
    }
    if (cli_rows_is_searching(rows)) {
        cli_append(&where, ", %.0f %% searched", 100.0 * (double)rows->n_scanned / (double)n_table);
    }
    if (rows->where != NULL) {
        cli_append(&where, "  where %s", rows->where);
    }
    if (rows->sort != NULL) {
        cli_append(&where, "  by %s", rows->sort);
    }
    if (view->is_unfinished) {
        cli_append(&where, "  reading");
    }
    return where;
}

/* Read the cells that are in sight, and choose columns so that the cursor is. */
static void load_cells(cli_view *view, size_t height, size_t room)
{
    cli_columns *const columns = &view->columns;
    const cli_scroll *const s = &view->in_rows;
    const size_t n = !view->is_locked           ? 0
                     : s->n - s->first < height ? (size_t)(s->n - s->first)
                                                : height;
    uint64_t *const numbers = cli_resize(NULL, n + 1, sizeof *numbers);
    size_t before = SIZE_MAX;
    size_t n_before = 0;

    view->is_unfinished = false;
    for (size_t i = 0; i < n; i++) {
        numbers[i] = cli_rows_at(&view->rows, s->first + i);
    }
    while (view->is_locked && columns->n > 0 && !view->is_unfinished) {
        cli_columns_settle(columns, room);
        const size_t n_columns = cli_columns_in_sight(columns, room);
        if (columns->first == before && n_columns <= n_before) {
            break;
        }
        before = columns->first;
        n_before = n_columns;
        view->is_unfinished = !cli_cells_load(&view->cells, columns, columns->first, n_columns,
                                              numbers, n, cli_screen_has_key);
    }
    free(numbers);
}

/* The mark behind the name of a column that rows are sorted by. */
static const char *order_of(const cli_view *view, const cli_column *column)
{
    char *const name = cli_quoted(column->name);
    const char *const sort = view->rows.sort;
    const size_t n = strlen(name);
    const char *mark = "";

    if (sort != NULL && strncmp(sort, name, n) == 0) {
        mark = sort[n] == ':' ? "↓" : sort[n] == '\0' ? "↑" : "";
    }
    free(name);
    return mark;
}

static void draw_heads(cli_view *view, size_t margin, size_t room, bool has_units)
{
    cli_frame *const frame = &view->frame;
    const cli_columns *const columns = &view->columns;
    const size_t n = cli_columns_in_sight(columns, room);

    for (size_t line = 1; line <= (has_units ? 2u : 1u); line++) {
        cli_frame_go(frame, line);
        cli_frame_cell(frame, CLI_DIM, line == 1 ? "row" : "", margin - CLI_COLUMN_GAP, true);
        for (size_t i = columns->first; i < columns->first + n; i++) {
            const cli_column *const column = &columns->all[i];
            const cli_style chosen = i == columns->cursor ? CLI_REVERSE : CLI_PLAIN;
            const size_t width = cli_columns_width(columns, i, room);
            const char *const all = cli_column_below(column);
            const char *const below = column->item >= 0 && cli_width(all) > width ? "" : all;
            char *const name = cli_sprintf("%s%s", order_of(view, column), column->name);
            cli_frame_fill(frame, CLI_PLAIN, frame->column + CLI_COLUMN_GAP);
            cli_frame_cell(frame, line == 1 ? CLI_BOLD | chosen : CLI_DIM, line == 1 ? name : below,
                           width, column->is_right);
            free(name);
        }
    }
}

static void draw_rows(cli_view *view, size_t top, size_t height, size_t margin, size_t room)
{
    cli_frame *const frame = &view->frame;
    const cli_columns *const columns = &view->columns;
    const size_t n = cli_columns_in_sight(columns, room);
    char number[24];

    for (size_t row = 0; row < height && row < view->cells.n_rows; row++) {
        const bool is_chosen = view->in_rows.first + row == view->in_rows.cursor;
        (void)snprintf(number, sizeof number, "%llu", (unsigned long long)view->cells.rows[row]);
        cli_frame_go(frame, top + row);
        cli_frame_cell(frame, is_chosen ? CLI_REVERSE : CLI_DIM, number, margin - CLI_COLUMN_GAP,
                       true);
        for (size_t i = columns->first; i < columns->first + n; i++) {
            const char *const text = cli_cells_at(&view->cells, row, i);
            const cli_style style = !is_chosen             ? CLI_PLAIN
                                    : i == columns->cursor ? CLI_REVERSE | CLI_BOLD
                                                           : CLI_REVERSE;
            cli_frame_fill(frame, is_chosen ? CLI_REVERSE : CLI_PLAIN,
                           frame->column + CLI_COLUMN_GAP);
            cli_frame_cell(frame, style, text, cli_columns_width(columns, i, room),
                           columns->all[i].is_right);
        }
    }
}

static void draw_table(cli_view *view)
{
    cli_frame *const frame = &view->frame;
    const bool has_units = frame->n_lines >= UNITS_LINES;
    const size_t top = has_units ? 3 : 2;
    const size_t height = frame->n_lines > top + 1 ? frame->n_lines - top - 1 : 1;
    const uint64_t n_table = stoa_table_n_rows(view->place->table);
    const size_t digits = digits_of(n_table > 0 ? n_table - 1 : 0);
    const size_t margin = (digits > 3 ? digits : 3) + CLI_COLUMN_GAP;
    const size_t room = frame->n_columns > margin + 1 ? frame->n_columns - margin : 1;

    cli_scroll_resize(&view->in_rows, cli_rows_count(&view->rows), height);
    load_cells(view, height, room);
    draw_table_title(view);
    draw_heads(view, margin, room, has_units);
    draw_rows(view, top, height, margin, room);
    char *const where = where_of(view);
    draw_last(view, where);
    free(where);
}

/* --- a page ---------------------------------------------------------------------------------- */

static void draw_page(cli_view *view)
{
    cli_frame *const frame = &view->frame;
    cli_page *const page = &view->page;
    const size_t height = frame->n_lines > 2 ? frame->n_lines - 2 : 1;

    const size_t right = page->longest > frame->n_columns ? page->longest - frame->n_columns : 0;
    cli_page_wrap(page, frame->n_columns, height);
    page->left = page->left < right ? page->left : right;
    draw_title(frame, page->title, "");
    for (size_t i = 0; i < height && page->scroll.cursor + i < page->n_lines; i++) {
        cli_frame_go(frame, i + 1);
        const char *const line = page->lines[page->scroll.cursor + i];
        cli_frame_put(frame, CLI_PLAIN, line + cli_fitting(line, page->left));
    }
    char *const where = page->n_lines > height
                            ? cli_sprintf("lines %llu to %llu of %zu%s, q goes back",
                                          (unsigned long long)page->scroll.cursor + 1,
                                          (unsigned long long)(page->scroll.cursor + height),
                                          page->n_lines, right > 0 ? ", ← →" : "")
                            : cli_sprintf("%sq goes back", right > 0 ? "← →, " : "");
    draw_last(view, where);
    free(where);
}

void cli_view_draw(cli_view *view)
{
    size_t n_lines = 0;
    size_t n_columns = 0;

    cli_screen_size(&n_lines, &n_columns);
    cli_frame_begin(&view->frame, n_lines, n_columns);
    if (view->page.title != NULL) {
        draw_page(view);
    } else if (view->place->table != NULL) {
        draw_table(view);
    } else {
        draw_objects(view);
    }
    cli_screen_show(&view->frame);
}
