/* Writes streams as Arrow files, and in Arrow's stream format. */
#include "arrow/ipc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "arrow/ipc_body.h"
#include "arrow/ipc_flat.h"
#include "arrow/ipc_write.h"
#include "core/progress.h"

static const char magic[] = "ARROW1";

/* The position of a message, for the footer. */
typedef struct block {
    uint64_t offset;
    uint64_t n_metadata;
    uint64_t n_body;
} block;

typedef struct writing {
    FILE *out;
    bool is_file; /* else in the stream format */
    uint64_t at;  /* bytes written */
    stoa_flat_writer flat;
    stoa_ipc_body body;
    stoa_buffer blocks;       /* block, of batches */
    stoa_buffer dictionaries; /* block, of dictionaries */
    stoa_buffer *labels;      /* serialized bytes of each dictionary written */
    size_t n_labels;
    size_t next; /* number of the next dictionary, in field order */
} writing;

/* --- bytes ----------------------------------------------------------------------------------- */

static stoa_status put_bytes(writing *w, const void *bytes, size_t n, stoa_error *err)
{
    if (n != 0 && fwrite(bytes, 1, n, w->out) != n) {
        return stoa_fail_errno(err, errno, "cannot write the output");
    }
    w->at += n;
    return STOA_OK;
}

static stoa_status put_padding(writing *w, uint64_t n, stoa_error *err)
{
    static const uint8_t zeros[8];

    return put_bytes(w, zeros, (size_t)stoa_ipc_padding(n), err);
}

static stoa_status put_number(writing *w, uint32_t number, stoa_error *err)
{
    const uint8_t bytes[] = {(uint8_t)number, (uint8_t)(number >> 8), (uint8_t)(number >> 16),
                             (uint8_t)(number >> 24)};

    return put_bytes(w, bytes, sizeof bytes, err);
}

/* Write the finished message without its body; *n is its size in the file. */
static stoa_status put_message(writing *w, uint64_t *n, stoa_error *err)
{
    stoa_status status = w->flat.status;

    STOA_RETURN_NOT_OK(status);
    const uint64_t size = w->flat.bytes.size + stoa_ipc_padding(w->flat.bytes.size);
    if (size > INT32_MAX) {
        return stoa_fail(err, STOA_ERANGE, "a message of %llu bytes", (unsigned long long)size);
    }
    *n = 8 + size;
    STOA_RETURN_NOT_OK(put_number(w, UINT32_MAX, err));
    STOA_RETURN_NOT_OK(put_number(w, (uint32_t)size, err));
    STOA_RETURN_NOT_OK(put_bytes(w, w->flat.bytes.data, w->flat.bytes.size, err));
    return put_padding(w, w->flat.bytes.size, err);
}

/* Begin a message; returns where the offset of its header table goes. */
static size_t begin_message(writing *w, unsigned type, uint64_t n_body, stoa_error *err)
{
    static const uint8_t sizes[MESSAGE_N] = {2, 1, 4, 8};
    size_t where[MESSAGE_N];

    stoa_flat_begin(&w->flat, err);
    (void)stoa_flat_put_table(&w->flat, sizes, MESSAGE_N, where);
    stoa_flat_put(&w->flat, where[MESSAGE_VERSION], 2, IPC_V5);
    stoa_flat_put(&w->flat, where[MESSAGE_TYPE], 1, type);
    stoa_flat_put(&w->flat, where[MESSAGE_BODY], 8, n_body);
    return where[MESSAGE_HEADER];
}

/* --- batches --------------------------------------------------------------------------------- */

