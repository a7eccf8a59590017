/* Arrow streams as text: the loop over batches and rows. The formats are in text_*.c. */
#include <stdlib.h>
#include <stoa/export.h>

#include "arrow/build.h"
#include "core/progress.h"
#include "layout/text/text_format.h"

enum { NODE_MAX_DEPTH = 64 };

static void node_clear(stoa_node *node)
{
    for (size_t k = 0; k < node->n_children; k++) {
        node_clear(&node->children[k]);
    }
    free(node->children);
    *node = (stoa_node){0};
}

/* Make nodes for a field and all nested fields. The caller clears them, also on failure. */
static stoa_status node_make(stoa_node *node, const struct ArrowSchema *schema, int depth,
                             stoa_error *err)
{
    node->name = schema->name != NULL ? schema->name : "";
    STOA_RETURN_NOT_OK(stoa_type_of(schema, &node->view.type, err));
    if (node->view.type.kind == STOA_KIND_OTHER || depth > NODE_MAX_DEPTH) {
        return stoa_fail(
            err, STOA_ETYPE, "column '%s' has the Arrow format '%s', which has no text form%s",
            node->name, schema->format, depth > NODE_MAX_DEPTH ? " when nested this deep" : "");
    }
    const bool has_dictionary = node->view.type.kind == STOA_KIND_DICTIONARY;
    const size_t n_children = has_dictionary ? 1 : (size_t)schema->n_children;
    if (n_children == 0) {
        return STOA_OK;
    }
    node->children = stoa_alloc_zero(n_children, sizeof *node->children);
    STOA_RETURN_NO_MEMORY(err, node->children);
    node->n_children = n_children;
    for (size_t k = 0; k < n_children; k++) {
        STOA_RETURN_NOT_OK(node_make(&node->children[k],
                                     has_dictionary ? schema->dictionary : schema->children[k],
                                     depth + 1, err));
    }
    return STOA_OK;
}

/* Bind the children of a bound node to the same batch. */
static stoa_status node_bind_children(stoa_node *node, stoa_error *err)
{
    for (size_t k = 0; k < node->n_children; k++) {
        stoa_node *child = &node->children[k];
        if (node->view.type.kind == STOA_KIND_DICTIONARY) {
            STOA_RETURN_NOT_OK(stoa_view_dictionary(&node->view, &child->view, err));
        } else {
            STOA_RETURN_NOT_OK(stoa_view_child(&node->view, (int64_t)k, &child->view, err));
        }
        STOA_RETURN_NOT_OK(node_bind_children(child, err));
    }
    return STOA_OK;
}

static stoa_status write_batch(const stoa_text_kind *kind, stoa_sink *sink,
                               const struct ArrowSchema *schema, const struct ArrowArray *batch,
                               stoa_node *table, uint64_t *n_rows, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_view_of(schema, batch, &table->view, err));
    STOA_RETURN_NOT_OK(node_bind_children(table, err));
    for (int64_t i = 0; i < table->view.length && sink->status == STOA_OK; i++, (*n_rows)++) {
        kind->row(sink, table, i, *n_rows == 0);
    }
    return sink->status;
}

static const stoa_text_kind *kind_of(stoa_text_format format)
{
    switch (format) {
    case STOA_TEXT_CSV:
        return &stoa_text_csv;
    case STOA_TEXT_TSV:
        return &stoa_text_tsv;
    case STOA_TEXT_JSONL:
        return &stoa_text_jsonl;
    case STOA_TEXT_JSON:
        return &stoa_text_json;
    case STOA_TEXT_MARKDOWN:
        return &stoa_text_markdown;
    case STOA_TEXT_CSV_NO_FORMULAS:
        return &stoa_text_csv_no_formulas;
    case STOA_TEXT_TSV_NO_FORMULAS:
        return &stoa_text_tsv_no_formulas;
    }
    return NULL;
}

stoa_status stoa_text_write(struct ArrowArrayStream *stream, stoa_text_format format, FILE *out,
                            const stoa_listener *listener, uint64_t *n_rows, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_text_kind *kind = kind_of(format);
    stoa_sink sink = {.out = out, .err = err};
    stoa_node table = {0};
    struct ArrowSchema schema = {.release = NULL};
    struct ArrowArray batch = {.release = NULL};
    uint64_t n = 0;

    if (kind == NULL) {
        STOA_FAIL(err, STOA_EINVAL, "there is no text format %d", (int)format);
    }
    STOA_TRY(stoa_stream_schema(stream, &schema, err));
    STOA_TRY(node_make(&table, &schema, 0, err));
    if (table.view.type.kind != STOA_KIND_STRUCT) {
        STOA_FAIL(err, STOA_ETYPE, "a stream of Arrow format '%s' has no columns", schema.format);
    }
    kind->begin(&sink, &table);
    for (;;) {
        STOA_TRY(stoa_stream_next(stream, &batch, err));
        if (batch.release == NULL) {
            break;
        }
        STOA_TRY(write_batch(kind, &sink, &schema, &batch, &table, &n, err));
        stoa_array_release(&batch);
        STOA_TRY(
            stoa_report_progress(listener, &(stoa_progress){.stage = "writing", .rows = n}, err));
    }
    kind->end(&sink, n == 0);
    STOA_TRY(stoa_sink_flush(&sink));

done:
    if (n_rows != NULL) {
        *n_rows = n;
    }
    stoa_array_release(&batch);
    node_clear(&table);
    stoa_schema_release(&schema);
    stoa_sink_clear(&sink);
    return status;
}
