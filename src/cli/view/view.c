/* What keys do. */
#include "cli/view/view.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/view/key.h"
#include "cli/view/screen.h"

/* --- lines that are typed -------------------------------------------------------------------- */

static void ask(cli_view *view, cli_prompt prompt, const char *text)
{
    view->prompt = prompt;
    cli_line_input_begin(&view->inputs[prompt], text);
}

/* A condition of the query language: the chosen column contains the text, or has that value. */
static char *condition_of(const cli_view *view)
{
    const cli_column *const column = &view->columns.all[view->columns.cursor];
    char *const name = cli_quoted(column->name);
    char *quoted = cli_copy("'");
    char *condition = NULL;

    for (const char *at = view->searched; *at != '\0'; at++) {
        cli_append(&quoted, *at == '\'' ? "''" : "%c", *at);
    }
    cli_append(&quoted, "'");
    condition = column->is_text    ? cli_sprintf("contains(lower(%s), lower(%s))", name, quoted)
                : column->is_right ? cli_sprintf("%s = %s", name, view->searched)
                                   : cli_sprintf("%s = %s", name, quoted);
    free(quoted);
    free(name);
    return condition;
}

static stoa_status search(cli_view *view, bool is_backward, stoa_error *err)
{
    const stoa_listener listener = cli_view_job(view, "search");
    uint64_t position = UINT64_MAX;
    stoa_status status = STOA_OK;

    if (view->searched == NULL) {
        return stoa_fail(err, STOA_EINVAL, "nothing was searched for yet; / asks for it");
    }
    if (view->place->table == NULL) {
        position = cli_object_list_find(&view->objects, view->in_objects.cursor, view->searched,
                                        is_backward);
    } else if (view->columns.n > 0) {
        char *const condition = condition_of(view);
        status = cli_rows_search(&view->rows, condition, view->in_rows.cursor, is_backward,
                                 &listener, &position, err);
        free(condition);
    }
    STOA_RETURN_NOT_OK(status);
    if (position == UINT64_MAX) {
        cli_view_say(view, false, "'%s' was not found", view->searched);
    } else if (view->place->table == NULL) {
        view->in_objects.n = view->objects.n_shown;
        cli_scroll_to(&view->in_objects, position);
    } else {
        view->in_rows.n = cli_rows_count(&view->rows);
        cli_scroll_to(&view->in_rows, position);
    }
    return STOA_OK;
}

/* Go to a row number; under a filter to the next row that passes. */
static stoa_status go_to(cli_view *view, const char *text, stoa_error *err)
{
    char *end = NULL;
    const uint64_t n = cli_rows_count(&view->rows);
    const uint64_t n_rows = stoa_table_n_rows(view->place->table);

    errno = 0;
    const unsigned long long row = strtoull(text, &end, 10);
    if (end == text || *end != '\0' || text[0] == '-' || errno != 0) {
        return stoa_fail(err, STOA_EINVAL, "'%s' is no row number; rows are counted from 0", text);
    }
    if (row >= n_rows) {
        return stoa_fail(err, STOA_ERANGE, "the last of the %llu rows is %llu",
                         (unsigned long long)n_rows,
                         (unsigned long long)(n_rows > 0 ? n_rows - 1 : 0));
    }
    const uint64_t position = cli_rows_find(&view->rows, row);
    if (position >= n) {
        return stoa_fail(err, STOA_ENOTFOUND,
                         "row %llu, or one behind it, is not among those shown", row);
    }
    cli_scroll_to(&view->in_rows, position);
    return STOA_OK;
}

/* Do what was typed. The line stays open if there is a mistake in it. */
static stoa_status do_prompt(cli_view *view, stoa_error *err)
{
    const char *const text = view->inputs[view->prompt].text;
    stoa_status status = STOA_OK;

    if (view->prompt == CLI_FILTER) {
        STOA_RETURN_NOT_OK(cli_rows_filter(&view->rows, text, err));
        view->in_rows = (cli_scroll){.n = 0};
    } else if (view->prompt == CLI_GO_TO) {
        STOA_RETURN_NOT_OK(go_to(view, text, err));
    } else if (text[0] != '\0') {
        free(view->searched);
        view->searched = cli_copy(text);
        status = search(view, false, err);
        if (status == STOA_ECANCELLED) {
            cli_view_say_error(view, err);
            status = STOA_OK;
        }
    }
    return status;
}