/* Write the table of a batch from the collected nodes and pieces. */
static void put_batch_table(writing *w, size_t at, int64_t length)
{
    static const uint8_t sizes[BATCH_N] = {8, 4, 4, 0, 0};
    const stoa_ipc_piece *pieces = stoa_ipc_body_pieces(&w->body);
    const int64_t *nodes = (const int64_t *)(const void *)w->body.nodes.data;
    const size_t n_pieces = stoa_ipc_body_n_pieces(&w->body);
    const size_t n_nodes = w->body.nodes.size / sizeof *nodes / 2;
    size_t where[BATCH_N];
    uint64_t offset = 0;

    stoa_flat_refer(&w->flat, at, stoa_flat_put_table(&w->flat, sizes, BATCH_N, where));
    stoa_flat_put(&w->flat, where[BATCH_LENGTH], 8, (uint64_t)length);
    const size_t to_nodes = stoa_flat_put_vector(&w->flat, where[BATCH_NODES], n_nodes, 16);
    for (size_t i = 0; i < 2 * n_nodes; i++) {
        stoa_flat_put(&w->flat, to_nodes + 8 * i, 8, (uint64_t)nodes[i]);
    }
    const size_t to_buffers = stoa_flat_put_vector(&w->flat, where[BATCH_BUFFERS], n_pieces, 16);
    for (size_t i = 0; i < n_pieces; i++) {
        stoa_flat_put(&w->flat, to_buffers + 16 * i, 8, offset);
        stoa_flat_put(&w->flat, to_buffers + 16 * i + 8, 8, pieces[i].size);
        offset += pieces[i].size + stoa_ipc_padding(pieces[i].size);
    }
}

/* Write the message and the collected pieces, and append their position to `blocks`. */
static stoa_status put_body(writing *w, uint64_t n_body, stoa_buffer *blocks, stoa_error *err)
{
    const stoa_ipc_piece *const pieces = stoa_ipc_body_pieces(&w->body);
    block b = {.offset = w->at, .n_body = n_body};

    STOA_RETURN_NOT_OK(put_message(w, &b.n_metadata, err));
    for (size_t i = 0; i < stoa_ipc_body_n_pieces(&w->body); i++) {
        STOA_RETURN_NOT_OK(put_bytes(w, pieces[i].bytes, (size_t)pieces[i].size, err));
        STOA_RETURN_NOT_OK(put_padding(w, pieces[i].size, err));
    }
    return stoa_buffer_append(blocks, &b, sizeof b, err);
}

/* --- dictionaries ---------------------------------------------------------------------------- */

/* Copy all collected bytes, to compare others with them. */
static stoa_status keep_bytes(const writing *w, stoa_buffer *out, stoa_error *err)
{
    const stoa_ipc_piece *const pieces = stoa_ipc_body_pieces(&w->body);
    stoa_status status = stoa_buffer_append(out, w->body.nodes.data, w->body.nodes.size, err);

    for (size_t i = 0; status == STOA_OK && i < stoa_ipc_body_n_pieces(&w->body); i++) {
        status = stoa_buffer_append(out, pieces[i].bytes, (size_t)pieces[i].size, err);
    }
    return status;
}

/* Write the next dictionary, the first time and when it changes, which it must not in a file. */
static stoa_status put_dictionary(writing *w, const stoa_view *codes, stoa_error *err)
{
    static const uint8_t sizes[DICTIONARY_N] = {8, 4, 0};
    size_t where[DICTIONARY_N];
    const size_t id = w->next++;
    stoa_buffer bytes = {0};
    stoa_view values;
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_view_dictionary(codes, &values, err));
    stoa_ipc_body_clear(&w->body);
    STOA_TRY(stoa_ipc_body_add(&w->body, &values, err));
    STOA_TRY(keep_bytes(w, &bytes, err));
    if (id < w->n_labels) {
        stoa_buffer *const first = &w->labels[id];
        if (bytes.size == first->size &&
            (bytes.size == 0 || memcmp(bytes.data, first->data, bytes.size) == 0)) {
            goto done;
        }
        if (w->is_file) {
            STOA_FAIL(err, STOA_EINVAL, "column '%s' has another dictionary in a later batch",
                      codes->schema->name);
        }
        stoa_buffer_clear(first);
        *first = bytes;
    } else {
        stoa_buffer *const labels = stoa_realloc(w->labels, id + 1, sizeof *labels);
        STOA_TRY(labels != NULL ? STOA_OK : stoa_fail_memory(err));
        w->labels = labels;
        labels[w->n_labels++] = bytes;
    }
    bytes = (stoa_buffer){0};
    const uint64_t n_body = stoa_ipc_body_size(&w->body);
    const size_t at = begin_message(w, IPC_DICTIONARY_BATCH, n_body, err);
    stoa_flat_refer(&w->flat, at, stoa_flat_put_table(&w->flat, sizes, DICTIONARY_N, where));
    stoa_flat_put(&w->flat, where[DICTIONARY_ID], 8, id);
    put_batch_table(w, where[DICTIONARY_DATA], values.length);
    STOA_TRY(put_body(w, n_body, &w->dictionaries, err));

