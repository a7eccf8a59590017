/* The pages of a view: help, an object, a column, a value. */
#include <hdf5.h>
#include <stdlib.h>
#include <stoa/edit.h>
#include <string.h>

#include "arrow/build.h"
#include "cli/common/layouts.h"
#include "cli/common/progress.h"
#include "cli/edit/indexes.h"
#include "cli/inspect/array_summary.h"
#include "cli/output/batches.h"
#include "cli/output/cell.h"
#include "cli/plot/histogram.h"
#include "cli/view/view.h"
#include "hdf/metadata/attributes.h"
#include "layout/registry.h"

/* Rows up to which medians are computed, and columns that are listed. */
enum { MEDIAN_ROWS = 20000000, MOST_COLUMNS = 1000 };

/* --- help ------------------------------------------------------------------------------------ */

static const char help[] =
    "In the tree of objects\n"
    "\n"
    "  Enter        open the object as a table; of a group, fold or unfold it\n"
    "  right, left  unfold, fold\n"
    "  i            what is known of the object: layout, columns, attributes\n"
    "  /  n  N      search the names; the next one; the one before\n"
    "\n"
    "In a table\n"
    "\n"
    "  arrows, h j k l           one row or column\n"
    "  Page Up, Page Down        one screen; also b and the space bar\n"
    "  Home, End                 the first and last column; also 0 and $\n"
    "  g, G                      the first and last row; also Ctrl-Home and Ctrl-End\n"
    "  :                         go to a row by its number, counted from 0\n"
    "  f                         filter rows by an expression, as: energy > 5 and det = 3\n"
    "  /  n  N                   search the chosen column; the next row; the row before\n"
    "  s                         sort by the chosen column: up, down, not at all\n"
    "  c                         statistics and a histogram of the chosen column\n"
    "  i                         what is known of the table: columns, units, attributes\n"
    "  Enter                     the whole value\n"
    "  Esc                       end what is running; else take away the filter and the\n"
    "                            order; else go back to the tree. Backspace goes back at once\n"
    "\n"
    "In a page\n"
    "\n"
    "  arrows, Page Up, Page Down, g, G\n"
    "  q, Esc, Enter  go back\n"
    "\n"
    "Everywhere\n"
    "\n"
    "  ?            this page\n"
    "  Ctrl-C       end what is running\n"
    "  Ctrl-L       draw the screen anew\n"
    "  Ctrl-Z       stop, until the shell's fg\n"
    "  q            leave a page, or the program\n"
    "\n"
    "A filter knows all functions and operators of 'stoa query -w' (man 7 stoa-query).\n"
    "Rows appear while it still searches, and the last line says how far it is.\n"
    "A sorted order has at most 10 million rows. Sort the other way to see its other end.\n";

void cli_view_show_help(cli_view *view)
{
    cli_page_set(&view->page, "Keys of stoa view", help, false);
}

/* --- texts ----------------------------------------------------------------------------------- */

/* A page that is written like a file. */
typedef struct writing {
    char *text;
    size_t size;
    FILE *out;
} writing;

static stoa_status begin(writing *page, stoa_error *err)
{
    *page = (writing){.text = NULL};
    page->out = open_memstream(&page->text, &page->size);
    return page->out != NULL ? STOA_OK : stoa_fail_memory(err);
}

static void end(writing *page, cli_view *view, const char *title, bool is_shown)
{
    if (page->out != NULL) {
        (void)fclose(page->out);
    }
    if (is_shown && page->text != NULL) {
        cli_page_set(&view->page, title, page->text, true);
    }
    free(page->text);
    *page = (writing){.text = NULL};
}

static void put_fact(FILE *out, const char *name, const char *value)
{
    if (value != NULL && value[0] != '\0') {
        fprintf(out, "%-12s %s\n", name, value);
    }
}

/* --- an object ------------------------------------------------------------------------------- */

static void put_attribute(FILE *out, hid_t object, const char *name)
{
    stoa_error ignored = STOA_ERROR_INIT;
    stoa_buffer other = {0};
    char *text = NULL;

    if (stoa_attribute_read_text(object, name, &text, &ignored) != STOA_OK) {
        text = NULL;
    }
    if (text == NULL) {
        (void)!stoa_attribute_print(object, name, STOA_ATTRIBUTE_PRINTED, &other, &ignored);
    }
    fprintf(out, "  %s = %s\n", name,
            text != NULL     ? text
            : other.size > 0 ? (const char *)other.data
                             : "(cannot be read)");
    stoa_buffer_clear(&other);
    free(text);
}