static void press_in_prompt(cli_view *view, uint32_t key)
{
    cli_line_input *const input = &view->inputs[view->prompt];
    stoa_error why = STOA_ERROR_INIT;

    if (key == CLI_KEY_ENTER) {
        if (do_prompt(view, &why) == STOA_OK) {
            cli_line_input_accept(input);
            view->prompt = CLI_NO_PROMPT;
        } else {
            cli_view_say_error(view, &why);
        }
    } else if (key == CLI_KEY_ESCAPE || key == CLI_CTRL('c') ||
               (key == CLI_KEY_BACKSPACE && input->text[0] == '\0')) {
        view->prompt = CLI_NO_PROMPT;
    } else {
        (void)cli_line_input_key(input, key);
    }
}

/* --- keys ------------------------------------------------------------------------------------ */

/* Move in a list as all programs do. False for other keys. */
static bool press_to_move(cli_scroll *scroll, uint32_t key)
{
    switch (key) {
    case CLI_KEY_UP:
    case 'k':
        cli_scroll_by(scroll, -1);
        return true;
    case CLI_KEY_DOWN:
    case 'j':
        cli_scroll_by(scroll, 1);
        return true;
    case CLI_KEY_PAGE_UP:
    case 'b':
    case CLI_CTRL('b'):
        cli_scroll_pages(scroll, -1);
        return true;
    case CLI_KEY_PAGE_DOWN:
    case ' ':
    case CLI_CTRL('f'):
        cli_scroll_pages(scroll, 1);
        return true;
    case CLI_KEY_FIRST:
    case 'g':
        cli_scroll_to(scroll, 0);
        return true;
    case CLI_KEY_LAST:
    case 'G':
        cli_scroll_to(scroll, scroll->n > 0 ? scroll->n - 1 : 0);
        return true;
    default:
        return false;
    }
}

static void press_in_page(cli_view *view, uint32_t key)
{
    enum { COLUMNS = 10 };
    cli_page *const page = &view->page;
    const size_t height = view->frame.n_lines > 2 ? view->frame.n_lines - 2 : 1;
    const int64_t screen = (int64_t)(height > 1 ? height - 1 : 1);

    if (key == 'q' || key == CLI_KEY_ESCAPE || key == CLI_KEY_BACKSPACE || key == CLI_KEY_ENTER ||
        key == CLI_CTRL('c')) {
        cli_page_clear(page);
    } else if (key == CLI_KEY_PAGE_UP || key == 'b') {
        cli_scroll_by(&page->scroll, -screen);
    } else if (key == CLI_KEY_PAGE_DOWN || key == ' ') {
        cli_scroll_by(&page->scroll, screen);
    } else if (key == CLI_KEY_LEFT || key == 'h') {
        page->left -= page->left < COLUMNS ? page->left : COLUMNS;
    } else if (key == CLI_KEY_RIGHT || key == 'l') {
        page->left += COLUMNS; /* drawing bounds it */
    } else if (key == CLI_KEY_HOME || key == CLI_KEY_END) {
        cli_scroll_to(&page->scroll, key == CLI_KEY_HOME ? 0 : page->scroll.n - 1);
    } else {
        (void)press_to_move(&page->scroll, key);
    }
}

/* Open an object; fold or unfold a group that is no table, and no matrix. */
static stoa_status enter(cli_view *view, const cli_listed *one, stoa_error *err)
{
    const stoa_status status = cli_view_open_object(view, one->path, err);

    if (status == STOA_ELAYOUT && one->has_inner && !one->is_table) {
        cli_object_list_fold(&view->objects, view->in_objects.cursor, !one->is_folded);
        return STOA_OK;
    }
    return status;
}

static stoa_status press_in_objects(cli_view *view, uint32_t key, stoa_error *err)
{
    cli_scroll *const scroll = &view->in_objects;
    const cli_listed *const one = cli_object_list_at(&view->objects, scroll->cursor);

    if (one == NULL || press_to_move(scroll, key)) {
        return STOA_OK;
    }
    switch (key) {
    case CLI_KEY_HOME:
    case CLI_KEY_END:
        cli_scroll_to(scroll, key == CLI_KEY_HOME ? 0 : scroll->n - 1);
        break;
    case CLI_KEY_RIGHT:
    case 'l':
        cli_object_list_fold(&view->objects, scroll->cursor, false);
        break;
    case CLI_KEY_LEFT:
    case 'h':
        if (one->has_inner && !one->is_folded) {
            cli_object_list_fold(&view->objects, scroll->cursor, true);
        } else {
            cli_scroll_to(scroll, cli_object_list_parent(&view->objects, scroll->cursor));
        }
        break;
    case 'i':
        return one->path != NULL ? cli_view_show_object(view, one->path, err) : STOA_OK;
    case CLI_KEY_ENTER:
        return one->path != NULL ? enter(view, one, err) : STOA_OK;
    default:
        break;
    }
    return STOA_OK;
}

