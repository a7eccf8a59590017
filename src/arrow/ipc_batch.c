/*
 * Reads the arrays of a batch.
 *
 * Metadata gives the offset and length of each part in the body. Arrays get copies of the parts,
 * decompressed if the batch is compressed. All input is untrusted, and no more memory is allocated
 * than the output needs.
 */
#include "arrow/ipc_batch.h"

#include <stdlib.h>
#include <string.h>

#include "arrow/ipc_decompress.h"
#include "arrow/read.h"

/* MAX_NULLS: of the type null, beside those for which the body has a bit. */
enum { MAX_RATIO = 256, MAX_UNPACKED = 1 << 30, MAX_NULLS = 1 << 22 };

/* A cursor over the nodes and buffers of a batch. */
typedef struct taking {
    stoa_flat *flat;
    const stoa_buffer *body;
    size_t nodes, buffers; /* offset of the next one */
    uint32_t n_nodes, n_buffers;
    size_t views; /* numbers of buffers of the arrays of views to come */
    uint32_t n_views;
    uint64_t n_most; /* most bytes that the arrays may have; parts of a body do not overlap */
    uint64_t n_copied;
    stoa_decompressor *unpacker;       /* NULL: the body is not compressed */
    stoa_ipc_dictionary *dictionaries; /* of the next encoded field */
    size_t n_dictionaries;
    stoa_error *err;
} taking;

static stoa_status fail_batch(stoa_error *err)
{
    return stoa_fail(err, STOA_EDATA, "a batch's arrays are not as its schema says");
}

/* The next buffer in the body, still compressed. */
static stoa_status next_buffer(taking *t, const uint8_t **bytes, uint64_t *length)
{
    if (t->n_buffers == 0) {
        return fail_batch(t->err);
    }
    const uint64_t offset = stoa_flat_number(t->flat, t->buffers, 8);
    *length = stoa_flat_number(t->flat, t->buffers + 8, 8);
    t->buffers += 16;
    t->n_buffers--;
    if (*length > t->body->size || offset > t->body->size - *length) {
        return fail_batch(t->err);
    }
    *bytes = t->body->data + offset;
    return STOA_OK;
}

/* Decompress a buffer. It begins with its decompressed size in 8 bytes, or with -1 if it is stored
 * uncompressed. */
static stoa_status unpack(taking *t, const uint8_t *bytes, uint64_t length, uint64_t *size,
                          const uint8_t **plain, stoa_buffer *room)
{
    stoa_flat flat = {.bytes = bytes, .size = (size_t)length};

    *plain = bytes;
    *size = length;
    if (length == 0) {
        return STOA_OK;
    }
    const uint64_t said = stoa_flat_number(&flat, 0, 8);
    STOA_RETURN_NOT_OK(!flat.is_bad ? STOA_OK : fail_batch(t->err));
    *plain = bytes + 8;
    *size = length - 8;
    if (said != UINT64_MAX) {
        STOA_RETURN_NOT_OK(said <= t->n_most - t->n_copied ? STOA_OK : fail_batch(t->err));
        STOA_RETURN_NOT_OK(
            stoa_unpack(t->unpacker, bytes + 8, (size_t)length - 8, (size_t)said, room, t->err));
        *plain = room->data;
        *size = said;
    }
    return STOA_OK;
}

/*
 * Copy the first `needed` bytes of the next buffer.
 * @param[out] size  length of the buffer; may be NULL
 */
static stoa_status read_buffer(taking *t, uint64_t needed, void **copy, uint64_t *size)
{
    const uint8_t *bytes = NULL;
    stoa_buffer room = {NULL, 0, 0};
    uint64_t length = 0;
    stoa_status status = STOA_OK;

    STOA_TRY(next_buffer(t, &bytes, &length));
    if (t->unpacker != NULL) {
        STOA_TRY(unpack(t, bytes, length, &length, &bytes, &room));
    }
    if (size != NULL) {
        *size = length;
    }
    if (needed == UINT64_MAX) { /* the whole buffer */
        needed = length;
    }
    if (needed > length || needed > t->n_most - t->n_copied) {
        STOA_TRY(fail_batch(t->err));
    }
    t->n_copied += needed;
    if (room.data != NULL) {
        *copy = stoa_buffer_detach(&room);
        goto done;
    }
    *copy = stoa_alloc((size_t)needed, 1);
    STOA_TRY(*copy != NULL ? STOA_OK : stoa_fail_memory(t->err));
    if (needed > 0) {
        memcpy(*copy, bytes, (size_t)needed);
    }

done:
    stoa_buffer_clear(&room);
    return status;
}

