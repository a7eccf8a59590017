#include "cli/output/cell.h"

#include <stdio.h>
#include <string.h>

static void put_string(stoa_sink *sink, const stoa_view *view, int64_t i)
{
    size_t length = 0;
    const char *const bytes = stoa_view_bytes(view, i, &length);
    const bool quoted = length == 0 || (length == 1 && bytes[0] == '-') || bytes[0] == ' ' ||
                        bytes[length - 1] == ' ';

    stoa_sink_text(sink, quoted ? "\"" : "");
    stoa_sink_put(sink, bytes, length);
    stoa_sink_text(sink, quoted ? "\"" : "");
}

/* A view of a child or a dictionary may fail on damaged data. The sink records that. */
static bool is_fine(stoa_sink *sink, stoa_status status)
{
    if (sink->status == STOA_OK) {
        sink->status = status;
    }
    return status == STOA_OK;
}

static void put_list(stoa_sink *sink, const stoa_view *view, int64_t i)
{
    stoa_view child;
    int64_t first = 0;
    int64_t count = 0;

    if (!is_fine(sink, stoa_view_child(view, 0, &child, sink->err))) {
        return;
    }
    stoa_view_range(view, i, &first, &count);
    stoa_sink_text(sink, "[");
    for (int64_t j = 0; j < count; j++) {
        stoa_sink_text(sink, j > 0 ? ", " : "");
        cli_cell(sink, &child, first + j);
    }
    stoa_sink_text(sink, "]");
}

static void put_struct(stoa_sink *sink, const stoa_view *view, int64_t i)
{
    stoa_sink_text(sink, "{");
    for (int64_t j = 0; j < view->schema->n_children; j++) {
        const char *const name = view->schema->children[j]->name;
        stoa_view child;

        stoa_sink_text(sink, j > 0 ? ", " : "");
        stoa_sink_text(sink, name != NULL ? name : "");
        stoa_sink_text(sink, ": ");
        if (!is_fine(sink, stoa_view_child(view, j, &child, sink->err))) {
            return;
        }
        cli_cell(sink, &child, i);
    }
    stoa_sink_text(sink, "}");
}

void cli_cell(stoa_sink *sink, const stoa_view *view, int64_t i)
{
    stoa_view labels;

    if (stoa_view_is_null(view, i)) {
        stoa_sink_text(sink, "-");
        return;
    }
    switch (view->type.kind) {
    case STOA_KIND_STRING:
    case STOA_KIND_LARGE_STRING:
        put_string(sink, view, i);
        break;
    case STOA_KIND_LIST:
    case STOA_KIND_LARGE_LIST:
    case STOA_KIND_FIXED_LIST:
        put_list(sink, view, i);
        break;
    case STOA_KIND_STRUCT:
        put_struct(sink, view, i);
        break;
    case STOA_KIND_DICTIONARY:
        if (is_fine(sink, stoa_view_dictionary(view, &labels, sink->err))) {
            cli_cell(sink, &labels, stoa_view_i64(view, i));
        }
        break;
    default:
        stoa_scalar_write(sink, view, i);
    }
}

void cli_cell_write_json(stoa_sink *sink, const stoa_view *view, int64_t i)
{
    const stoa_node leaf = {.view = *view, .name = ""};
    stoa_sink text = {.err = sink->err};

    if (view->schema->n_children == 0 && view->schema->dictionary == NULL) {
        stoa_json_write(sink, &leaf, i);
        return;
    }
    cli_cell(&text, view, i);
    if (is_fine(sink, text.status)) {
        stoa_json_string(sink, (const char *)text.text.data, text.text.size);
    }
    stoa_sink_clear(&text);
}

typedef void write_cell(stoa_sink *sink, const stoa_view *view, int64_t i);

static stoa_status as_text(write_cell *write, const stoa_view *view, int64_t i, char **text,
                           stoa_error *err)
{
    stoa_sink sink = {.err = err};

    write(&sink, view, i);
    stoa_sink_put(&sink, "", 1);
    if (sink.status == STOA_OK) {
        *text = stoa_buffer_detach(&sink.text);
    }
    stoa_sink_clear(&sink);
    return sink.status;
}

stoa_status cli_cell_text(const stoa_view *view, int64_t i, char **text, stoa_error *err)
{
    return as_text(cli_cell, view, i, text, err);
}

stoa_status cli_cell_json(const stoa_view *view, int64_t i, char **text, stoa_error *err)
{
    return as_text(cli_cell_write_json, view, i, text, err);
}
