/* Streams as Arrow files: see ipc.h. */
#include "arrow/ipc.h"

#include <errno.h>
#include <string.h>

#include "arrow/ipc_flat.h"
#include "arrow/read.h"
#include "core/progress.h"

enum { MOST_DEPTH = 32 };

static const char magic[] = "ARROW1";

/* Bytes of a body: borrowed. */
typedef struct piece {
    const void *bytes;
    uint64_t size;
} piece;

/* Where a message is, for the footer. */
typedef struct block {
    uint64_t offset;
    uint64_t n_metadata;
    uint64_t n_body;
} block;

typedef struct writing {
    FILE *out;
    uint64_t at; /* bytes written */
    stoa_flat_writer flat;
    stoa_buffer nodes;  /* int64_t, two each */
    stoa_buffer pieces; /* piece */
    stoa_buffer blocks; /* block */
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

static uint64_t padding_of(uint64_t n)
{
    return (8 - n % 8) % 8;
}

static stoa_status put_padding(writing *w, uint64_t n, stoa_error *err)
{
    static const uint8_t zeros[8];

    return put_bytes(w, zeros, (size_t)padding_of(n), err);
}

static stoa_status put_number(writing *w, uint32_t number, stoa_error *err)
{
    const uint8_t bytes[] = {(uint8_t)number, (uint8_t)(number >> 8), (uint8_t)(number >> 16),
                             (uint8_t)(number >> 24)};

    return put_bytes(w, bytes, sizeof bytes, err);
}

/* The message that was made, without its body; *n is what it takes up in the file. */
static stoa_status put_message(writing *w, uint64_t *n, stoa_error *err)
{
    stoa_status status = w->flat.status;

    STOA_TRY(status);
    const uint64_t size = w->flat.bytes.size + padding_of(w->flat.bytes.size);
    if (size > INT32_MAX) {
        STOA_FAIL(err, STOA_ERANGE, "a message of %llu bytes", (unsigned long long)size);
    }
    *n = 8 + size;
    STOA_TRY(put_number(w, UINT32_MAX, err));
    STOA_TRY(put_number(w, (uint32_t)size, err));
    STOA_TRY(put_bytes(w, w->flat.bytes.data, w->flat.bytes.size, err));
    STOA_TRY(put_padding(w, w->flat.bytes.size, err));

done:
    return status;
}

/* The head of a message; where the offset of what it is goes. */
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

/* --- schema ---------------------------------------------------------------------------------- */

/* What the table of a type says, numbers alone. */
typedef struct type_table {
    unsigned kind;
    uint8_t sizes[2];
    uint64_t values[2];
} type_table;

static bool describe_number(const stoa_type *type, type_table *table)
{
    const uint64_t bits = 8 * (uint64_t)stoa_kind_width(type->kind);

    if (stoa_kind_is_integer(type->kind)) {
        *table = (type_table){IPC_INT, {4, 1}, {bits, stoa_kind_is_signed(type->kind) ? 1 : 0}};
        return true;
    }
    if (stoa_kind_is_float(type->kind)) {
        *table = (type_table){IPC_FLOAT, {2}, {bits == 16 ? 0 : bits == 32 ? 1 : 2}};
        return true;
    }
    return false;
}

static bool describe_type(const stoa_type *type, type_table *table)
{
    static const struct {
        stoa_kind kind;
        unsigned is;
    } plain[] = {{STOA_KIND_BOOL, IPC_BOOL},
                 {STOA_KIND_STRING, IPC_UTF8},
                 {STOA_KIND_LARGE_STRING, IPC_LARGE_UTF8},
                 {STOA_KIND_BINARY, IPC_BINARY},
                 {STOA_KIND_LARGE_BINARY, IPC_LARGE_BINARY},
                 {STOA_KIND_LIST, IPC_LIST},
                 {STOA_KIND_LARGE_LIST, IPC_LARGE_LIST},
                 {STOA_KIND_STRUCT, IPC_STRUCT}};

    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++) {
        if (type->kind == plain[i].kind) {
            *table = (type_table){.kind = plain[i].is};
            return true;
        }
    }
    switch (type->kind) {
    case STOA_KIND_FIXED_BINARY:
        *table = (type_table){IPC_FIXED_BINARY, {4}, {(uint64_t)type->width}};
        return true;
    case STOA_KIND_FIXED_LIST:
        *table = (type_table){IPC_FIXED_LIST, {4}, {(uint64_t)type->width}};
        return true;
    case STOA_KIND_DATE:
        *table = (type_table){IPC_DATE, {2}, {0}};
        return true;
    case STOA_KIND_DURATION:
        *table = (type_table){IPC_DURATION, {2}, {(uint64_t)(type->unit - STOA_TIME_SECOND)}};
        return true;
    default:
        return describe_number(type, table);
    }
}

