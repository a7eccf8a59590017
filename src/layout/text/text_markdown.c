/* A table of GitHub-flavoured Markdown. Numbers are to the right. A missing value is an empty cell.
 */
#include <string.h>

#include "layout/text/text_format.h"

/* Characters that would end the cell or the line, or begin something else, are escaped. */
static void write_text(stoa_sink *sink, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\n' || text[i] == '\r') {
            stoa_sink_text(sink, text[i] == '\n' ? "<br>" : "");
        } else {
            stoa_sink_text(sink,
                           strchr("|\\`*_<[", text[i]) != NULL && text[i] != '\0' ? "\\" : "");
            stoa_sink_char(sink, text[i]);
        }
    }
}

static void write_cell(stoa_sink *sink, const stoa_node *node, int64_t i)
{
    stoa_sink json = {.err = sink->err};

    node = stoa_node_value(node, &i);
    if (node == NULL) {
        return;
    }
    if (stoa_kind_is_string(node->view.type.kind)) {
        size_t length = 0;
        const char *const text = stoa_view_bytes(&node->view, i, &length);
        write_text(sink, text, length);
    } else if (node->n_children == 0) {
        stoa_scalar_write(sink, &node->view, i);
    } else {
        stoa_json_write(&json, node, i);
        write_text(sink, (const char *)json.text.data, json.text.size);
        sink->status = json.status != STOA_OK ? json.status : sink->status;
        stoa_sink_clear(&json);
    }
}

static void begin(stoa_sink *sink, const stoa_node *table)
{
    for (size_t k = 0; k < table->n_children; k++) {
        stoa_sink_text(sink, "| ");
        write_text(sink, table->children[k].name, strlen(table->children[k].name));
        stoa_sink_char(sink, ' ');
    }
    stoa_sink_text(sink, "|\n");
    for (size_t k = 0; k < table->n_children; k++) {
        const stoa_kind kind = table->children[k].view.type.kind;
        stoa_sink_text(sink, stoa_kind_is_integer(kind) || stoa_kind_is_float(kind) ? "| ---: "
                                                                                    : "| --- ");
    }
    stoa_sink_text(sink, "|\n");
}

static void row(stoa_sink *sink, const stoa_node *table, int64_t i, bool is_first)
{
    (void)is_first;
    for (size_t k = 0; k < table->n_children; k++) {
        stoa_sink_text(sink, "| ");
        write_cell(sink, &table->children[k], i);
        stoa_sink_char(sink, ' ');
    }
    stoa_sink_text(sink, "|\n");
}

static void end(stoa_sink *sink, bool is_empty)
{
    (void)sink;
    (void)is_empty;
}

const stoa_text_kind stoa_text_markdown = {begin, row, end};