/* The number of the row under the cursor; 0 if there is none. */
static uint64_t row_at_cursor(const cli_view *view)
{
    return cli_rows_count(&view->rows) > 0 ? cli_rows_at(&view->rows, view->in_rows.cursor) : 0;
}

/* Sort by the chosen column: up, then down, then not. */
static stoa_status sort(cli_view *view, stoa_error *err)
{
    const stoa_listener listener = cli_view_job(view, "sort");
    const cli_column *const column = &view->columns.all[view->columns.cursor];
    const char *const before = view->rows.sort;
    const uint64_t row = row_at_cursor(view);
    char *const name = cli_quoted(column->name);
    char *const down = cli_sprintf("%s:desc", name);
    const char *const next = before == NULL              ? name
                             : strcmp(before, name) == 0 ? down
                             : strcmp(before, down) == 0 ? NULL
                                                         : name;
    stoa_status status = STOA_OK;

    if (column->item >= 0) {
        STOA_FAIL(err, STOA_EINVAL, "the columns of an array cannot be sorted by");
    }
    if (next != NULL) {
        cli_view_draw_job(view, NULL);
    }
    STOA_TRY(cli_rows_sort(&view->rows, next, &listener, err));
    if (next != NULL) { /* its mark stands before the name */
        char *const marked = cli_sprintf("^%s", column->name);
        cli_columns_widen(&view->columns, view->columns.cursor, marked);
        free(marked);
    }
    view->in_rows = (cli_scroll){.n = cli_rows_count(&view->rows), .shown = view->in_rows.shown};
    if (next == NULL && view->rows.where == NULL) {
        cli_scroll_to(&view->in_rows, row);
    }
    if (view->rows.is_cut) {
        cli_view_say(view, false, "the first %d million rows of the order; s turns it round",
                     CLI_MOST_SORTED / 1000000);
    }

done:
    free(down);
    free(name);
    return status;
}

static void leave_table(cli_view *view)
{
    if (view->has_objects) {
        cli_view_close_table(view);
    } else {
        cli_view_say(view, false, "q leaves");
    }
}

/* Esc takes away what was added last: the order, the filter, the table. */
static stoa_status step_back(cli_view *view, bool may_leave, stoa_error *err)
{
    if (cli_rows_is_searching(&view->rows) || view->rows.sort != NULL || view->rows.where != NULL) {
        const uint64_t row = row_at_cursor(view);
        STOA_RETURN_NOT_OK(cli_rows_filter(&view->rows, NULL, err));
        view->in_rows.n = cli_rows_count(&view->rows);
        cli_scroll_to(&view->in_rows, row);
        cli_view_say(view, false, "all rows");
    } else if (may_leave) {
        leave_table(view);
    }
    return STOA_OK;
}

static stoa_status press_in_table(cli_view *view, uint32_t key, stoa_error *err)
{
    cli_columns *const columns = &view->columns;
    const bool has_cell = columns->n > 0 && cli_rows_count(&view->rows) > 0;

    if (press_to_move(&view->in_rows, key)) {
        return STOA_OK;
    }
    switch (key) {
    case CLI_KEY_LEFT:
    case 'h':
        cli_columns_by(columns, -1);
        break;
    case CLI_KEY_RIGHT:
    case 'l':
        cli_columns_by(columns, 1);
        break;
    case CLI_KEY_HOME:
    case '0':
    case '^':
        columns->cursor = 0;
        break;
    case CLI_KEY_END:
    case '$':
        columns->cursor = columns->n > 0 ? columns->n - 1 : 0;
        break;
    case ':':
        ask(view, CLI_GO_TO, "");
        break;
    case 'f':
        ask(view, CLI_FILTER, view->rows.where != NULL ? view->rows.where : "");
        break;
    case 's':
        return has_cell ? sort(view, err) : STOA_OK;
    case 'c':
        return columns->n > 0 ? cli_view_show_column(view, err) : STOA_OK;
    case 'i':
        return cli_view_show_object(view, stoa_table_path(view->place->table), err);
    case CLI_KEY_ENTER:
        return has_cell ? cli_view_show_cell(view, err) : STOA_OK;
    case CLI_KEY_ESCAPE:
        return step_back(view, true, err);
    case CLI_CTRL('c'):
        return step_back(view, false, err);
    case CLI_KEY_BACKSPACE:
        leave_table(view);
        break;
    default:
        break;
    }
    return STOA_OK;
}

