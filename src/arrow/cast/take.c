/* Copies level by level: the validity first, then values, then the positions of the level below. */
#include "arrow/cast/take.h"

#include <stdlib.h>
#include <string.h>

typedef struct taking {
    const stoa_view *view;
    const int64_t *at;
    int64_t n;
    void *buffers[3];
    int64_t n_buffers;
    int64_t n_missing;
} taking;

static bool is_missing(const taking *t, int64_t i)
{
    return t->at[i] < 0 || stoa_view_is_null(t->view, t->at[i]);
}

static stoa_status take_validity(taking *t, stoa_error *err)
{
    uint8_t *const bits = stoa_alloc_zero((size_t)stoa_bit_bytes((uint64_t)t->n) + 1, 1);

    STOA_RETURN_NO_MEMORY(err, bits);
    for (int64_t i = 0; i < t->n; i++) {
        if (is_missing(t, i)) {
            t->n_missing++;
        } else {
            stoa_bit_set(bits, (uint64_t)i);
        }
    }
    t->buffers[0] = bits;
    return STOA_OK;
}

static stoa_status take_bits(taking *t, stoa_error *err)
{
    uint8_t *const bits = stoa_alloc_zero((size_t)stoa_bit_bytes((uint64_t)t->n) + 1, 1);

    STOA_RETURN_NO_MEMORY(err, bits);
    for (int64_t i = 0; i < t->n; i++) {
        if (!is_missing(t, i) && stoa_view_i64(t->view, t->at[i]) != 0) {
            stoa_bit_set(bits, (uint64_t)i);
        }
    }
    t->buffers[1] = bits;
    return STOA_OK;
}

static stoa_status take_fixed(taking *t, size_t width, stoa_error *err)
{
    uint8_t *const values = stoa_alloc_zero((size_t)t->n + 1, width > 0 ? width : 1);

    STOA_RETURN_NO_MEMORY(err, values);
    for (int64_t i = 0; i < t->n && width > 0; i++) {
        if (!is_missing(t, i)) {
            memcpy(values + (size_t)i * width,
                   (const uint8_t *)t->view->values + (size_t)(t->view->offset + t->at[i]) * width,
                   width);
        }
    }
    t->buffers[1] = values;
    return STOA_OK;
}

/* The length of value i in bytes or items. */
static int64_t length_of(const taking *t, int64_t i)
{
    int64_t first;
    int64_t count = 0;

    if (!is_missing(t, i)) {
        stoa_view_range(t->view, t->at[i], &first, &count);
    }
    return count;
}

static stoa_status take_offsets(taking *t, int64_t *end, stoa_error *err)
{
    const bool is_wide = stoa_kind_is_wide(t->view->type.kind);
    uint8_t *const offsets = stoa_alloc_zero((size_t)t->n + 1, is_wide ? 8 : 4);

    STOA_RETURN_NO_MEMORY(err, offsets);
    t->buffers[1] = offsets;
    *end = 0;
    for (int64_t i = 0; i < t->n; i++) {
        const int64_t count = length_of(t, i);

        if (count > (is_wide ? INT64_MAX : INT32_MAX) - *end) {
            return stoa_fail(err, STOA_ERANGE,
                             "field '%s': a batch is too long for 32-bit offsets; make it shorter",
                             t->view->schema->name != NULL ? t->view->schema->name : "");
        }
        *end += count;
        if (is_wide) {
            ((int64_t *)(void *)offsets)[i + 1] = *end;
        } else {
            ((int32_t *)(void *)offsets)[i + 1] = (int32_t)*end;
        }
    }
    return STOA_OK;
}

static stoa_status take_bytes(taking *t, stoa_error *err)
{
    int64_t end = 0;
    size_t length = 0;

    STOA_RETURN_NOT_OK(take_offsets(t, &end, err));
    char *to = stoa_alloc((size_t)end + 1, 1);
    STOA_RETURN_NO_MEMORY(err, to);
    t->buffers[2] = to;
    for (int64_t i = 0; i < t->n; i++) {
        if (!is_missing(t, i)) {
            const char *const bytes = stoa_view_bytes(t->view, t->at[i], &length);
            memcpy(to, bytes, length);
            to += length;
        }
    }
    return STOA_OK;
}

