#include "cli/inspect/column_summary.h"

#include <stdlib.h>
#include <string.h>

#include "arrow/build.h"
#include "cli/output/cell.h"

/* A type name with its time zone, such as "timestamp[ns, Europe/Berlin]": stoa_type knows only
 * UTC. */
static char *zoned_name(const char *name, const char *format)
{
    enum { LONGEST = 64 };
    static const char in_utc[] = "UTC]";
    const char *const colon = strchr(format, ':');
    stoa_error unused = STOA_ERROR_INIT;
    stoa_sink zone = {.err = &unused};
    char *shown = NULL;

    if (colon != NULL && strlen(colon + 1) <= LONGEST) {
        stoa_sink_text(&zone, colon + 1);
        shown = cli_sprintf("%.*s%.*s]", (int)(strlen(name) - strlen(in_utc)), name,
                            (int)zone.text.size,
                            zone.text.data != NULL ? (const char *)zone.text.data : "");
    }
    stoa_sink_clear(&zone);
    return shown != NULL ? shown : cli_copy(name);
}

char *cli_type_name(const struct ArrowSchema *schema)
{
    stoa_error unused = STOA_ERROR_INIT;
    char name[64];
    stoa_type type;

    if (stoa_type_of(schema, &type, &unused) != STOA_OK) {
        return cli_copy("?");
    }
    if (type.kind == STOA_KIND_DICTIONARY) {
        return cli_copy("category");
    }
    if (type.kind == STOA_KIND_TIMESTAMP && type.utc) {
        return zoned_name(stoa_type_name(&type, name), schema->format);
    }
    return cli_copy(stoa_type_name(&type, name));
}

/* Whether the query language can count a column, and whether its order is worth showing. */
static bool is_countable(const stoa_type *type)
{
    return type->kind < STOA_KIND_BINARY || stoa_kind_is_ticks(type->kind) ||
           type->kind == STOA_KIND_DICTIONARY;
}

static bool has_range(const stoa_type *type)
{
    return stoa_kind_is_integer(type->kind) || stoa_kind_is_float(type->kind) ||
           stoa_kind_is_ticks(type->kind);
}

static stoa_status type_of(const stoa_column *column, stoa_type *type, stoa_error *err)
{
    struct ArrowSchema schema = {0};
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_column_schema(column, &schema, err));
    STOA_TRY(stoa_type_of(&schema, type, err));
done:
    stoa_schema_release(&schema);
    return status;
}

/* Quote a name for the query language in any case: `"a ""b"""`. */
static stoa_status put_name(stoa_buffer *text, const char *name, stoa_error *err)
{
    stoa_status status = stoa_buffer_print(text, err, "\"");

    for (; *name != '\0' && status == STOA_OK; name++) {
        status = stoa_buffer_print(text, err, *name == '"' ? "\"\"" : "%c", *name);
    }
    return status == STOA_OK ? stoa_buffer_print(text, err, "\"") : status;
}

/* Write the query: count() of the table; for each column count, and min and max if it has an
 * order. */
static stoa_status put_question(const stoa_table *table, stoa_buffer *text, stoa_error *err)
{
    static const char *const functions[] = {"count", "min", "max"};

    STOA_RETURN_NOT_OK(stoa_buffer_print(text, err, "count()"));
    for (size_t i = 0; i < stoa_table_n_columns(table); i++) {
        const stoa_column *const column = stoa_table_column(table, i);
        stoa_type type;

        STOA_RETURN_NOT_OK(type_of(column, &type, err));
        for (int f = 0; f < (has_range(&type) ? 3 : is_countable(&type) ? 1 : 0); f++) {
            STOA_RETURN_NOT_OK(stoa_buffer_print(text, err, ", %s(", functions[f]));
            STOA_RETURN_NOT_OK(put_name(text, stoa_column_name(column), err));
            STOA_RETURN_NOT_OK(stoa_buffer_print(text, err, ")"));
        }
    }
    return STOA_OK;
}

static stoa_status cell_text(const stoa_view *row, int64_t at, char **text, stoa_error *err)
{
    stoa_sink sink = {.err = err};
    stoa_view cell;
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_view_child(row, at, &cell, err));
    if (stoa_view_is_null(&cell, 0)) {
        goto done; /* all values are missing: no bounds */
    }
    cli_cell(&sink, &cell, 0);
    stoa_sink_put(&sink, "", 1);
    STOA_TRY(sink.status);
    *text = stoa_buffer_take(&sink.text);
done:
    stoa_sink_clear(&sink);
    return status;
}

/* Split the one row of the result, in the order of put_question(). */
static stoa_status take_answer(cli_contents *contents, stoa_table *table, const stoa_view *row,
                               stoa_error *err)
{
    int64_t at = 1;

    for (size_t i = 0; i < contents->n; i++) {
        cli_content *const to = &contents->items[i];
        stoa_type type;
        stoa_view count;

        STOA_RETURN_NOT_OK(type_of(stoa_table_column(table, i), &type, err));
        if (!is_countable(&type)) {
            continue;
        }
        STOA_RETURN_NOT_OK(stoa_view_child(row, at++, &count, err));
        to->missing = cli_sprintf("%llu", (unsigned long long)(stoa_table_n_rows(table) -
                                                               (uint64_t)stoa_view_i64(&count, 0)));
        if (has_range(&type)) {
            STOA_RETURN_NOT_OK(cell_text(row, at++, &to->least, err));
            STOA_RETURN_NOT_OK(cell_text(row, at++, &to->greatest, err));
        }
    }
    return STOA_OK;
}

static stoa_status scan_table(cli_contents *contents, stoa_table *table,
                              const stoa_listener *listener, stoa_error *err)
{
    stoa_query_options options = STOA_QUERY_OPTIONS_INIT;
    struct ArrowArrayStream stream = {0};
    struct ArrowSchema schema = {0};
    struct ArrowArray batch = {0};
    stoa_buffer question = {0};
    stoa_query *query = NULL;
    stoa_view row;
    stoa_status status = STOA_OK;

    STOA_TRY(put_question(table, &question, err));
    options.aggregates = (const char *)question.data;
    options.listener = *listener;
    STOA_TRY(stoa_query_open(table, &options, &query, err));
    STOA_TRY(stoa_query_run(query, &stream, err));
    STOA_TRY(stoa_stream_schema(&stream, &schema, err));
    STOA_TRY(stoa_stream_next(&stream, &batch, err));
    if (batch.release != NULL && batch.length == 1) {
        STOA_TRY(stoa_view_of(&schema, &batch, &row, err));
        STOA_TRY(take_answer(contents, table, &row, err));
    }
done:
    stoa_array_release(&batch);
    stoa_schema_release(&schema);
    stoa_stream_release(&stream);
    stoa_query_close(query);
    stoa_buffer_clear(&question);
    return status;
}

stoa_status cli_contents_load(cli_contents *contents, stoa_table *table, bool scan,
                              const stoa_listener *listener, stoa_error *err)
{
    contents->n = stoa_table_n_columns(table);
    contents->items = cli_resize(NULL, contents->n, sizeof *contents->items);
    for (size_t i = 0; i < contents->n; i++) {
        contents->items[i] = (cli_content){0};
    }
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