/* Write all attributes of the HDF5 object. */
static void put_attributes(FILE *out, hid_t object)
{
    stoa_buffer names = {0};
    stoa_error ignored = STOA_ERROR_INIT;
    bool are_listed = true;

    if (stoa_attribute_names(object, &names, &are_listed, &ignored) == STOA_OK && names.size > 0) {
        fputs("\nattributes\n", out);
        for (size_t at = 0; at < names.size;) {
            const char *const name = (const char *)names.data + at;
            put_attribute(out, object, name);
            at += strlen(name) + 1;
        }
    }
    if (!are_listed) {
        fputs("\nThe attributes cannot be listed.\n", out);
    }
    stoa_buffer_clear(&names);
}

/* What the schema and the storage say of a column, as a line of a grid. */
static void put_column(cli_grid *grid, cli_columns *columns, size_t i)
{
    stoa_column_storage storage = STOA_COLUMN_STORAGE_INIT;
    struct ArrowSchema schema = {.release = NULL};
    stoa_error ignored = STOA_ERROR_INIT;
    cli_column *const column = &columns->all[i];
    char *description = NULL;
    char bytes[16];

    cli_columns_look(columns, i);
    cli_grid_put(grid, "%s", column->name);
    cli_grid_put(grid, "%s", column->type != NULL ? column->type : "");
    cli_grid_put(grid, "%s", column->units != NULL ? column->units : "");
    if (column->is_unreadable ||
        stoa_column_storage_of(column->of, &storage, &ignored) != STOA_OK) {
        cli_grid_put(grid, "-");
        cli_grid_put(grid, "-");
    } else {
        cli_human_bytes(storage.n_stored_bytes, bytes);
        cli_grid_put(grid, "%s", bytes);
        cli_grid_put(grid, "%s", storage.filters);
    }
    if (!column->is_unreadable && stoa_column_schema(column->of, &schema, &ignored) == STOA_OK) {
        (void)!stoa_schema_get_text(&schema, "description", &description, &ignored);
    }
    cli_grid_put(grid, "%s", description != NULL ? description : "");
    free(description);
    stoa_schema_release(&schema);
}

static void put_columns(FILE *out, cli_columns *columns)
{
    static const char *const titles[] = {"column", "type",      "units",
                                         "stored", "packed by", "description"};
    cli_grid grid;

    cli_grid_init(&grid, 6, titles, "lllrll");
    for (size_t i = 0; i < columns->n && i < MOST_COLUMNS; i++) {
        put_column(&grid, columns, i);
    }
    fputc('\n', out);
    cli_grid_print(&grid, out, true);
    cli_grid_clear(&grid);
    if (columns->n > MOST_COLUMNS) {
        fprintf(out, "%zu more; 'stoa info' lists them\n", columns->n - MOST_COLUMNS);
    }
}

static void put_indexes(FILE *out, const cli_view *view, const stoa_table *table)
{
    cli_indexes indexes = {.items = NULL};
    stoa_error ignored = STOA_ERROR_INIT;

    if (cli_indexes_load(view->args, &indexes, table, &ignored) == STOA_OK && indexes.n > 0) {
        fputs("\nindexes\n", out);
        for (size_t i = 0; i < indexes.n; i++) {
            const cli_index *const one = &indexes.items[i];
            fprintf(out, "  %s, %s%s%s\n", one->column, one->kind, one->usable ? "" : ": ",
                    one->usable ? "" : one->problem);
        }
        if (indexes.n_usable > 0) {
            fputs(cli_place_is_trusted(view->place)
                      ? "  Filters use them.\n"
                      : "  Filters do not use them until 'stoa index verify' found them right.\n",
                  out);
        }
    }
}