/* The items of the lists taken. A missing list of a fixed size has as many missing items. */
static stoa_status take_items(const taking *t, int64_t n_items, struct ArrowArray *out,
                              stoa_error *err)
{
    const bool is_fixed = t->view->type.kind == STOA_KIND_FIXED_LIST;
    stoa_status status = STOA_OK;
    int64_t *const at = stoa_alloc((size_t)n_items + 1, sizeof *at);
    int64_t k = 0;
    stoa_view items;

    STOA_TRY(at != NULL ? STOA_OK : stoa_fail_memory(err));
    for (int64_t i = 0; i < t->n; i++) {
        const bool is_null = is_missing(t, i);
        int64_t first = 0;
        int64_t count = is_fixed ? t->view->type.width : 0;

        if (!is_null) {
            stoa_view_range(t->view, t->at[i], &first, &count);
        }
        for (int64_t m = 0; m < count; m++) {
            at[k++] = is_null ? -1 : first + m;
        }
    }
    STOA_TRY(stoa_view_child(t->view, 0, &items, err));
    STOA_TRY(stoa_view_take(&items, at, n_items, out, err));

done:
    free(at);
    return status;
}

static stoa_status take_fields(const taking *t, struct ArrowArray *out, stoa_error *err)
{
    stoa_view field;

    for (int64_t i = 0; i < t->view->array->n_children; i++) {
        STOA_RETURN_NOT_OK(stoa_view_child(t->view, i, &field, err));
        STOA_RETURN_NOT_OK(stoa_view_take(&field, t->at, t->n, out->children[i], err));
    }
    return STOA_OK;
}

static stoa_status take_dictionary(const taking *t, struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowArray copy = {.release = NULL};
    int64_t *at = NULL;
    stoa_view values;

    STOA_TRY(stoa_view_dictionary(t->view, &values, err));
    at = stoa_alloc((size_t)values.length + 1, sizeof *at);
    STOA_TRY(at != NULL ? STOA_OK : stoa_fail_memory(err));
    for (int64_t i = 0; i < values.length; i++) {
        at[i] = i;
    }
    STOA_TRY(stoa_view_take(&values, at, values.length, &copy, err));
    STOA_TRY(stoa_array_dictionary(out, &copy, err));

done:
    free(at);
    return status;
}

/* The buffers of this level; `*n_items` is the length of the one below. */
static stoa_status take_level(taking *t, int64_t *n_items, stoa_error *err)
{
    const stoa_type *const type = &t->view->type;

    STOA_RETURN_NOT_OK(take_validity(t, err));
    switch (type->kind) {
    case STOA_KIND_STRUCT:
        t->n_buffers = 1;
        return STOA_OK;
    case STOA_KIND_FIXED_LIST:
        t->n_buffers = 1;
        *n_items = t->n * type->width;
        return STOA_OK;
    case STOA_KIND_LIST:
    case STOA_KIND_LARGE_LIST:
        t->n_buffers = 2;
        return take_offsets(t, n_items, err);
    case STOA_KIND_BOOL:
        t->n_buffers = 2;
        return take_bits(t, err);
    case STOA_KIND_DICTIONARY:
        t->n_buffers = 2;
        return take_fixed(t, (size_t)stoa_kind_width(type->index), err);
    default:
        t->n_buffers = stoa_kind_is_bytes(type->kind) ? 3 : 2;
        return t->n_buffers == 3 ? take_bytes(t, err) : take_fixed(t, (size_t)type->width, err);
    }
}

stoa_status stoa_view_take(const stoa_view *view, const int64_t *at, int64_t n,
                           struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_kind kind = view->type.kind;
    taking t = {.view = view, .at = at, .n = n};
    int64_t n_items = 0;

    out->release = NULL;
    if (kind == STOA_KIND_NULL) {
        return stoa_array_make(out, n, n, 0, NULL, err);
    }
    STOA_TRY(take_level(&t, &n_items, err));
    void *const taken[] = {t.buffers[0], t.buffers[1], t.buffers[2]};
    memset(t.buffers, 0, sizeof t.buffers);
    STOA_TRY(stoa_array_make(out, n, t.n_missing, t.n_buffers, taken, err));
    if (view->array->n_children > 0) {
        STOA_TRY(stoa_array_children(out, view->array->n_children, err));
        STOA_TRY(kind == STOA_KIND_STRUCT ? take_fields(&t, out, err)
                                          : take_items(&t, n_items, out->children[0], err));
    }
    STOA_TRY(kind == STOA_KIND_DICTIONARY ? take_dictionary(&t, out, err) : STOA_OK);

done:
    for (size_t i = 0; i < 3; i++) {
        free(t.buffers[i]);
    }
    if (status != STOA_OK) {
        stoa_array_release(out);
    }
    return status;
}
