#include "cli/inspect/column_summary.h"

#include <stdlib.h>
#include <string.h>

#include "arrow/build.h"
#include "cli/common/args.h"
#include "cli/output/batches.h"
#include "cli/output/cell.h"

/* Whether the query language can count a column, and whether its order is worth showing. */
static bool is_countable(const stoa_type *type)
{
    return type->kind < STOA_KIND_BINARY || stoa_kind_is_ticks(type->kind) ||
           type->kind == STOA_KIND_DICTIONARY;
}

/* Whether the query language has list functions for the items of a list, at every level. */
static bool is_countable_list(const struct ArrowSchema *schema, const stoa_type *type)
{
    stoa_type item = *type;

    while (stoa_kind_is_list(item.kind) && schema->n_children == 1 &&
           stoa_type_of(schema->children[0], &item, NULL) == STOA_OK) {
        schema = schema->children[0];
    }
    return stoa_kind_is_list(type->kind) && is_countable(&item);
}

static bool has_range(const stoa_type *type)
{
    return stoa_kind_is_integer(type->kind) || stoa_kind_is_float(type->kind) ||
           stoa_kind_is_ticks(type->kind);
}

/* How the query language counts the present values of a column. Lists are counted by their lengths,
 * since functions of a list are about its items. */
typedef enum counting { COUNT_NOTHING, COUNT_VALUES, COUNT_LENGTHS } counting;

static stoa_status look_at(const stoa_column *column, stoa_type *type, counting *counted,
                           stoa_error *err)
{
    struct ArrowSchema schema = {0};
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_column_schema(column, &schema, err));
    STOA_TRY(stoa_type_of(&schema, type, err));
    *counted = is_countable(type)                 ? COUNT_VALUES
               : is_countable_list(&schema, type) ? COUNT_LENGTHS
                                                  : COUNT_NOTHING;
done:
    stoa_schema_release(&schema);
    return status;
}

/* Write the query: count() of the table; for each column count, and min and max if it has an
 * order. */
static stoa_status put_question(const cli_contents *contents, const stoa_table *table,
                                stoa_buffer *text, stoa_error *err)
{
    stoa_status status = stoa_buffer_print(text, err, "count()");

    for (size_t i = 0; i < contents->n && status == STOA_OK; i++) {
        const stoa_column *const column = stoa_table_column(table, i);
        counting counted = COUNT_NOTHING;
        stoa_type type;

        if (contents->items[i].is_unreadable) {
            continue;
        }
        STOA_RETURN_NOT_OK(look_at(column, &type, &counted, err));
        char *const name = cli_quoted(stoa_column_name(column));
        if (counted != COUNT_NOTHING) {
            const bool is_list = counted == COUNT_LENGTHS;
            status = stoa_buffer_print(text, err, ", count(%s%s%s)", is_list ? "length(" : "", name,
                                       is_list ? ")" : "");
        }
        if (status == STOA_OK && has_range(&type)) {
            status = stoa_buffer_print(text, err, ", min(%s), max(%s)", name, name);
        }
        free(name);
    }
    return status;
}

/* All values may be missing: then there are no bounds. */
static stoa_status take_bound(const stoa_view *row, int64_t at, bool is_json, char **text,
                              stoa_error *err)
{
    stoa_view cell;

    STOA_RETURN_NOT_OK(stoa_view_child(row, at, &cell, err));
    return stoa_view_is_null(&cell, 0) ? STOA_OK
           : is_json                   ? cli_cell_json(&cell, 0, text, err)
                                       : cli_cell_text(&cell, 0, text, err);
}

typedef struct scanning {
    cli_contents *contents;
    stoa_table *table;
} scanning;

/* Split the one row of the result, in the order of put_question(). */
static stoa_status split_answer(void *context, const stoa_view *row, stoa_error *err)
{
    const scanning *const s = context;
    const bool is_json = s->contents->is_json;
    int64_t at = 1;

    for (size_t i = 0; row->length == 1 && i < s->contents->n; i++) {
        cli_content *const to = &s->contents->items[i];
        counting counted = COUNT_NOTHING;
        stoa_type type;
        stoa_view count;

        if (to->is_unreadable) {
            continue;
        }
        STOA_RETURN_NOT_OK(look_at(stoa_table_column(s->table, i), &type, &counted, err));
        if (counted == COUNT_NOTHING) {
            continue;
        }
        STOA_RETURN_NOT_OK(stoa_view_child(row, at++, &count, err));
        to->missing = cli_sprintf("%llu", (unsigned long long)(stoa_table_n_rows(s->table) -
                                                               (uint64_t)stoa_view_i64(&count, 0)));
        if (has_range(&type)) {
            STOA_RETURN_NOT_OK(take_bound(row, at++, is_json, &to->least, err));
            STOA_RETURN_NOT_OK(take_bound(row, at++, is_json, &to->greatest, err));
        }
    }
    return STOA_OK;
}

static stoa_status scan_table(cli_contents *contents, stoa_table *table,
                              const stoa_listener *listener, stoa_error *err)
{
    stoa_query_options options = STOA_QUERY_OPTIONS_INIT;
    stoa_buffer question = {0};
    scanning s = {contents, table};
    stoa_status status = STOA_OK;

    STOA_TRY(put_question(contents, table, &question, err));
    options.aggregates = (const char *)question.data;
    options.listener = *listener;
    STOA_TRY(cli_each_batch(table, &options, split_answer, &s, err));
done:
    stoa_buffer_clear(&question);
    return status;
}

stoa_status cli_contents_check(cli_contents *contents, const stoa_table *table, stoa_error *err)
{
    contents->n = stoa_table_n_columns(table);
    contents->items = cli_resize(NULL, contents->n, sizeof *contents->items);
    for (size_t i = 0; i < contents->n; i++) {
        stoa_error why = STOA_ERROR_INIT;
        counting counted = COUNT_NOTHING;
        stoa_type type;

        contents->items[i] = (cli_content){0};
        if (look_at(stoa_table_column(table, i), &type, &counted, &why) != STOA_OK) {
            STOA_RETURN_NOT_OK(cli_refused(err));
            contents->items[i].is_unreadable = true;
            contents->n_unreadable++;
            (void)cli_fail(stoa_table_path(table), &why);
        }
    }
    return STOA_OK;
}

stoa_status cli_contents_load(cli_contents *contents, stoa_table *table, bool scan,
                              const stoa_listener *listener, stoa_error *err)
{
    return scan ? scan_table(contents, table, listener, err) : STOA_OK;
}

void cli_contents_clear(cli_contents *contents)
{
    for (size_t i = 0; i < contents->n; i++) {
        free(contents->items[i].missing);
        free(contents->items[i].least);
        free(contents->items[i].greatest);
    }
    free(contents->items);
    *contents = (cli_contents){0};
}
