#include "cli/view/columns.h"

#include <stdlib.h>
#include <string.h>

#include "arrow/build.h"
#include "cli/output/grid.h"
#include "cli/output/type_name.h"

/* Widths of columns; up to the last one a column is widened for its type or its units. */
enum { LEAST_WIDTH = 3, MOST_WIDTH = 40, BELOW_WIDTH = 10 };

static void add(cli_columns *columns, stoa_column *of, int64_t item, char *name)
{
    columns->all = cli_one_more(columns->all, columns->n, sizeof *columns->all);
    columns->all[columns->n++] = (cli_column){.of = of, .item = item, .name = name};
}

/* Values of a row, with all lists of fixed length in it. */
static uint64_t count_values(const struct ArrowSchema *schema)
{
    uint64_t n = 1;
    stoa_type type;

    while (n < UINT32_MAX && schema->n_children == 1 &&
           stoa_type_of(schema, &type, NULL) == STOA_OK && type.kind == STOA_KIND_FIXED_LIST) {
        n *= (uint64_t)type.width;
        schema = schema->children[0];
    }
    return n;
}

/* Whether rows are short lists of single values, as those of a dataset of two dimensions. */
static bool is_spread(const struct ArrowSchema *schema, const stoa_type *type)
{
    stoa_type item;

    return type->kind == STOA_KIND_FIXED_LIST && type->width > 1 && type->width <= CLI_MOST_ITEMS &&
           schema->n_children == 1 && stoa_type_of(schema->children[0], &item, NULL) == STOA_OK &&
           !stoa_kind_is_list(item.kind) && item.kind != STOA_KIND_STRUCT;
}

stoa_status cli_columns_load(cli_columns *columns, const stoa_table *table, stoa_error *err)
{
    const size_t n = stoa_table_n_columns(table);
    struct ArrowSchema schema = {.release = NULL};
    stoa_type type = {.kind = STOA_KIND_OTHER};
    stoa_status status = STOA_OK;

    cli_columns_clear(columns);
    if (n == 1) {
        stoa_column *const only = stoa_table_column(table, 0);
        STOA_TRY(stoa_column_schema(only, &schema, err));
        STOA_TRY(stoa_type_of(&schema, &type, err));
        for (int32_t i = 0; is_spread(&schema, &type) && i < type.width; i++) {
            add(columns, only, i, cli_sprintf("%d", (int)i));
        }
    }
    for (size_t i = 0; columns->n < n && i < n; i++) {
        stoa_column *const column = stoa_table_column(table, i);
        add(columns, column, -1, cli_copy(stoa_column_name(column)));
    }

done:
    stoa_schema_release(&schema);
    return status;
}

/* What the schema says of a column, or of the items of its lists. */
static stoa_status describe(cli_column *column, stoa_error *err)
{
    struct ArrowSchema schema = {.release = NULL};
    const struct ArrowSchema *shown = &schema;
    stoa_type type;
    stoa_type labels;
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_column_schema(column->of, &schema, err));
    column->n_values = count_values(&schema);
    STOA_TRY(stoa_schema_get_text(&schema, "units", &column->units, err));
    shown = column->item >= 0 ? schema.children[0] : &schema;
    STOA_TRY(stoa_type_of(shown, &type, err));
    labels = type;
    if (type.kind == STOA_KIND_DICTIONARY && shown->dictionary != NULL) {
        STOA_TRY(stoa_type_of(shown->dictionary, &labels, err));
    }
    column->type = cli_type_name(shown);
    column->is_right = stoa_kind_is_integer(type.kind) || stoa_kind_is_float(type.kind);
    column->is_time = stoa_kind_is_ticks(type.kind);
    column->is_text = stoa_kind_is_string(labels.kind);
    column->style = (cli_float_style){.is_float = stoa_kind_is_float(type.kind)};

done:
    stoa_schema_release(&schema);
    return status;
}

void cli_columns_look(cli_columns *columns, size_t i)
{
    cli_column *const column = &columns->all[i];
    stoa_error why = STOA_ERROR_INIT;

    if (column->is_known) {
        return;
    }
    column->is_known = true;
    if (column->of != NULL && describe(column, &why) != STOA_OK) {
        column->is_unreadable = true;
        free(column->type);
        column->type = cli_copy(why.message);
    }
    cli_columns_widen(columns, i, column->name);
    const char *const below = cli_column_below(column);
    if (column->item < 0 && cli_width(below) <= BELOW_WIDTH) {
        cli_columns_widen(columns, i, below);
    }
}

const char *cli_column_below(const cli_column *column)
{
    return column->is_unreadable                       ? "unreadable"
           : column->units != NULL && !column->is_time ? column->units
           : column->type != NULL                      ? column->type
                                                       : "";
}

void cli_columns_widen(cli_columns *columns, size_t i, const char *shown)
{
    const size_t width = cli_width(shown);

    columns->all[i].width = width > columns->all[i].width ? width : columns->all[i].width;
}

size_t cli_columns_width(const cli_columns *columns, size_t i, size_t room)
{
    const bool is_last = i + 1 == columns->n;
    const size_t own = columns->all[i].width > LEAST_WIDTH ? columns->all[i].width : LEAST_WIDTH;
    const size_t most = is_last || MOST_WIDTH > room ? room : MOST_WIDTH;

    return own < most ? own : most;
}

size_t cli_columns_in_sight(const cli_columns *columns, size_t room)
{
    size_t used = 0;
    size_t n = 0;

    while (columns->first + n < columns->n && (n == 0 || used < room)) {
        used += cli_columns_width(columns, columns->first + n, room) + CLI_COLUMN_GAP;
        n++;
    }
    return n;
}

/* The room that the columns [first, end) need. */
static size_t room_of(const cli_columns *columns, size_t first, size_t end, size_t room)
{
    size_t used = 0;

    for (size_t i = first; i < end && used <= room; i++) {
        used += cli_columns_width(columns, i, room) + (i > first ? CLI_COLUMN_GAP : 0);
    }
    return used;
}

void cli_columns_settle(cli_columns *columns, size_t room)
{
    const size_t cursor = columns->cursor;

    columns->first = cursor < columns->first ? cursor : columns->first;
    while (columns->first < cursor && room_of(columns, columns->first, cursor + 1, room) > room) {
        columns->first++;
    }
    while (columns->first > 0 && room_of(columns, columns->first - 1, columns->n, room) <= room) {
        columns->first--; /* the screen has become wider */
    }
}

void cli_columns_by(cli_columns *columns, int64_t by)
{
    const size_t n = by < 0 ? 0 - (size_t)by : (size_t)by;
    const size_t at = columns->cursor;

    if (by < 0) {
        columns->cursor = at > n ? at - n : 0;
    } else if (columns->n > 0) {
        columns->cursor = n < columns->n - 1 - at ? at + n : columns->n - 1;
    }
}

void cli_columns_clear(cli_columns *columns)
{
    for (size_t i = 0; i < columns->n; i++) {
        free(columns->all[i].name);
        free(columns->all[i].type);
        free(columns->all[i].units);
    }
    free(columns->all);
    *columns = (cli_columns){.all = NULL};
}