/* Whether offsets start at 0 or above and never descend; *end is the last one. */
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

/* Copy the offsets of n strings, binaries or lists. If n is 0, the buffer may be empty. */
static stoa_status read_offsets(taking *t, int64_t n, bool is_wide, void **offsets, uint64_t *end)
{
    const size_t width = is_wide ? 8 : 4;

    *end = 0;
    if (n == 0) {
        STOA_RETURN_NOT_OK(read_buffer(t, 0, offsets, NULL));
        free(*offsets);
        *offsets = stoa_alloc_zero(1, width);
        STOA_RETURN_NO_MEMORY(t->err, *offsets);
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(read_buffer(t, ((uint64_t)n + 1) * width, offsets, NULL));
    return offsets_ascend(*offsets, n, is_wide, end) ? STOA_OK : fail_batch(t->err);
}

static stoa_status read_array(taking *t, const struct ArrowSchema *field, int64_t expected,
                              struct ArrowArray *out);

static stoa_status read_children(taking *t, const struct ArrowSchema *field, int64_t expected,
                                 struct ArrowArray *out)
{
    STOA_RETURN_NOT_OK(stoa_array_children(out, field->n_children, t->err));
    for (int64_t i = 0; i < field->n_children; i++) {
        STOA_RETURN_NOT_OK(read_array(t, field->children[i], expected, out->children[i]));
    }
    return STOA_OK;
}

/* --- views ----------------------------------------------------------------------------------- */

/* An array of views has any number of buffers; the last are the sizes of those that they point to.
 */
typedef struct views {
    int64_t n;
    void **buffers;
} views;

static void free_views(views *v)
{
    for (int64_t i = 0; v->buffers != NULL && i < v->n; i++) {
        free(v->buffers[i]);
    }
    free((void *)v->buffers);
    free(v);
}

static void release_views(struct ArrowArray *array)
{
    free_views(array->private_data);
    array->private_data = NULL;
    array->release = NULL;
}

/* @param validity  taken over */
static stoa_status read_views(taking *t, int64_t n, int64_t n_null, void **validity,
                              struct ArrowArray *out)
{
    enum { VIEW = 16, FIXED = 3 };
    stoa_status status = STOA_OK;
    views *v = stoa_alloc_zero(1, sizeof *v);
    uint64_t size = 0;

    STOA_TRY(v != NULL ? STOA_OK : stoa_fail_memory(t->err));
    STOA_TRY(t->n_views > 0 ? STOA_OK : fail_batch(t->err));
    const uint64_t n_data = stoa_flat_number(t->flat, t->views, 8);
    t->views += 8;
    t->n_views--;
    STOA_TRY(n_data < t->n_buffers && n <= INT64_MAX / VIEW ? STOA_OK : fail_batch(t->err));
    v->buffers = stoa_alloc_zero((size_t)n_data + FIXED, sizeof(void *));
    STOA_TRY(v->buffers != NULL ? STOA_OK : stoa_fail_memory(t->err));
    v->n = (int64_t)n_data + FIXED;
    v->buffers[0] = *validity;
    *validity = NULL;
    int64_t *const sizes = stoa_alloc_zero((size_t)n_data + 1, sizeof *sizes);
    v->buffers[v->n - 1] = sizes;
    STOA_TRY(sizes != NULL ? STOA_OK : stoa_fail_memory(t->err));
    STOA_TRY(read_buffer(t, (uint64_t)n * VIEW, &v->buffers[1], NULL));
    for (uint64_t i = 0; i < n_data; i++) {
        STOA_TRY(read_buffer(t, UINT64_MAX, &v->buffers[2 + i], &size));
        sizes[i] = (int64_t)size;
    }
    *out = (struct ArrowArray){.length = n,
                               .null_count = n_null,
                               .n_buffers = v->n,
                               .buffers = (void *)v->buffers,
                               .release = release_views,
                               .private_data = v};
    v = NULL;

done:
    if (v != NULL) {
        free_views(v);
    }
    return status;
}

/* Bytes of each value of a type that the tables lack, and that is no view. */
static uint64_t other_width(const char *format)
{
    stoa_decimal decimal;

    return stoa_decimal_of(format, &decimal)                          ? (uint64_t)decimal.width
           : strcmp(format, "tts") == 0 || strcmp(format, "ttm") == 0 ? sizeof(int32_t)
                                                                      : sizeof(int64_t);
}

/*
 * Copy the buffers after the validity bitmap.
 * @param[out] n_items  length of the children, if the type has any
 */
static stoa_status read_values(taking *t, const char *format, const stoa_type *type, int64_t n,
                               void **buffers, int64_t *n_buffers, int64_t *n_items)
{
    uint64_t end = 0;
    uint64_t size = 0;
    const uint64_t width =
        type->kind == STOA_KIND_OTHER ? other_width(format) : (uint64_t)type->width;

    *n_items = n;
    switch (type->kind) {
    case STOA_KIND_STRUCT:
        *n_buffers = 1;
        break;
    case STOA_KIND_FIXED_LIST:
        *n_buffers = 1;
        if (n > INT64_MAX / type->width) {
            return fail_batch(t->err);
        }
        *n_items = n * type->width;
        break;
    case STOA_KIND_LIST:
    case STOA_KIND_LARGE_LIST:
        *n_buffers = 2;
        STOA_RETURN_NOT_OK(read_offsets(t, n, stoa_kind_is_wide(type->kind), &buffers[1], &end));
        *n_items = (int64_t)end;
        break;
    case STOA_KIND_STRING:
    case STOA_KIND_BINARY:
    case STOA_KIND_LARGE_STRING:
    case STOA_KIND_LARGE_BINARY:
        *n_buffers = 3;
        STOA_RETURN_NOT_OK(read_offsets(t, n, stoa_kind_is_wide(type->kind), &buffers[1], &end));
        STOA_RETURN_NOT_OK(read_buffer(t, UINT64_MAX, &buffers[2], &size));
        STOA_RETURN_NOT_OK(end <= size ? STOA_OK : fail_batch(t->err));
        break;
    default:
        *n_buffers = 2;
        STOA_RETURN_NOT_OK(width == 0 || (uint64_t)n <= INT64_MAX / width ? STOA_OK
                                                                          : fail_batch(t->err));
        STOA_RETURN_NOT_OK(read_buffer(
            t, type->kind == STOA_KIND_BOOL ? stoa_bit_bytes((uint64_t)n) : (uint64_t)n * width,
            &buffers[1], NULL));
        break;
    }
    return STOA_OK;
}

/* Add the dictionary of a field to its array. */
static stoa_status hang_dictionary(taking *t, const struct ArrowSchema *field,
                                   struct ArrowArray *out)
{
    struct ArrowArray values;
    stoa_ipc_dictionary *const d = t->dictionaries;

    /* Both fields and their dictionaries come in the order of the schema. */
    if (t->n_dictionaries == 0 || d->field != field || d->values.release == NULL) {
        return stoa_fail(t->err, STOA_EDATA, "a batch comes before its dictionary");
    }
    t->dictionaries += 1 + d->n_inside;
    t->n_dictionaries -= 1 + d->n_inside;
    STOA_RETURN_NOT_OK(stoa_array_share(&d->values, &values, t->err));
    return stoa_array_dictionary(out, &values, t->err);
}

/* @param expected  rows that the array must have at least */
static stoa_status read_array(taking *t, const struct ArrowSchema *field, int64_t expected,
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
    /* The body has at least one bit per value, so no product below overflows. Nulls have none. */
    const bool is_null = type.kind == STOA_KIND_NULL;
    const uint64_t most = is_null ? t->n_most + MAX_NULLS / 8 : t->n_most;
    if (n < expected || n_null < 0 || n_null > n || (uint64_t)n / 8 > most) {
        STOA_TRY(fail_batch(t->err));
    }
    if (is_null) {
        return stoa_array_make(out, n, n, 0, NULL, t->err);
    }
    STOA_TRY(read_buffer(t, n_null > 0 ? stoa_bit_bytes((uint64_t)n) : 0, &buffers[0], NULL));
    if (n_null == 0) {
        free(buffers[0]);
        buffers[0] = NULL;
    }
    if (type.kind == STOA_KIND_OTHER && field->format[0] == 'v') {
        STOA_TRY(read_views(t, n, n_null > 0 ? -1 : 0, &buffers[0], out));
        goto done;
    }
    STOA_TRY(read_values(t, field->format, &type, n, buffers, &n_buffers, &n_items));
    void *const taken[] = {buffers[0], buffers[1], buffers[2]};
    memset(buffers, 0, sizeof buffers);
    STOA_TRY(stoa_array_make(out, n, n_null > 0 ? -1 : 0, n_buffers, taken, t->err));
    STOA_TRY(field->n_children > 0 ? read_children(t, field, n_items, out) : STOA_OK);
    STOA_TRY(field->dictionary != NULL ? hang_dictionary(t, field, out) : STOA_OK);

done:
    for (size_t i = 0; i < 3; i++) {
        free(buffers[i]);
    }
    return status;
}

/* Find the compression of the body, and limit the bytes that may come out of it. */
static stoa_status find_compression(taking *t, const stoa_flat_table *table,
                                    stoa_decompressor *unpacker)
{
    const uint64_t n_body = t->body->size;

    t->n_most = n_body;
    if (!stoa_flat_has(t->flat, table, BATCH_COMPRESSION)) {
        return STOA_OK;
    }
    const stoa_flat_table how = stoa_flat_child(t->flat, table, BATCH_COMPRESSION);
    const uint64_t codec = stoa_flat_field(t->flat, &how, COMPRESSION_CODEC, 1, 0);
    if (stoa_flat_field(t->flat, &how, COMPRESSION_METHOD, 1, 0) != 0) {
        return stoa_fail(t->err, STOA_EVERSION, "batches are compressed as a whole");
    }
    t->n_most = n_body < MAX_UNPACKED / MAX_RATIO ? MAX_UNPACKED : n_body * MAX_RATIO;
    t->unpacker = unpacker;
    return stoa_decompressor_choose(unpacker, codec, t->err);
}

stoa_status stoa_ipc_read_batch(const stoa_ipc_batch *batch, stoa_decompressor *unpacker,
                                struct ArrowArray *out, stoa_error *err)
{
    stoa_flat *const flat = batch->flat;
    taking t = {.flat = flat,
                .body = batch->body,
                .dictionaries = batch->dictionaries,
                .n_dictionaries = batch->n_dictionaries,
                .err = err};
    const int64_t n = (int64_t)stoa_flat_field(flat, batch->table, BATCH_LENGTH, 8, 0);

    STOA_RETURN_NOT_OK(find_compression(&t, batch->table, unpacker));
    t.n_nodes = stoa_flat_vector(flat, batch->table, BATCH_NODES, 16, &t.nodes);
    t.n_buffers = stoa_flat_vector(flat, batch->table, BATCH_BUFFERS, 16, &t.buffers);
    t.n_views = stoa_flat_vector(flat, batch->table, BATCH_VIEWS, 8, &t.views);
    STOA_RETURN_NOT_OK(n >= 0 ? STOA_OK : fail_batch(err));
    STOA_RETURN_NOT_OK(stoa_array_struct(out, n, batch->n_fields, err));
    for (int64_t i = 0; i < batch->n_fields; i++) {
        STOA_RETURN_NOT_OK(read_array(&t, batch->fields[i], n, out->children[i]));
    }
    STOA_RETURN_NOT_OK(!flat->is_bad && t.n_nodes == 0 && t.n_buffers == 0 ? STOA_OK
                                                                           : fail_batch(err));
    for (int64_t i = 0; i < out->n_children; i++) {
        STOA_RETURN_NOT_OK(out->children[i]->length == n ? STOA_OK : fail_batch(err));
    }
    return STOA_OK;
}
