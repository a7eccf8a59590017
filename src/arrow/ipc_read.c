/*
 * Reads Arrow files and streams as streams of batches.
 *
 * A file is a stream inside a frame, so it is read as one, from the start and without seeking. The
 * messages are a schema, then batches, with dictionaries before the batches that need them. In each
 * message the metadata comes first. It locates the parts of the body that follows.
 */
#include "arrow/ipc.h"

#include <stdlib.h>
#include <string.h>

#include "arrow/ipc_batch.h"
#include "arrow/ipc_concatenate.h"

enum { PREFIX = 8, MAX_METADATA = 256 << 20, STEP = 1 << 20, KEPT_BODY = 32 << 20 };

/* Limit of bytes copied for delta dictionaries: each delta copies the whole dictionary. */
static const uint64_t most_grown = UINT64_C(1) << 32;

typedef struct reader {
    stoa_ipc_source source;
    char *name; /* may be NULL */
    struct ArrowSchema schema;
    stoa_buffer dictionaries; /* stoa_ipc_dictionary */
    uint64_t n_grown;
    stoa_decompressor *unpacker;
    stoa_buffer metadata;
    stoa_buffer body;
    uint8_t held[PREFIX]; /* read ahead, not yet parsed */
    bool has_held;
    bool at_end;
} reader;

/* --- messages -------------------------------------------------------------------------------- */

/* Arrow's format before IPC. Such files are known, to be refused by their name. */
static const char feather_1[] = "FEA1";

bool stoa_ipc_begins(const void *bytes)
{
    static const uint8_t continuation[] = {0xff, 0xff, 0xff, 0xff};

    return memcmp(bytes, "ARROW1\0", PREFIX) == 0 ||
           memcmp(bytes, continuation, sizeof continuation) == 0;
}

bool stoa_ipc_is_claimed(const void *bytes)
{
    return stoa_ipc_begins(bytes) || memcmp(bytes, feather_1, sizeof feather_1 - 1) == 0;
}

static stoa_status fail_cut(stoa_error *err)
{
    return stoa_fail(err, STOA_EDATA, "the Arrow data end within a message");
}

/* Read n bytes into an empty buffer. The buffer grows as bytes arrive, because n is untrusted. */
static stoa_status read_bytes(reader *r, stoa_buffer *out, uint64_t n, stoa_error *err)
{
    out->size = 0;
    while (out->size < n) {
        const uint64_t rest = n - out->size;
        const size_t most = out->size > STEP ? out->size : STEP;
        const size_t step = rest < most ? (size_t)rest : most;
        size_t n_read = 0;
        STOA_RETURN_NOT_OK(stoa_buffer_reserve(out, step, err));
        STOA_RETURN_NOT_OK(
            r->source.read(r->source.context, out->data + out->size, step, &n_read, err));
        out->size += n_read;
        STOA_RETURN_NOT_OK(n_read == step ? STOA_OK : fail_cut(err));
    }
    return STOA_OK;
}

/* The length of the next message's metadata; 0 at the end. */
static stoa_status read_prefix(reader *r, uint32_t *length, stoa_error *err)
{
    stoa_flat flat = {.bytes = r->held, .size = PREFIX};
    size_t n = PREFIX;

    *length = 0;
    if (!r->has_held) {
        STOA_RETURN_NOT_OK(r->source.read(r->source.context, r->held, PREFIX, &n, err));
    }
    r->has_held = false;
    if (n == 0) {
        return STOA_OK; /* a stream may end without an end marker */
    }
    STOA_RETURN_NOT_OK(n == PREFIX ? STOA_OK : fail_cut(err));
    if (stoa_flat_number(&flat, 0, 4) != UINT32_MAX) {
        return stoa_fail(err, STOA_EVERSION, "Arrow data of before version 0.15, or damaged ones");
    }
    *length = (uint32_t)stoa_flat_number(&flat, 4, 4);
    if (*length > MAX_METADATA) {
        return stoa_fail(err, STOA_EDATA, "a message with %lu bytes of metadata",
                         (unsigned long)*length);
    }
    return STOA_OK;
}

