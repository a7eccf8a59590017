/*
 * Arrow files and streams as streams: see ipc.h.
 *
 * A file is a stream with a frame around it, so it is read as one, from its begin, and needs no
 * seeking. Messages are: a schema, then batches. Of each message the metadata come first, then the
 * body, whose parts the metadata name; arrays get copies of these.
 */
#include "arrow/ipc.h"

#include <stdlib.h>
#include <string.h>

#include "arrow/ipc_flat.h"
#include "arrow/ipc_schema.h"
#include "arrow/read.h"

enum { PREFIX = 8, MOST_METADATA = 256 << 20, STEP = 1 << 20 };

typedef struct reader {
    stoa_ipc_source source;
    char *name; /* NULL: none */
    struct ArrowSchema schema;
    stoa_buffer metadata;
    stoa_buffer body;
    uint8_t held[PREFIX]; /* read, but not looked at */
    bool has_held;
    bool at_end;
} reader;

/* --- messages -------------------------------------------------------------------------------- */

bool stoa_ipc_begins(const void *bytes)
{
    static const uint8_t continuation[] = {0xff, 0xff, 0xff, 0xff};

    return memcmp(bytes, "ARROW1\0", PREFIX) == 0 ||
           memcmp(bytes, continuation, sizeof continuation) == 0;
}

static stoa_status fail_cut(stoa_error *err)
{
    return stoa_fail(err, STOA_EDATA, "the Arrow data end within a message");
}

/* n bytes into an empty buffer, which grows as they come: n is only what somebody says. */
static stoa_status read_bytes(reader *r, stoa_buffer *out, uint64_t n, stoa_error *err)
{
    stoa_status status = STOA_OK;

    out->size = 0;
    while (out->size < n) {
        const uint64_t rest = n - out->size;
        const size_t most = out->size > STEP ? out->size : STEP;
        const size_t step = rest < most ? (size_t)rest : most;
        size_t n_read = 0;
        STOA_TRY(stoa_buffer_reserve(out, step, err));
        STOA_TRY(r->source.read(r->source.context, out->data + out->size, step, &n_read, err));
        out->size += n_read;
        STOA_TRY(n_read == step ? STOA_OK : fail_cut(err));
    }

done:
    return status;
}

/* The length of the next message's metadata; 0: there is none any more. */
static stoa_status read_prefix(reader *r, uint32_t *length, stoa_error *err)
{
    stoa_flat flat = {.bytes = r->held, .size = PREFIX};
    size_t n = PREFIX;
    stoa_status status = STOA_OK;

    *length = 0;
    if (!r->has_held) {
        STOA_TRY(r->source.read(r->source.context, r->held, PREFIX, &n, err));
    }
    r->has_held = false;
    if (n == 0) {
        goto done; /* streams need not say that they end */
    }
    STOA_TRY(n == PREFIX ? STOA_OK : fail_cut(err));
    if (stoa_flat_number(&flat, 0, 4) != UINT32_MAX) {
        STOA_FAIL(err, STOA_EVERSION, "Arrow data of before version 0.15, or damaged ones");
    }
    *length = (uint32_t)stoa_flat_number(&flat, 4, 4);
    if (*length > MOST_METADATA) {
        STOA_FAIL(err, STOA_EDATA, "a message with %lu bytes of metadata", (unsigned long)*length);
    }

done:
    return status;
}

/* The next message: its metadata, and its body if it has one. */
static stoa_status read_message(reader *r, stoa_flat *flat, uint64_t *type, stoa_flat_table *header,
                                stoa_error *err)
{
    uint32_t length = 0;
    stoa_status status = STOA_OK;

    *type = 0;
    STOA_TRY(read_prefix(r, &length, err));
    if (length == 0) {
        r->at_end = true;
        goto done;
    }
    STOA_TRY(read_bytes(r, &r->metadata, length, err));
    *flat = (stoa_flat){.bytes = r->metadata.data, .size = r->metadata.size};
    const stoa_flat_table message = stoa_flat_root(flat);
    const uint64_t n_body = stoa_flat_field(flat, &message, MESSAGE_BODY, 8, 0);
    *type = stoa_flat_field(flat, &message, MESSAGE_TYPE, 1, 0);
    *header = stoa_flat_child(flat, &message, MESSAGE_HEADER);
    if (flat->is_bad || n_body > INT64_MAX) {
        STOA_FAIL(err, STOA_EDATA, "a message is damaged");
    }
    if (stoa_flat_field(flat, &message, MESSAGE_VERSION, 2, 0) < IPC_V5 - 1) { /* V4: the same */
        STOA_FAIL(err, STOA_EVERSION, "a message of before Arrow 0.8");
    }
    STOA_TRY(read_bytes(r, &r->body, n_body, err));

done:
    return status;
}

