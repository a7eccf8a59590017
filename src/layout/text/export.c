/*
 * Arrow streams as text: the loop over batches and rows. The formats are in text_*.c.
 *
 * Threads write parts of a batch, of some rows each, into buffers. The calling thread hands these
 * to the file in their order, and meanwhile writes parts itself. There are two buffers a thread.
 */
#include "layout/text/export.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "arrow/build.h"
#include "core/progress.h"
#include "core/threads.h"
#include "layout/text/text_format.h"

enum {
    NODE_MAX_DEPTH = 64,
    PART_BYTES = 256 * 1024, /* of text, as estimated */
    VALUE_BYTES = 16         /* an estimate for a number and what is around it */
};

static void node_clear(stoa_node *node)
{
    for (size_t k = 0; k < node->n_children; k++) {
        node_clear(&node->children[k]);
    }
    free(node->children);
    stoa_buffer_clear(&node->key);
    *node = (stoa_node){0};
}

static stoa_status key_make(stoa_node *node, stoa_error *err)
{
    stoa_sink key = {.err = err};

    stoa_json_string(&key, node->name, strlen(node->name));
    stoa_sink_char(&key, ':');
    node->key = key.text;
    return key.status;
}

/* Make nodes for a field and all nested fields. The caller clears them, also on failure. */
static stoa_status node_make(stoa_node *node, const struct ArrowSchema *schema, int depth,
                             stoa_error *err)
{
    node->name = schema->name != NULL ? schema->name : "";
    STOA_RETURN_NOT_OK(key_make(node, err));
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

/* The bytes that the text of a batch has, roughly: those of its texts, and of its numbers and
 * names. Only the order of magnitude counts. */
static double estimate(const stoa_node *node)
{
    const stoa_kind kind = node->view.type.kind;
    const double n = (double)node->view.length;
    double sum = n * (double)(VALUE_BYTES + node->key.size);

    if (kind == STOA_KIND_DICTIONARY) {
        return sum;
    }
    if (kind == STOA_KIND_FIXED_BINARY) {
        sum += 2 * n * (double)node->view.type.width;
    } else if (node->n_children == 0 && node->view.offsets != NULL) {
        sum += 2 * (double)(stoa_view_offset(&node->view, node->view.length) -
                            stoa_view_offset(&node->view, 0));
    }
    for (size_t k = 0; k < node->n_children; k++) {
        sum += estimate(&node->children[k]);
    }
    return sum;
}

/* A part that is being written, or waits to be handed to the file. */
typedef struct part {
    stoa_sink text;
    atomic_bool is_whole;
} part;

typedef struct writer {
    const stoa_text_kind *kind;
    const stoa_node *table;
    stoa_workers *workers;
    part *parts; /* part number p of a batch is in place p % n_places */
    size_t n_places;
    uint64_t n_before; /* rows of earlier batches */
    int64_t n_rows;    /* of a part */
} writer;

static void write_rows(const writer *w, stoa_sink *sink, int64_t first, int64_t n)
{
    for (int64_t i = first; i < first + n && sink->status == STOA_OK; i++) {
        w->kind->row(sink, w->table, i, w->n_before == 0 && i == 0);
    }
}

static stoa_status write_part(void *context, unsigned worker, uint64_t number, stoa_error *err)
{
    const writer *w = context;
    part *p = &w->parts[number % w->n_places];
    const int64_t first = (int64_t)number * w->n_rows;
    const int64_t left = w->table->view.length - first;

    (void)worker;
    p->text.err = err;
    write_rows(w, &p->text, first, left < w->n_rows ? left : w->n_rows);
    atomic_store(&p->is_whole, true);
    return p->text.status;
}

/* Hand the parts to the file, each when it is written. */
static stoa_status write_parts(writer *w, stoa_sink *sink, stoa_error *err)
{
    const uint64_t n_rows = (uint64_t)w->n_rows;
    const uint64_t n_parts = ((uint64_t)w->table->view.length + n_rows - 1) / n_rows;
    stoa_job job;

    stoa_job_begin(&job, w->workers, n_parts, write_part, w);
    for (uint64_t next = 0; next < n_parts && sink->status == STOA_OK; next++) {
        part *const p = &w->parts[next % w->n_places];
        stoa_job_offer(&job, next + w->n_places < n_parts ? next + w->n_places : n_parts);
        while (!atomic_load(&p->is_whole) && stoa_job_help(&job)) {
        }
        if (!atomic_load(&p->is_whole) || p->text.status != STOA_OK) {
            break; /* stoa_job_end() says why */
        }
        stoa_sink_put(sink, p->text.text.data, p->text.text.size);
        p->text.text.size = 0;
        atomic_store(&p->is_whole, false);
    }
    STOA_RETURN_NOT_OK(stoa_job_end(&job, err));
    return sink->status;
}

/* Rows that are larger than a part go to the file as they are written, so that no row needs as much
 * memory as its text. */
static stoa_status write_batch(writer *w, stoa_sink *sink, stoa_error *err)
{
    const int64_t n = w->table->view.length;
    const double size = n > 0 ? estimate(w->table) / (double)n : 0;

    if (size > PART_BYTES) {
        write_rows(w, sink, 0, n);
        return sink->status;
    }
    w->n_rows = (int64_t)(PART_BYTES / (size < 1 ? 1 : size));
    return write_parts(w, sink, err);
}

static stoa_status writer_open(writer *w, unsigned n_threads, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_workers_open(n_threads, &w->workers, err));
    w->n_places = 2 * (size_t)stoa_workers_count(w->workers);
    w->parts = stoa_alloc_zero(w->n_places, sizeof *w->parts);
    STOA_RETURN_NO_MEMORY(err, w->parts);
    return STOA_OK;
}