static void put_metadata(stoa_flat_writer *flat, size_t at, const char *metadata)
{
    static const uint8_t sizes[] = {4, 4};
    int32_t n = 0;

    memcpy(&n, metadata, sizeof n);
    metadata += sizeof n;
    const size_t pairs = stoa_flat_put_vector(flat, at, (size_t)n, 4);
    for (int32_t i = 0; i < n; i++) {
        size_t where[2];
        stoa_flat_refer(flat, pairs + 4 * (size_t)i, stoa_flat_put_table(flat, sizes, 2, where));
        for (size_t k = 0; k < 2; k++) {
            int32_t length = 0;
            memcpy(&length, metadata, sizeof length);
            metadata += sizeof length;
            stoa_flat_put_string(flat, where[k], metadata, (size_t)length);
            metadata += length;
        }
    }
}

static stoa_status put_fields(stoa_flat_writer *flat, size_t at, const struct ArrowSchema *parent,
                              int depth, stoa_error *err);

static stoa_status put_field(stoa_flat_writer *flat, size_t from, const struct ArrowSchema *field,
                             int depth, stoa_error *err)
{
    const uint8_t sizes[FIELD_N] = {4, 1, 1, 4, 0, 4, field->metadata != NULL ? 4 : 0};
    const char *const name = field->name != NULL ? field->name : "";
    size_t where[FIELD_N];
    size_t values[2];
    stoa_type type;
    type_table table;
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_type_of(field, &type, err));
    if (depth > MOST_DEPTH || !describe_type(&type, &table)) {
        STOA_FAIL(err, STOA_ETYPE, "column '%s' of Arrow format '%s' is not written", name,
                  field->format);
    }
    stoa_flat_refer(flat, from, stoa_flat_put_table(flat, sizes, FIELD_N, where));
    stoa_flat_put_string(flat, where[FIELD_NAME], name, strlen(name));
    stoa_flat_put(flat, where[FIELD_NULLABLE], 1, (field->flags & ARROW_FLAG_NULLABLE) != 0);
    stoa_flat_put(flat, where[FIELD_TYPE_KIND], 1, table.kind);
    stoa_flat_refer(flat, where[FIELD_TYPE], stoa_flat_put_table(flat, table.sizes, 2, values));
    for (size_t i = 0; i < 2 && table.sizes[i] > 0; i++) {
        stoa_flat_put(flat, values[i], table.sizes[i], table.values[i]);
    }
    STOA_TRY(put_fields(flat, where[FIELD_CHILDREN], field, depth + 1, err));
    if (field->metadata != NULL) {
        put_metadata(flat, where[FIELD_METADATA], field->metadata);
    }

done:
    return status;
}

static stoa_status put_fields(stoa_flat_writer *flat, size_t at, const struct ArrowSchema *parent,
                              int depth, stoa_error *err)
{
    const size_t fields = stoa_flat_put_vector(flat, at, (size_t)parent->n_children, 4);
    stoa_status status = flat->status;

    for (int64_t i = 0; status == STOA_OK && i < parent->n_children; i++) {
        status = put_field(flat, fields + 4 * (size_t)i, parent->children[i], depth, err);
    }
    return status == STOA_OK ? flat->status : status;
}

static bool is_big_endian(void)
{
    const uint16_t one = 1;
    uint8_t first;

    memcpy(&first, &one, 1);
    return first == 0;
}

/* The schema's table, which the offset at `at` leads to. */
static stoa_status put_schema(stoa_flat_writer *flat, size_t at, const struct ArrowSchema *schema,
                              stoa_error *err)
{
    const uint8_t sizes[SCHEMA_N] = {2, 4, schema->metadata != NULL ? 4 : 0};
    size_t where[SCHEMA_N];
    stoa_status status = STOA_OK;

    stoa_flat_refer(flat, at, stoa_flat_put_table(flat, sizes, SCHEMA_N, where));
    stoa_flat_put(flat, where[SCHEMA_ENDIANNESS], 2, is_big_endian() ? 1 : 0);
    STOA_TRY(put_fields(flat, where[SCHEMA_FIELDS], schema, 0, err));
    if (schema->metadata != NULL) {
        put_metadata(flat, where[SCHEMA_METADATA], schema->metadata);
    }

done:
    return status;
}

/* --- batches --------------------------------------------------------------------------------- */