static void put_table(cli_view *view, FILE *out, stoa_table *table)
{
    cli_columns columns = {.all = NULL};
    stoa_error why = STOA_ERROR_INIT;
    char rows[24];

    (void)snprintf(rows, sizeof rows, "%llu", (unsigned long long)stoa_table_n_rows(table));
    put_fact(out, "layout", stoa_table_layout(table));
    put_fact(out, "version", stoa_table_version(table));
    put_fact(out, "title", stoa_table_title(table));
    put_fact(out, "description", stoa_table_description(table));
    put_fact(out, "units from", stoa_table_units_vocabulary(table));
    put_fact(out, "rows", rows);
    if (cli_columns_load(&columns, table, &why) != STOA_OK) {
        put_fact(out, "columns", why.message);
    } else if (columns.n > 0 && columns.all[0].item >= 0) {
        cli_columns_look(&columns, 0);
        char *const shape = cli_sprintf("%zu of %s", columns.n, columns.all[0].type);
        put_fact(out, "in a row", shape);
        put_fact(out, "units", columns.all[0].units);
        free(shape);
    } else {
        put_columns(out, &columns);
    }
    put_indexes(out, view, table);
    cli_columns_clear(&columns);
}

stoa_status cli_view_show_object(cli_view *view, const char *path, stoa_error *err)
{
    const hid_t file = stoa_file_id(view->place->file);
    stoa_error why = STOA_ERROR_INIT;
    stoa_table *table = NULL;
    hid_t object = H5I_INVALID_HID;
    writing page;
    stoa_status status = STOA_OK;

    STOA_RETURN_NOT_OK(begin(&page, err));
    put_fact(page.out, "object", path);
    if (cli_place_open_at(view->place, path, &table, &why) == STOA_OK) {
        put_table(view, page.out, table);
    } else if (why.status != STOA_ELAYOUT) { /* else it is a group, or a part of a table */
        put_fact(page.out, "not read", why.message);
    }
    if (!cli_place_is_many(view->place) && stoa_object_exists(file, path)) {
        object = H5Oopen(file, path, H5P_DEFAULT);
    }
    if (object >= 0) {
        put_attributes(page.out, object);
        (void)stoa_hdf_close(&object, STOA_OK, NULL);
    }
    stoa_table_close(table);
    end(&page, view, path, true);
    return status;
}

/* --- a column -------------------------------------------------------------------------------- */

/* Names of the aggregates, in the order of the question. */
typedef struct asked {
    const char *names[12];
    size_t n;
    char *text; /* owned */
    FILE *out;
} asked;

static void ask(asked *a, const char *name, const char *call, const char *of)
{
    cli_append(&a->text, a->n > 0 ? ", " : "");
    cli_append(&a->text, call, of);
    a->names[a->n++] = name;
}

static stoa_status put_answer(void *context, const stoa_view *row, stoa_error *err)
{
    const asked *const a = context;
    stoa_view rows;
    stoa_view values;

    STOA_RETURN_NOT_OK(stoa_view_child(row, 0, &rows, err));
    STOA_RETURN_NOT_OK(stoa_view_child(row, 1, &values, err));
    fprintf(a->out, "%-12s %lld\n", "rows", (long long)stoa_view_i64(&rows, 0));
    fprintf(a->out, "%-12s %lld\n", "missing",
            (long long)(stoa_view_i64(&rows, 0) - stoa_view_i64(&values, 0)));
    for (size_t i = 2; i < a->n; i++) {
        char *text = NULL;
        stoa_view value;
        STOA_RETURN_NOT_OK(stoa_view_child(row, (int64_t)i, &value, err));
        STOA_RETURN_NOT_OK(cli_cell_text(&value, 0, &text, err));
        fprintf(a->out, "%-12s %s\n", a->names[i], text);
        free(text);
    }
    return STOA_OK;
}

/* Ask what suits the type of the column: numbers, texts and labels, lists by their lengths. */
static void choose_questions(asked *a, const stoa_type *type, const char *name, bool is_long)
{
    const bool is_list = stoa_kind_is_list(type->kind);
    const bool is_number = stoa_kind_is_integer(type->kind) || stoa_kind_is_float(type->kind);
    char *const of = is_list ? cli_sprintf("length(%s)", name) : cli_copy(name);

    ask(a, "rows", "count()%.0s", of);
    ask(a, "values", "count(%s)", of);
    if (is_list || is_number || stoa_kind_is_ticks(type->kind)) {
        ask(a, is_list ? "shortest" : "least", "min(%s)", of);
        ask(a, is_list ? "longest" : "greatest", "max(%s)", of);
    }
    if (is_list || is_number) {
        ask(a, is_list ? "mean length" : "mean", "mean(%s)", of);
    }
    if (is_number) {
        ask(a, "stddev", "stddev(%s)", of);
    }
    if (is_number && !is_long) {
        ask(a, "quartile 1", "quantile(%s, 0.25)", of);
        ask(a, "median", "median(%s)", of);
        ask(a, "quartile 3", "quantile(%s, 0.75)", of);
    }
    if (!is_long && (stoa_kind_is_string(type->kind) || type->kind == STOA_KIND_DICTIONARY)) {
        ask(a, "distinct", "distinct(%s)", of);
    }
    free(of);
}