static stoa_status press(cli_view *view, uint32_t key, stoa_error *err)
{
    if (view->prompt != CLI_NO_PROMPT) {
        press_in_prompt(view, key);
        return STOA_OK;
    }
    if (view->page.title != NULL) {
        press_in_page(view, key);
        return STOA_OK;
    }
    switch (key) {
    case 'q':
        view->is_over = true;
        return STOA_OK;
    case '?':
        cli_view_show_help(view);
        return STOA_OK;
    case '/':
        ask(view, CLI_SEARCH, "");
        return STOA_OK;
    case 'n':
    case 'N':
        return search(view, key == 'N', err);
    default:
        return view->place->table != NULL ? press_in_table(view, key, err)
                                          : press_in_objects(view, key, err);
    }
}

static void handle(cli_view *view, uint32_t key)
{
    stoa_error why = STOA_ERROR_INIT;

    if (key == CLI_KEY_RESIZED) {
        return;
    }
    view->job = NULL;
    if (key == CLI_CTRL('l')) {
        cli_screen_forget();
    } else if (key == CLI_CTRL('z')) {
        cli_view_unlock(view);
        cli_screen_stop();
        cli_view_lock(view);
    } else if (key == CLI_KEY_CLOSED) {
        view->is_over = true;
    } else if (press(view, key, &why) != STOA_OK) {
        cli_view_say_error(view, &why);
    }
}

/* A job that makes room for any key, and goes on later. */
static bool makes_room(void *context, const stoa_progress *progress)
{
    (void)context;
    (void)progress;
    return !cli_screen_has_key();
}

/* Do what is left to do while no key is pressed: the filter's next step. */
static void work(cli_view *view)
{
    const stoa_listener listener = {.on_progress = makes_room};
    stoa_error why = STOA_ERROR_INIT;

    if (view->place->table != NULL && cli_rows_is_searching(&view->rows) &&
        cli_rows_step(&view->rows, &listener, &why) != STOA_OK) {
        view->rows.n_scanned = stoa_table_n_rows(view->place->table); /* no further */
        cli_view_say_error(view, &why);
    }
}

static bool has_work(const cli_view *view)
{
    return view->place->table != NULL &&
           (view->is_unfinished || cli_rows_is_searching(&view->rows));
}

stoa_status cli_view_run(cli_view *view, stoa_error *err)
{
    const char *const no_colour = getenv("NO_COLOR");
    stoa_status status = STOA_OK;

    view->frame.has_colour = no_colour == NULL || no_colour[0] == '\0';
    STOA_TRY(cli_view_open(view, err));
    STOA_TRY(cli_screen_open(err));
    while (!view->is_over) {
        cli_view_draw(view);
        const bool waits = !has_work(view) || !view->is_locked;
        if (waits) {
            cli_view_unlock(view);
        }
        const uint32_t key = cli_screen_key(waits ? -1 : 0);
        if (key != CLI_KEY_RESIZED && key != CLI_KEY_NONE) {
            cli_view_say(view, false, NULL);
        }
        if (waits) {
            cli_view_lock(view);
        }
        if (!view->is_locked) { /* no key but q can be followed */
            view->is_over = key == 'q' || key == CLI_KEY_CLOSED;
        } else if (key != CLI_KEY_NONE) {
            handle(view, key);
        } else {
            work(view);
        }
        char *const remark = cli_screen_remark();
        if (remark != NULL && view->message == NULL) {
            cli_view_say(view, false, "%s", remark);
        }
        free(remark);
    }

done:
    cli_screen_close();
    return status;
}

void cli_view_clear(cli_view *view)
{
    if (view->place->table != NULL) {
        cli_view_close_table(view);
    }
    cli_object_list_clear(&view->objects);
    cli_page_clear(&view->page);
    for (size_t i = 0; i < CLI_N_PROMPTS; i++) {
        cli_line_input_clear(&view->inputs[i]);
    }
    free(view->searched);
    free(view->message);
    cli_frame_clear(&view->frame);
}