static stoa_status add_piece(writing *w, const void *bytes, uint64_t n, stoa_error *err)
{
    const piece p = {bytes, n};

    return stoa_buffer_append(&w->pieces, &p, sizeof p, err);
}

static uint64_t last_offset(const stoa_view *view, bool is_wide)
{
    int64_t wide = 0;
    int32_t narrow = 0;

    if (view->length == 0) {
        return 0;
    }
    if (is_wide) {
        memcpy(&wide, (const int64_t *)view->offsets + view->length, sizeof wide);
        return (uint64_t)wide;
    }
    memcpy(&narrow, (const int32_t *)view->offsets + view->length, sizeof narrow);
    return (uint64_t)narrow;
}

static stoa_status add_values(writing *w, const stoa_view *view, stoa_error *err)
{
    const stoa_kind kind = view->type.kind;
    const uint64_t n = (uint64_t)view->length;
    const bool is_wide = kind == STOA_KIND_LARGE_STRING || kind == STOA_KIND_LARGE_BINARY ||
                         kind == STOA_KIND_LARGE_LIST;
    stoa_status status = STOA_OK;

    if (view->offsets != NULL || stoa_kind_is_string(kind) || kind == STOA_KIND_BINARY ||
        kind == STOA_KIND_LARGE_BINARY || kind == STOA_KIND_LIST || kind == STOA_KIND_LARGE_LIST) {
        STOA_TRY(add_piece(w, view->offsets, n > 0 ? (n + 1) * (is_wide ? 8 : 4) : 0, err));
        if (kind != STOA_KIND_LIST && kind != STOA_KIND_LARGE_LIST) {
            STOA_TRY(add_piece(w, view->values, last_offset(view, is_wide), err));
        }
    } else if (kind == STOA_KIND_BOOL) {
        STOA_TRY(add_piece(w, view->values, stoa_bit_bytes(n), err));
    } else if (kind != STOA_KIND_STRUCT && kind != STOA_KIND_FIXED_LIST) {
        const uint64_t width = kind == STOA_KIND_FIXED_BINARY ? (uint64_t)view->type.width
                                                              : (uint64_t)stoa_kind_width(kind);
        STOA_TRY(add_piece(w, view->values, n * width, err));
    }

done:
    return status;
}

static stoa_status add_array(writing *w, const stoa_view *view, stoa_error *err)
{
    const int64_t node[] = {view->length, view->null_count};
    const int64_t n_children = view->schema->n_children;
    stoa_status status = STOA_OK;

    if (view->offset != 0) {
        STOA_FAIL(err, STOA_EINVAL, "a part of an Arrow array is not written");
    }
    STOA_TRY(stoa_buffer_append(&w->nodes, node, sizeof node, err));
    STOA_TRY(add_piece(w, view->validity,
                       view->null_count > 0 ? stoa_bit_bytes((uint64_t)view->length) : 0, err));
    STOA_TRY(add_values(w, view, err));
    for (int64_t i = 0; i < n_children; i++) {
        stoa_view child;
        STOA_TRY(stoa_view_child(view, i, &child, err));
        STOA_TRY(add_array(w, &child, err));
    }

done:
    return status;
}

/* The table of a batch whose nodes and pieces are collected. */
static void put_batch_table(writing *w, size_t at, int64_t length)
{
    static const uint8_t sizes[BATCH_N] = {8, 4, 4, 0};
    const piece *pieces = (const piece *)(const void *)w->pieces.data;
    const int64_t *nodes = (const int64_t *)(const void *)w->nodes.data;
    const size_t n_pieces = w->pieces.size / sizeof *pieces;
    const size_t n_nodes = w->nodes.size / sizeof *nodes / 2;
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
        offset += pieces[i].size + padding_of(pieces[i].size);
    }
}

static stoa_status put_batch(writing *w, const struct ArrowSchema *schema,
                             const struct ArrowArray *array, stoa_error *err)
{
    block b = {.offset = w->at};
    stoa_view view;
    stoa_view child;
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_view_of(schema, array, &view, err));
    w->nodes.size = 0;
    w->pieces.size = 0;
    if (view.null_count > 0) {
        STOA_FAIL(err, STOA_EDATA, "a row is null as a whole");
    }
    for (int64_t i = 0; i < schema->n_children; i++) {
        STOA_TRY(stoa_view_child(&view, i, &child, err));
        STOA_TRY(add_array(w, &child, err));
    }
    const piece *pieces = (const piece *)(const void *)w->pieces.data;
    const size_t n_pieces = w->pieces.size / sizeof *pieces;
    for (size_t i = 0; i < n_pieces; i++) {
        b.n_body += pieces[i].size + padding_of(pieces[i].size);
    }
    put_batch_table(w, begin_message(w, IPC_RECORD_BATCH, b.n_body, err), view.length);
    STOA_TRY(put_message(w, &b.n_metadata, err));
    for (size_t i = 0; i < n_pieces; i++) {
        STOA_TRY(put_bytes(w, pieces[i].bytes, (size_t)pieces[i].size, err));
        STOA_TRY(put_padding(w, pieces[i].size, err));
    }
    STOA_TRY(stoa_buffer_append(&w->blocks, &b, sizeof b, err));