/* --- batches --------------------------------------------------------------------------------- */

/* Nodes and buffers of a batch, taken one after the other. */
typedef struct taking {
    stoa_flat *flat;
    const stoa_buffer *body;
    size_t nodes, buffers; /* where the next are */
    uint32_t n_nodes, n_buffers;
    uint64_t n_copied; /* bytes; parts of a body do not overlap */
    stoa_error *err;
} taking;

static stoa_status fail_batch(stoa_error *err)
{
    return stoa_fail(err, STOA_EDATA, "a batch's arrays are not as its schema says");
}

/* A copy of the next buffer's first `needed` bytes. @param[out] size  what it has; may be NULL */
static stoa_status take_buffer(taking *t, uint64_t needed, void **copy, uint64_t *size)
{
    if (t->n_buffers == 0) {
        return fail_batch(t->err);
    }
    const uint64_t offset = stoa_flat_number(t->flat, t->buffers, 8);
    const uint64_t length = stoa_flat_number(t->flat, t->buffers + 8, 8);
    t->buffers += 16;
    t->n_buffers--;
    if (size != NULL) {
        *size = length;
    }
    if (needed == UINT64_MAX) { /* all of it */
        needed = length;
    }
    if (length > t->body->size || offset > t->body->size - length || needed > length ||
        needed > t->body->size - t->n_copied) {
        return fail_batch(t->err);
    }
    t->n_copied += needed;
    *copy = stoa_alloc((size_t)needed, 1);
    if (*copy == NULL) {
        return stoa_fail_memory(t->err);
    }
    if (needed > 0) {
        memcpy(*copy, t->body->data + offset, (size_t)needed);
    }
    return STOA_OK;
}

/* Offsets that ascend from 0 on; where they end. */
static bool offsets_ascend(const void *offsets, int64_t n, bool is_wide, uint64_t *end)
{
    int64_t before = 0;

    for (int64_t i = 0; i <= n; i++) {
        const int64_t at = is_wide ? ((const int64_t *)offsets)[i] : ((const int32_t *)offsets)[i];
        if (at < before) {
            return false;
        }
        before = at;
    }
    *end = (uint64_t)before;
    return true;
}

/* The offsets of n strings, binaries or lists; of none there may be none. */
static stoa_status take_offsets(taking *t, int64_t n, bool is_wide, void **offsets, uint64_t *end)
{
    const size_t width = is_wide ? 8 : 4;
    stoa_status status = STOA_OK;

    *end = 0;
    if (n == 0) {
        STOA_TRY(take_buffer(t, 0, offsets, NULL));
        free(*offsets);
        *offsets = stoa_alloc_zero(1, width);
        STOA_TRY(*offsets != NULL ? STOA_OK : stoa_fail_memory(t->err));
        goto done;
    }
    STOA_TRY(take_buffer(t, ((uint64_t)n + 1) * width, offsets, NULL));
    STOA_TRY(offsets_ascend(*offsets, n, is_wide, end) ? STOA_OK : fail_batch(t->err));

done:
    return status;
}

static stoa_status take_array(taking *t, const struct ArrowSchema *field, int64_t expected,
                              struct ArrowArray *out);

static stoa_status take_children(taking *t, const struct ArrowSchema *field, int64_t expected,
                                 struct ArrowArray *out)
{
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_array_children(out, field->n_children, t->err));
    for (int64_t i = 0; i < field->n_children; i++) {
        STOA_TRY(take_array(t, field->children[i], expected, out->children[i]));
    }

done:
    return status;
}

static bool has_wide_offsets(stoa_kind kind)
{
    return kind == STOA_KIND_LARGE_STRING || kind == STOA_KIND_LARGE_BINARY ||
           kind == STOA_KIND_LARGE_LIST;
}