static void writer_close(writer *w)
{
    stoa_workers_close(w->workers);
    for (size_t i = 0; w->parts != NULL && i < w->n_places; i++) {
        stoa_sink_clear(&w->parts[i].text);
    }
    free(w->parts);
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

stoa_status stoa_text_write_by(struct ArrowArrayStream *stream, stoa_text_format format, FILE *out,
                               unsigned n_threads, const stoa_listener *listener, uint64_t *n_rows,
                               stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_sink sink = {.out = out, .err = err};
    stoa_node table = {0};
    writer w = {.kind = kind_of(format), .table = &table};
    struct ArrowSchema schema = {.release = NULL};
    struct ArrowArray batch = {.release = NULL};

    if (w.kind == NULL) {
        STOA_FAIL(err, STOA_EINVAL, "there is no text format %d", (int)format);
    }
    STOA_TRY(writer_open(&w, n_threads, err));
    STOA_TRY(stoa_stream_schema(stream, &schema, err));
    STOA_TRY(node_make(&table, &schema, 0, err));
    if (table.view.type.kind != STOA_KIND_STRUCT) {
        STOA_FAIL(err, STOA_ETYPE, "a stream of Arrow format '%s' has no columns", schema.format);
    }
    w.kind->begin(&sink, &table);
    for (;;) {
        STOA_TRY(stoa_stream_next(stream, &batch, err));
        if (batch.release == NULL) {
            break;
        }
        STOA_TRY(stoa_view_of(&schema, &batch, &table.view, err));
        STOA_TRY(node_bind_children(&table, err));
        STOA_TRY(write_batch(&w, &sink, err));
        w.n_before += (uint64_t)table.view.length;
        stoa_array_release(&batch);
        STOA_TRY(stoa_report_progress(
            listener, &(stoa_progress){.stage = "writing", .rows = w.n_before}, err));
    }
    w.kind->end(&sink, w.n_before == 0);
    STOA_TRY(stoa_sink_flush(&sink));

done:
    if (n_rows != NULL) {
        *n_rows = w.n_before;
    }
    writer_close(&w);
    stoa_array_release(&batch);
    node_clear(&table);
    stoa_schema_release(&schema);
    stoa_sink_clear(&sink);
    return status;
}

stoa_status stoa_text_write(struct ArrowArrayStream *stream, stoa_text_format format, FILE *out,
                            const stoa_listener *listener, uint64_t *n_rows, stoa_error *err)
{
    return stoa_text_write_by(stream, format, out, 0, listener, n_rows, err);
}