done:
    return status;
}

/* --- file ------------------------------------------------------------------------------------ */

static stoa_status put_head(writing *w, const struct ArrowSchema *schema, stoa_error *err)
{
    uint64_t n = 0;
    stoa_type type;
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_type_of(schema, &type, err));
    if (type.kind != STOA_KIND_STRUCT) {
        STOA_FAIL(err, STOA_ETYPE, "a stream of Arrow format '%s' has no columns", schema->format);
    }
    STOA_TRY(put_bytes(w, magic, sizeof magic - 1, err));
    STOA_TRY(put_padding(w, w->at, err));
    STOA_TRY(put_schema(&w->flat, begin_message(w, IPC_SCHEMA, 0, err), schema, err));
    STOA_TRY(put_message(w, &n, err));

done:
    return status;
}

/* The end of the stream, then all again that a reader of any batch wants. */
static stoa_status put_footer(writing *w, const struct ArrowSchema *schema, stoa_error *err)
{
    static const uint8_t sizes[FOOTER_N] = {2, 4, 4, 4};
    const block *blocks = (const block *)(const void *)w->blocks.data;
    const size_t n = w->blocks.size / sizeof *blocks;
    size_t where[FOOTER_N];
    stoa_status status = STOA_OK;

    STOA_TRY(put_number(w, UINT32_MAX, err));
    STOA_TRY(put_number(w, 0, err));
    stoa_flat_begin(&w->flat, err);
    (void)stoa_flat_put_table(&w->flat, sizes, FOOTER_N, where);
    stoa_flat_put(&w->flat, where[FOOTER_VERSION], 2, IPC_V5);
    STOA_TRY(put_schema(&w->flat, where[FOOTER_SCHEMA], schema, err));
    (void)stoa_flat_put_vector(&w->flat, where[FOOTER_DICTIONARIES], 0, 24);
    const size_t to = stoa_flat_put_vector(&w->flat, where[FOOTER_BATCHES], n, 24);
    for (size_t i = 0; i < n; i++) {
        stoa_flat_put(&w->flat, to + 24 * i, 8, blocks[i].offset);
        stoa_flat_put(&w->flat, to + 24 * i + 8, 4, blocks[i].n_metadata);
        stoa_flat_put(&w->flat, to + 24 * i + 16, 8, blocks[i].n_body);
    }
    STOA_TRY(w->flat.status);
    STOA_TRY(put_bytes(w, w->flat.bytes.data, w->flat.bytes.size, err));
    STOA_TRY(put_number(w, (uint32_t)w->flat.bytes.size, err));
    STOA_TRY(put_bytes(w, magic, sizeof magic - 1, err));

done:
    return status;
}

stoa_status stoa_ipc_write(struct ArrowArrayStream *stream, FILE *out,
                           const stoa_listener *listener, uint64_t *n_rows, stoa_error *err)
{
    writing w = {.out = out};
    struct ArrowSchema schema = {.release = NULL};
    struct ArrowArray batch = {.release = NULL};
    uint64_t n = 0;
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_stream_schema(stream, &schema, err));
    STOA_TRY(put_head(&w, &schema, err));
    for (;;) {
        STOA_TRY(stoa_stream_next(stream, &batch, err));
        if (batch.release == NULL) {
            break;
        }
        STOA_TRY(put_batch(&w, &schema, &batch, err));
        n += (uint64_t)batch.length;
        stoa_array_release(&batch);
        STOA_TRY(stoa_tell(listener, &(stoa_progress){.stage = "writing", .rows = n}, err));
    }
    STOA_TRY(put_footer(&w, &schema, err));
    if (fflush(out) != 0) {
        STOA_TRY(stoa_fail_errno(err, errno, "cannot write the output"));
    }

done:
    if (n_rows != NULL) {
        *n_rows = n;
    }
    stoa_array_release(&batch);
    stoa_schema_release(&schema);
    stoa_buffer_clear(&w.flat.bytes);
    stoa_buffer_clear(&w.nodes);
    stoa_buffer_clear(&w.pieces);
    stoa_buffer_clear(&w.blocks);
    return status;
}