/* All values of a dataset of several dimensions; a filter has no meaning for them. */
static stoa_status put_array(cli_view *view, FILE *out, const stoa_listener *listener,
                             stoa_error *err)
{
    stoa_status status = STOA_OK;
    cli_grid grid;

    cli_array_statistics_grid(&grid, "of all");
    STOA_TRY(cli_array_statistics(view->place->table, listener, &grid, err));
    cli_grid_print(&grid, out, true);

done:
    cli_grid_clear(&grid);
    return status;
}

static stoa_status put_statistics(cli_view *view, FILE *out, const stoa_column *column,
                                  const stoa_listener *listener, stoa_error *err)
{
    stoa_query_options options = STOA_QUERY_OPTIONS_INIT;
    struct ArrowSchema schema = {.release = NULL};
    stoa_error why = STOA_ERROR_INIT;
    char *const name = cli_quoted(stoa_column_name(column));
    asked a = {.out = out, .text = cli_copy("")};
    stoa_type type;
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_column_schema(column, &schema, err));
    STOA_TRY(stoa_type_of(&schema, &type, err));
    choose_questions(&a, &type, name, stoa_table_n_rows(view->place->table) > MEDIAN_ROWS);
    options.where = view->rows.where;
    options.use_indexes = view->rows.uses_indexes;
    options.use_trusted = true;
    options.listener = *listener;
    options.aggregates = a.text;
    STOA_TRY(cli_each_batch(view->place->table, &options, put_answer, &a, err));
    if (type.kind != STOA_KIND_STRUCT && !stoa_kind_is_list(type.kind)) {
        options.aggregates = NULL;
        fputc('\n', out);
        const stoa_status drawn =
            cli_histogram(view->args, view->place->table, name, &options, out, &why);
        if (drawn == STOA_ECANCELLED) {
            *err = why;
            status = drawn;
        } else if (drawn != STOA_OK) {
            fprintf(out, "No histogram: %s.\n", why.message);
        }
    }

done:
    stoa_schema_release(&schema);
    free(a.text);
    free(name);
    return status;
}

stoa_status cli_view_show_column(cli_view *view, stoa_error *err)
{
    const stoa_listener listener = cli_view_job(view, "statistics");
    const cli_column *const column = &view->columns.all[view->columns.cursor];
    writing page;
    char *title = NULL;
    stoa_status status = STOA_OK;

    STOA_RETURN_NOT_OK(begin(&page, err));
    put_fact(page.out, "column", stoa_column_name(column->of));
    put_fact(page.out, "type", column->type);
    put_fact(page.out, "units", column->units);
    if (column->item < 0) {
        put_fact(page.out, "where", view->rows.where);
    }
    title = cli_sprintf("%s: %s", view->place->name, stoa_column_name(column->of));
    status = column->item >= 0 ? put_array(view, page.out, &listener, err)
                               : put_statistics(view, page.out, column->of, &listener, err);
    end(&page, view, title, status == STOA_OK);
    free(title);
    return status;
}

/* --- a value --------------------------------------------------------------------------------- */

stoa_status cli_view_show_cell(cli_view *view, stoa_error *err)
{
    const cli_column *const column = &view->columns.all[view->columns.cursor];
    const uint64_t row = cli_rows_at(&view->rows, view->in_rows.cursor);
    char *text = NULL;

    STOA_RETURN_NOT_OK(cli_cells_whole(column, row, &text, err));
    char *const title =
        cli_sprintf("%s: row %llu of %s%s%s%s", view->place->name, (unsigned long long)row,
                    column->name, column->units != NULL ? " [" : "",
                    column->units != NULL ? column->units : "", column->units != NULL ? "]" : "");
    cli_page_set(&view->page, title, text, false);
    free(title);
    free(text);
    return STOA_OK;
}