done:
    stoa_buffer_clear(&bytes);
    return status;
}

/* Write the dictionaries of an array and its children, in field order. */
static stoa_status put_dictionaries(writing *w, const stoa_view *view, stoa_error *err)
{
    stoa_view child;

    if (view->schema->dictionary != NULL) {
        return put_dictionary(w, view, err);
    }
    for (int64_t i = 0; i < view->schema->n_children; i++) {
        STOA_RETURN_NOT_OK(stoa_view_child(view, i, &child, err));
        STOA_RETURN_NOT_OK(put_dictionaries(w, &child, err));
    }
    return STOA_OK;
}

static stoa_status put_batch(writing *w, const struct ArrowSchema *schema,
                             const struct ArrowArray *array, stoa_error *err)
{
    stoa_view view;
    stoa_view child;

    STOA_RETURN_NOT_OK(stoa_view_of(schema, array, &view, err));
    if (view.null_count > 0) {
        return stoa_fail(err, STOA_EDATA, "a row is null as a whole");
    }
    w->next = 0;
    STOA_RETURN_NOT_OK(put_dictionaries(w, &view, err));
    stoa_ipc_body_clear(&w->body);
    for (int64_t i = 0; i < schema->n_children; i++) {
        STOA_RETURN_NOT_OK(stoa_view_child(&view, i, &child, err));
        STOA_RETURN_NOT_OK(stoa_ipc_body_add(&w->body, &child, err));
    }
    const uint64_t n_body = stoa_ipc_body_size(&w->body);
    put_batch_table(w, begin_message(w, IPC_RECORD_BATCH, n_body, err), view.length);
    return put_body(w, n_body, &w->blocks, err);
}

/* --- file ------------------------------------------------------------------------------------ */

static stoa_status put_head(writing *w, const struct ArrowSchema *schema, stoa_error *err)
{
    uint64_t n = 0;
    stoa_type type;

    STOA_RETURN_NOT_OK(stoa_type_of(schema, &type, err));
    if (type.kind != STOA_KIND_STRUCT) {
        return stoa_fail(err, STOA_ETYPE, "a stream of Arrow format '%s' has no columns",
                         schema->format);
    }
    if (w->is_file) {
        STOA_RETURN_NOT_OK(put_bytes(w, magic, sizeof magic - 1, err));
        STOA_RETURN_NOT_OK(put_padding(w, w->at, err));
    }
    STOA_RETURN_NOT_OK(
        stoa_ipc_put_schema(&w->flat, begin_message(w, IPC_SCHEMA, 0, err), schema, err));
    return put_message(w, &n, err);
}

/* Write the positions of messages to the footer. */
static void put_blocks(writing *w, size_t at, const stoa_buffer *list)
{
    const block *blocks = (const block *)(const void *)list->data;
    const size_t n = list->size / sizeof *blocks;
    const size_t to = stoa_flat_put_vector(&w->flat, at, n, 24);

    for (size_t i = 0; i < n; i++) {
        stoa_flat_put(&w->flat, to + 24 * i, 8, blocks[i].offset);
        stoa_flat_put(&w->flat, to + 24 * i + 8, 4, blocks[i].n_metadata);
        stoa_flat_put(&w->flat, to + 24 * i + 16, 8, blocks[i].n_body);
    }
}

/* Write the end marker of the stream, then of a file the footer, which readers of single batches
 * need. */
static stoa_status put_footer(writing *w, const struct ArrowSchema *schema, stoa_error *err)
{
    static const uint8_t sizes[FOOTER_N] = {2, 4, 4, 4};
    size_t where[FOOTER_N];

    STOA_RETURN_NOT_OK(put_number(w, UINT32_MAX, err));
    STOA_RETURN_NOT_OK(put_number(w, 0, err));
    if (!w->is_file) {
        return STOA_OK;
    }
    stoa_flat_begin(&w->flat, err);
    (void)stoa_flat_put_table(&w->flat, sizes, FOOTER_N, where);
    stoa_flat_put(&w->flat, where[FOOTER_VERSION], 2, IPC_V5);
    STOA_RETURN_NOT_OK(stoa_ipc_put_schema(&w->flat, where[FOOTER_SCHEMA], schema, err));
    put_blocks(w, where[FOOTER_DICTIONARIES], &w->dictionaries);
    put_blocks(w, where[FOOTER_BATCHES], &w->blocks);
    STOA_RETURN_NOT_OK(w->flat.status);
    STOA_RETURN_NOT_OK(put_bytes(w, w->flat.bytes.data, w->flat.bytes.size, err));
    STOA_RETURN_NOT_OK(put_number(w, (uint32_t)w->flat.bytes.size, err));
    return put_bytes(w, magic, sizeof magic - 1, err);
}