/* Buffers behind the validity. @param[out] n_items  of children, where there are any */
static stoa_status take_values(taking *t, const stoa_type *type, int64_t n, void **buffers,
                               int64_t *n_buffers, int64_t *n_items)
{
    uint64_t end = 0;
    uint64_t size = 0;
    stoa_status status = STOA_OK;

    *n_items = n;
    switch (type->kind) {
    case STOA_KIND_STRUCT:
        *n_buffers = 1;
        break;
    case STOA_KIND_FIXED_LIST:
        *n_buffers = 1;
        if (n > INT64_MAX / type->width) {
            STOA_TRY(fail_batch(t->err));
        }
        *n_items = n * type->width;
        break;
    case STOA_KIND_LIST:
    case STOA_KIND_LARGE_LIST:
        *n_buffers = 2;
        STOA_TRY(take_offsets(t, n, has_wide_offsets(type->kind), &buffers[1], &end));
        *n_items = (int64_t)end;
        break;
    case STOA_KIND_STRING:
    case STOA_KIND_BINARY:
    case STOA_KIND_LARGE_STRING:
    case STOA_KIND_LARGE_BINARY:
        *n_buffers = 3;
        STOA_TRY(take_offsets(t, n, has_wide_offsets(type->kind), &buffers[1], &end));
        STOA_TRY(take_buffer(t, UINT64_MAX, &buffers[2], &size));
        STOA_TRY(end <= size ? STOA_OK : fail_batch(t->err));
        break;
    default:
        *n_buffers = 2;
        STOA_TRY(type->width == 0 || n <= INT64_MAX / type->width ? STOA_OK : fail_batch(t->err));
        STOA_TRY(take_buffer(t,
                             type->kind == STOA_KIND_BOOL ? stoa_bit_bytes((uint64_t)n)
                                                          : (uint64_t)n * (uint64_t)type->width,
                             &buffers[1], NULL));
        break;
    }

done:
    return status;
}

/* @param expected  its length; that of lists' items is at least that */
static stoa_status take_array(taking *t, const struct ArrowSchema *field, int64_t expected,
                              struct ArrowArray *out)
{
    void *buffers[3] = {NULL, NULL, NULL};
    int64_t n_buffers = 0;
    int64_t n_items = 0;
    stoa_type type;
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_type_of(field, &type, t->err));
    STOA_TRY(t->n_nodes > 0 ? STOA_OK : fail_batch(t->err));
    const int64_t n = (int64_t)stoa_flat_number(t->flat, t->nodes, 8);
    const int64_t n_null = (int64_t)stoa_flat_number(t->flat, t->nodes + 8, 8);
    t->nodes += 16;
    t->n_nodes--;
    /* A bit a value at least is in the body, so that no product below overflows. */
    if (n < expected || n_null < 0 || n_null > n || (uint64_t)n / 8 > t->body->size) {
        STOA_TRY(fail_batch(t->err));
    }
    STOA_TRY(take_buffer(t, n_null > 0 ? stoa_bit_bytes((uint64_t)n) : 0, &buffers[0], NULL));
    if (n_null == 0) {
        free(buffers[0]);
        buffers[0] = NULL;
    }
    STOA_TRY(take_values(t, &type, n, buffers, &n_buffers, &n_items));
    void *const taken[] = {buffers[0], buffers[1], buffers[2]};
    memset(buffers, 0, sizeof buffers);
    STOA_TRY(stoa_array_make(out, n, n_null > 0 ? -1 : 0, n_buffers, taken, t->err));
    STOA_TRY(field->n_children > 0 ? take_children(t, field, n_items, out) : STOA_OK);

done:
    for (size_t i = 0; i < 3; i++) {
        free(buffers[i]);
    }
    return status;
}

static stoa_status take_batch(reader *r, stoa_flat *flat, const stoa_flat_table *table,
                              struct ArrowArray *out, stoa_error *err)
{
    taking t = {.flat = flat, .body = &r->body, .err = err};
    const int64_t n = (int64_t)stoa_flat_field(flat, table, BATCH_LENGTH, 8, 0);
    void *const none[] = {NULL};
    stoa_status status = STOA_OK;

