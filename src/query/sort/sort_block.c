/* Arrays as bytes: a header, then the buffers, then the children. */
#include "query/sort/sort_block.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_BUFFERS = 3, ABSENT = -1 };

typedef struct header {
    int64_t length;
    int64_t null_count;
    int64_t sizes[MAX_BUFFERS]; /* of the buffers; ABSENT: NULL */
} header;

/* The value of offset `i`. */
static int64_t offset_at(const void *offsets, bool wide, int64_t i)
{
    return wide ? ((const int64_t *)offsets)[i] : ((const int32_t *)offsets)[i];
}

/* Sizes of the offsets, and of the texts they point to. */
static void measure_offsets(const stoa_type *type, const struct ArrowArray *array, header *head)
{
    const bool wide = stoa_kind_is_wide(type->kind);
    const void *offsets = array->buffers[1];

    head->sizes[1] = (array->length + 1) * (int64_t)(wide ? sizeof(int64_t) : sizeof(int32_t));
    if (array->n_buffers == MAX_BUFFERS) {
        head->sizes[2] = offset_at(offsets, wide, array->offset + array->length) -
                         offset_at(offsets, wide, array->offset);
    }
}

static stoa_status measure(const struct ArrowSchema *schema, const struct ArrowArray *array,
                           header *head, stoa_error *err)
{
    stoa_type type;

    *head = (header){array->length, array->null_count, {ABSENT, ABSENT, ABSENT}};
    STOA_RETURN_NOT_OK(stoa_type_of(schema, &type, err));
    const stoa_kind kind = type.kind == STOA_KIND_DICTIONARY ? type.index : type.kind;
    const int64_t bits = (int64_t)stoa_bit_bytes((uint64_t)array->length);
    if (array->n_buffers > 0 && array->buffers[0] != NULL) {
        head->sizes[0] = bits;
    }
    if (array->n_buffers < 2 || array->buffers[1] == NULL) {
        return STOA_OK;
    }
    if (array->n_buffers == MAX_BUFFERS || kind == STOA_KIND_LIST || kind == STOA_KIND_LARGE_LIST) {
        measure_offsets(&type, array, head);
    } else if (kind == STOA_KIND_BOOL) {
        head->sizes[1] = bits;
    } else {
        const int32_t width = kind == STOA_KIND_FIXED_BINARY ? type.width : stoa_kind_width(kind);
        head->sizes[1] = array->length * width;
    }
    return STOA_OK;
}

stoa_status stoa_array_bytes(const struct ArrowSchema *schema, const struct ArrowArray *array,
                             uint64_t *n_bytes, stoa_error *err)
{
    header head;

    STOA_RETURN_NOT_OK(measure(schema, array, &head, err));
    *n_bytes = 0;
    for (int i = 0; i < MAX_BUFFERS; i++) {
        *n_bytes += head.sizes[i] > 0 ? (uint64_t)head.sizes[i] : 0;
    }
    for (int64_t c = 0; c < array->n_children; c++) {
        uint64_t n_below = 0;
        STOA_RETURN_NOT_OK(
            stoa_array_bytes(schema->children[c], array->children[c], &n_below, err));
        *n_bytes += n_below;
    }
    return STOA_OK;
}

stoa_status stoa_array_pack(const struct ArrowSchema *schema, const struct ArrowArray *array,
                            stoa_buffer *out, stoa_error *err)
{
    header head;

    STOA_RETURN_NOT_OK(measure(schema, array, &head, err));
    STOA_RETURN_NOT_OK(stoa_buffer_append(out, &head, sizeof head, err));
    for (int i = 0; i < MAX_BUFFERS; i++) {
        if (head.sizes[i] > 0) {
            STOA_RETURN_NOT_OK(
                stoa_buffer_append(out, array->buffers[i], (size_t)head.sizes[i], err));
        }
    }
    for (int64_t c = 0; c < array->n_children; c++) {
        STOA_RETURN_NOT_OK(stoa_array_pack(schema->children[c], array->children[c], out, err));
    }
    return STOA_OK;
}

/* Unpack the buffers after a header. */
static stoa_status unpack_buffers(const header *head, const uint8_t **from,
                                  void *buffers[MAX_BUFFERS], stoa_error *err)
{
    for (int i = 0; i < MAX_BUFFERS; i++) {
        if (head->sizes[i] == ABSENT) {
            continue;
        }
        const size_t n = (size_t)head->sizes[i];
        buffers[i] = stoa_alloc(n, 1);
        STOA_RETURN_NO_MEMORY(err, buffers[i]);
        memcpy(buffers[i], *from, n);
        *from += n;
    }
    return STOA_OK;
}

stoa_status stoa_array_unpack(const struct ArrowSchema *schema, struct ArrowArray *frame,
                              const uint8_t **from, struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    void *buffers[MAX_BUFFERS] = {NULL, NULL, NULL};
    struct ArrowArray dictionary = {0};
    header head;

    *out = (struct ArrowArray){0};
    memcpy(&head, *from, sizeof head);
    *from += sizeof head;
    STOA_TRY(unpack_buffers(&head, from, buffers, err));
    status = stoa_array_make(out, head.length, head.null_count, frame->n_buffers, buffers, err);
    memset(buffers, 0, sizeof buffers); /* taken over even on failure */
    STOA_TRY(status);
    if (frame->dictionary != NULL) {
        STOA_TRY(stoa_array_share(frame->dictionary, &dictionary, err));
        STOA_TRY(stoa_array_dictionary(out, &dictionary, err));
    }
    if (frame->n_children > 0) {
        STOA_TRY(stoa_array_children(out, frame->n_children, err));
    }
    for (int64_t c = 0; c < frame->n_children; c++) {
        STOA_TRY(stoa_array_unpack(schema->children[c], frame->children[c], from, out->children[c],
                                   err));
    }

done:
    for (int i = 0; i < MAX_BUFFERS; i++) {
        free(buffers[i]);
    }
    if (status != STOA_OK) {
        stoa_array_release(out);
    }
    return status;
}