/* The format of values of the same width that views have: decimals and times of day are written by
 * their bytes. */
static const char *plain_format(const char *format, char *room, size_t size)
{
    stoa_decimal decimal;

    if (stoa_decimal_of(format, &decimal)) {
        (void)snprintf(room, size, "w:%d", (int)decimal.width);
        return room;
    }
    return strncmp(format, "tt", 2) != 0          ? format
           : format[2] == 's' || format[2] == 'm' ? "i"
                                                  : "l";
}

/* The schema by which the bytes of batches are written. */
static stoa_status make_plain(const struct ArrowSchema *from, struct ArrowSchema *out,
                              stoa_error *err)
{
    char room[32];

    if (from->dictionary != NULL) {
        return stoa_schema_copy(from, out, err);
    }
    STOA_RETURN_NOT_OK(stoa_schema_make(out, from->name != NULL ? from->name : "",
                                        plain_format(from->format, room, sizeof room), err));
    if (from->n_children > 0) {
        STOA_RETURN_NOT_OK(stoa_schema_children(out, from->n_children, err));
    }
    for (int64_t i = 0; i < from->n_children; i++) {
        STOA_RETURN_NOT_OK(make_plain(from->children[i], out->children[i], err));
    }
    return STOA_OK;
}

static stoa_status flush(FILE *out, stoa_error *err)
{
    return fflush(out) == 0 ? STOA_OK : stoa_fail_errno(err, errno, "cannot write the output");
}

static stoa_status write_all(struct ArrowArrayStream *stream, FILE *out, bool is_file,
                             const stoa_listener *listener, uint64_t *n_rows, stoa_error *err)
{
    writing w = {.out = out, .is_file = is_file};
    struct ArrowSchema schema = {.release = NULL};
    struct ArrowSchema plain = {.release = NULL};
    struct ArrowArray batch = {.release = NULL};
    uint64_t n = 0;
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_stream_schema(stream, &schema, err));
    STOA_TRY(put_head(&w, &schema, err));
    STOA_TRY(make_plain(&schema, &plain, err));
    for (;;) {
        STOA_TRY(stoa_stream_next(stream, &batch, err));
        if (batch.release == NULL) {
            break;
        }
        STOA_TRY(put_batch(&w, &plain, &batch, err));
        STOA_TRY(is_file ? STOA_OK : flush(out, err));
        n += (uint64_t)batch.length;
        stoa_array_release(&batch);
        STOA_TRY(
            stoa_report_progress(listener, &(stoa_progress){.stage = "writing", .rows = n}, err));
    }
    STOA_TRY(put_footer(&w, &schema, err));
    STOA_TRY(flush(out, err));

done:
    if (n_rows != NULL) {
        *n_rows = n;
    }
    stoa_array_release(&batch);
    stoa_schema_release(&schema);
    stoa_schema_release(&plain);
    stoa_buffer_clear(&w.flat.bytes);
    stoa_ipc_body_free(&w.body);
    stoa_buffer_clear(&w.blocks);
    stoa_buffer_clear(&w.dictionaries);
    for (size_t i = 0; i < w.n_labels; i++) {
        stoa_buffer_clear(&w.labels[i]);
    }
    free(w.labels);
    return status;
}

stoa_status stoa_ipc_write(struct ArrowArrayStream *stream, FILE *out,
                           const stoa_listener *listener, uint64_t *n_rows, stoa_error *err)
{
    return write_all(stream, out, true, listener, n_rows, err);
}

stoa_status stoa_ipc_write_stream(struct ArrowArrayStream *stream, FILE *out,
                                  const stoa_listener *listener, uint64_t *n_rows, stoa_error *err)
{
    return write_all(stream, out, false, listener, n_rows, err);
}