/* Read the next message: its metadata, and its body if it has one. */
static stoa_status read_message(reader *r, stoa_flat *flat, uint64_t *type, stoa_flat_table *header,
                                stoa_error *err)
{
    uint32_t length = 0;

    *type = 0;
    STOA_RETURN_NOT_OK(read_prefix(r, &length, err));
    if (length == 0) {
        r->at_end = true;
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(read_bytes(r, &r->metadata, length, err));
    *flat = (stoa_flat){.bytes = r->metadata.data, .size = r->metadata.size};
    const stoa_flat_table message = stoa_flat_root(flat);
    const uint64_t n_body = stoa_flat_field(flat, &message, MESSAGE_BODY, 8, 0);
    *type = stoa_flat_field(flat, &message, MESSAGE_TYPE, 1, 0);
    *header = stoa_flat_child(flat, &message, MESSAGE_HEADER);
    if (flat->is_bad || n_body > INT64_MAX) {
        return stoa_fail(err, STOA_EDATA, "a message is damaged");
    }
    if (stoa_flat_field(flat, &message, MESSAGE_VERSION, 2, 0) < IPC_V5 - 1) { /* V4: the same */
        return stoa_fail(err, STOA_EVERSION, "a message of before Arrow 0.8");
    }
    return read_bytes(r, &r->body, n_body, err);
}

/* --- the stream ------------------------------------------------------------------------------ */

static stoa_status give_schema(void *self, struct ArrowSchema *out, stoa_error *err)
{
    return stoa_schema_copy(&((reader *)self)->schema, out, err);
}

static stoa_ipc_dictionary *dictionaries_of(const reader *r, size_t *n)
{
    *n = r->dictionaries.size / sizeof(stoa_ipc_dictionary);
    return (stoa_ipc_dictionary *)(void *)r->dictionaries.data;
}

/* Read the values of a dictionary. They replace the previous values for later batches. */
static stoa_status read_dictionary(reader *r, stoa_flat *flat, const stoa_flat_table *table,
                                   stoa_error *err)
{
    const int64_t id = (int64_t)stoa_flat_field(flat, table, DICTIONARY_ID, 8, 0);
    const stoa_flat_table data = stoa_flat_child(flat, table, DICTIONARY_DATA);
    struct ArrowArray values = {.release = NULL};
    struct ArrowArray grown = {.release = NULL};
    size_t n = 0;
    size_t at = 0;
    stoa_ipc_dictionary *const all = dictionaries_of(r, &n);
    stoa_status status = STOA_OK;

    while (at < n && all[at].id != id) {
        at++;
    }
    if (at == n) {
        STOA_FAIL(err, STOA_EDATA, "a dictionary of no column");
    }
    const bool grows = stoa_flat_field(flat, table, DICTIONARY_DELTA, 1, 0) != 0;
    const stoa_ipc_batch batch = {.flat = flat,
                                  .table = &data,
                                  .body = &r->body,
                                  .fields = &all[at].field->dictionary,
                                  .n_fields = 1,
                                  .dictionaries = all + at + 1,
                                  .n_dictionaries = all[at].n_inside};
    STOA_TRY(stoa_ipc_read_batch(&batch, r->unpacker, &values, err));
    if (grows && all[at].values.release != NULL) { /* earlier batches keep their values */
        STOA_TRY(stoa_ipc_concatenate(all[at].field->dictionary, &all[at].values,
                                      values.children[0], &grown, &r->n_grown, err));
        STOA_TRY(
            r->n_grown <= most_grown
                ? STOA_OK
                : stoa_fail(err, STOA_ERANGE, "dictionaries grow too often; write whole ones"));
        stoa_array_release(values.children[0]);
        stoa_array_move(&grown, values.children[0]);
    }
    stoa_array_release(&all[at].values);
    stoa_array_move(values.children[0], &all[at].values);

done:
    stoa_array_release(&grown);
    stoa_array_release(&values);
    return status;
}

static stoa_status read_batch(reader *r, stoa_flat *flat, const stoa_flat_table *table,
                              struct ArrowArray *out, stoa_error *err)
{
    stoa_ipc_batch batch = {.flat = flat,
                            .table = table,
                            .body = &r->body,
                            .fields = r->schema.children,
                            .n_fields = r->schema.n_children};

    batch.dictionaries = dictionaries_of(r, &batch.n_dictionaries);
    return stoa_ipc_read_batch(&batch, r->unpacker, out, err);
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
        if (!r->at_end && type == IPC_DICTIONARY_BATCH) {
            STOA_TRY(read_dictionary(r, &flat, &table, err));
        } else if (!r->at_end && type != IPC_RECORD_BATCH) {
            STOA_FAIL(err, STOA_EDATA, "a message of type %u among the batches", (unsigned)type);
        }
    }
    if (!r->at_end) {
        STOA_TRY(read_batch(r, &flat, &table, out, err));
    }
    if (r->body.capacity > KEPT_BODY) { /* the batch has copies, and may be needed for long */
        stoa_buffer_clear(&r->body);
    }

done:
    return r->name != NULL ? stoa_at(err, status, "%s", r->name) : status;
}

static void release(void *self)
{
    reader *r = self;
    size_t n = 0;
    stoa_ipc_dictionary *const all = dictionaries_of(r, &n);

    for (size_t i = 0; i < n; i++) {
        stoa_array_release(&all[i].values);
    }
    stoa_buffer_clear(&r->dictionaries);
    stoa_decompressor_close(r->unpacker);
    if (r->source.close != NULL) {
        r->source.close(r->source.context);
    }
    stoa_schema_release(&r->schema);
    stoa_buffer_clear(&r->metadata);
    stoa_buffer_clear(&r->body);
    free(r->name);
    free(r);
}

/* A file begins with a magic string, a stream directly with a message. */
static stoa_status read_begin(reader *r, stoa_error *err)
{
    stoa_flat flat = {.size = 0};
    stoa_flat_table table = {.at = 0};
    uint64_t type = 0;
    size_t n = 0;

    STOA_RETURN_NOT_OK(r->source.read(r->source.context, r->held, PREFIX, &n, err));
    if (n >= PREFIX && memcmp(r->held, feather_1, sizeof feather_1 - 1) == 0) {
        return stoa_fail(
            err, STOA_EVERSION,
            "is a Feather file of version 1, which is not read; write version 2, which "
            "is an Arrow file");
    }
    if (n < PREFIX || !stoa_ipc_begins(r->held)) {
        return stoa_fail(err, STOA_EDATA, "no Arrow data");
    }
    r->has_held = r->held[0] != 'A';
    STOA_RETURN_NOT_OK(read_message(r, &flat, &type, &table, err));
    if (type != IPC_SCHEMA) {
        return stoa_fail(err, STOA_EDATA, "the Arrow data do not begin with a schema");
    }
    STOA_RETURN_NOT_OK(stoa_ipc_read_schema(&flat, &table, &r->schema, &r->dictionaries, err));
    return stoa_decompressor_open(&r->unpacker, err);
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
    r = NULL; /* owned by the stream from then on, even if it was not made */

done:
    if (r != NULL) {
        release(r);
    }
    return status;
}