    if (stoa_flat_has(flat, table, BATCH_COMPRESSION)) {
        STOA_FAIL(err, STOA_EVERSION,
                  "batches are compressed, which is not read; write them without compression");
    }
    t.n_nodes = stoa_flat_vector(flat, table, BATCH_NODES, 16, &t.nodes);
    t.n_buffers = stoa_flat_vector(flat, table, BATCH_BUFFERS, 16, &t.buffers);
    STOA_TRY(n >= 0 ? STOA_OK : fail_batch(err));
    STOA_TRY(stoa_array_make(out, n, 0, 1, none, err));
    STOA_TRY(take_children(&t, &r->schema, n, out));
    STOA_TRY(!flat->is_bad && t.n_nodes == 0 && t.n_buffers == 0 ? STOA_OK : fail_batch(err));
    for (int64_t i = 0; i < out->n_children; i++) {
        STOA_TRY(out->children[i]->length == n ? STOA_OK : fail_batch(err));
    }

done:
    return status;
}

/* --- the stream ------------------------------------------------------------------------------ */

static stoa_status give_schema(void *self, struct ArrowSchema *out, stoa_error *err)
{
    return stoa_schema_copy(&((reader *)self)->schema, out, err);
}

static stoa_status next_batch(void *self, struct ArrowArray *out, stoa_error *err)
{
    reader *r = self;
    stoa_flat flat = {.size = 0};
    stoa_flat_table table = {.at = 0};
    uint64_t type = 0;
    stoa_status status = STOA_OK;

    while (!r->at_end && type != IPC_RECORD_BATCH) {
        STOA_TRY(read_message(r, &flat, &type, &table, err));
        if (!r->at_end && type != IPC_RECORD_BATCH) {
            STOA_FAIL(err, STOA_EDATA, "a message of type %u among the batches", (unsigned)type);
        }
    }
    if (!r->at_end) {
        STOA_TRY(take_batch(r, &flat, &table, out, err));
    }

done:
    return r->name != NULL ? stoa_at(err, status, "%s", r->name) : status;
}

static void release(void *self)
{
    reader *r = self;

    if (r->source.close != NULL) {
        r->source.close(r->source.context);
    }
    stoa_schema_release(&r->schema);
    stoa_buffer_clear(&r->metadata);
    stoa_buffer_clear(&r->body);
    free(r->name);
    free(r);
}

/* A file has its name before the first message, a stream nothing. */
static stoa_status read_begin(reader *r, stoa_error *err)
{
    stoa_flat flat = {.size = 0};
    stoa_flat_table table = {.at = 0};
    uint64_t type = 0;
    size_t n = 0;
    stoa_status status = STOA_OK;

    STOA_TRY(r->source.read(r->source.context, r->held, PREFIX, &n, err));
    if (n < PREFIX || !stoa_ipc_begins(r->held)) {
        STOA_FAIL(err, STOA_EDATA, "no Arrow data");
    }
    r->has_held = r->held[0] != 'A';
    STOA_TRY(read_message(r, &flat, &type, &table, err));
    if (type != IPC_SCHEMA) {
        STOA_FAIL(err, STOA_EDATA, "the Arrow data do not begin with a schema");
    }
    STOA_TRY(stoa_ipc_read_schema(&flat, &table, &r->schema, err));

done:
    return status;
}

stoa_status stoa_ipc_open(const stoa_ipc_source *source, struct ArrowArrayStream *stream,
                          stoa_error *err)
{
    static const stoa_producer producer = {give_schema, next_batch, release};
    reader *r = stoa_alloc_zero(1, sizeof *r);
    stoa_status status = STOA_OK;

    *stream = (struct ArrowArrayStream){.release = NULL};
    if (r == NULL) {
        if (source->close != NULL) {
            source->close(source->context);
        }
        return stoa_fail_memory(err);
    }
    r->source = *source;
    r->name = source->name != NULL ? stoa_strdup(source->name) : NULL;
    if (source->name != NULL && r->name == NULL) {
        STOA_TRY(stoa_fail_memory(err));
    }
    status = read_begin(r, err);
    STOA_TRY(r->name != NULL ? stoa_at(err, status, "%s", r->name) : status);
    status = stoa_stream_make(stream, &producer, r, err);
    r = NULL; /* the stream's, also where there is none */

done:
    if (r != NULL) {
        release(r);
    }
    return status;
}
