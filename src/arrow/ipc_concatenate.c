#include "arrow/ipc_concatenate.h"

#include <stdlib.h>
#include <string.h>

/* Two arrays to be concatenated. */
typedef struct growing {
    const struct ArrowArray *parts[2];
    int64_t n; /* values in both */
    void *buffers[3];
    int64_t n_buffers;
    uint64_t *n_bytes;
    stoa_error *err;
} growing;

static stoa_status make_room(growing *g, int buffer, uint64_t n_bytes)
{
    g->buffers[buffer] = stoa_alloc_zero((size_t)n_bytes, 1);
    *g->n_bytes += n_bytes;
    return g->buffers[buffer] != NULL ? STOA_OK : stoa_fail_memory(g->err);
}

static stoa_status join_validity(growing *g)
{
    int64_t at = 0;

    if (g->parts[0]->buffers[0] == NULL && g->parts[1]->buffers[0] == NULL) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(make_room(g, 0, stoa_bit_bytes((uint64_t)g->n)));
    for (int i = 0; i < 2; i++) {
        const uint8_t *const bits = g->parts[i]->buffers[0];
        for (int64_t k = 0; k < g->parts[i]->length; k++, at++) {
            if (bits == NULL || stoa_bit_get(bits, (uint64_t)k)) {
                stoa_bit_set(g->buffers[0], (uint64_t)at);
            }
        }
    }
    return STOA_OK;
}

static stoa_status join_fixed(growing *g, size_t width)
{
    const size_t n_first = (size_t)g->parts[0]->length * width;

    g->n_buffers = 2;
    STOA_RETURN_NOT_OK(make_room(g, 1, (uint64_t)g->n * width));
    for (int i = 0; i < 2; i++) {
        if (g->parts[i]->length > 0) {
            memcpy((uint8_t *)g->buffers[1] + (i == 0 ? 0 : n_first), g->parts[i]->buffers[1],
                   (size_t)g->parts[i]->length * width);
        }
    }
    return STOA_OK;
}

static int64_t offset_of(const struct ArrowArray *array, int64_t i, bool is_wide)
{
    const void *const offsets = array->buffers[1];

    return is_wide ? ((const int64_t *)offsets)[i] : ((const int32_t *)offsets)[i];
}

static void put_offset(growing *g, int64_t i, int64_t offset, bool is_wide)
{
    if (is_wide) {
        ((int64_t *)g->buffers[1])[i] = offset;
    } else {
        ((int32_t *)g->buffers[1])[i] = (int32_t)offset;
    }
}

static stoa_status join_texts(growing *g, bool is_wide)
{
    int64_t ends[2];
    int64_t at = 0;

    g->n_buffers = 3;
    for (int i = 0; i < 2; i++) {
        ends[i] = offset_of(g->parts[i], g->parts[i]->length, is_wide);
    }
    if (ends[0] > (is_wide ? INT64_MAX : INT32_MAX) - ends[1]) {
        return stoa_fail(g->err, STOA_ERANGE, "a dictionary has more text than its offsets reach");
    }
    STOA_RETURN_NOT_OK(make_room(g, 1, ((uint64_t)g->n + 1) * (is_wide ? 8 : 4)));
    STOA_RETURN_NOT_OK(make_room(g, 2, (uint64_t)(ends[0] + ends[1])));
    for (int i = 0; i < 2; i++) {
        const int64_t before = i == 0 ? 0 : ends[0];
        for (int64_t k = 0; k < g->parts[i]->length; k++) {
            put_offset(g, at++, before + offset_of(g->parts[i], k, is_wide), is_wide);
        }
        put_offset(g, at, before + ends[i], is_wide);
        if (ends[i] > 0) {
            memcpy((uint8_t *)g->buffers[2] + before, g->parts[i]->buffers[2], (size_t)ends[i]);
        }
    }
    return STOA_OK;
}

static stoa_status join_values(growing *g, const stoa_type *type)
{
    switch (type->kind) {
    case STOA_KIND_STRING:
    case STOA_KIND_BINARY:
        return join_texts(g, false);
    case STOA_KIND_LARGE_STRING:
    case STOA_KIND_LARGE_BINARY:
        return join_texts(g, true);
    case STOA_KIND_FIXED_BINARY:
    case STOA_KIND_DATE:
    case STOA_KIND_TIMESTAMP:
    case STOA_KIND_DURATION:
        return join_fixed(g, (size_t)type->width);
    default:
        return stoa_kind_is_integer(type->kind) || stoa_kind_is_float(type->kind)
                   ? join_fixed(g, (size_t)type->width)
                   : stoa_fail(g->err, STOA_ETYPE,
                               "a dictionary of values of this type that grows is not read");
    }
}

stoa_status stoa_ipc_concatenate(const struct ArrowSchema *field, const struct ArrowArray *first,
                                 const struct ArrowArray *second, struct ArrowArray *out,
                                 uint64_t *n_bytes, stoa_error *err)
{
    growing g = {.parts = {first, second}, .n_bytes = n_bytes, .err = err};
    stoa_type type;
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_type_of(field, &type, err));
    if (first->length > INT64_MAX / 16 - second->length) {
        STOA_FAIL(err, STOA_ERANGE, "a dictionary has more values than any");
    }
    g.n = first->length + second->length;
    STOA_TRY(join_validity(&g));
    STOA_TRY(join_values(&g, &type));
    void *const taken[] = {g.buffers[0], g.buffers[1], g.buffers[2]};
    memset(g.buffers, 0, sizeof g.buffers);
    STOA_TRY(stoa_array_make(out, g.n, taken[0] != NULL ? -1 : 0, g.n_buffers, taken, err));

done:
    for (int i = 0; i < 3; i++) {
        free(g.buffers[i]);
    }
    return status;
}
