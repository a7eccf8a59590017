#include "arrow/gather.h"

#include <stdlib.h>
#include <string.h>

stoa_view stoa_view_slice(const stoa_view *view, int64_t first, int64_t count)
{
    stoa_view slice = *view;

    slice.offset += first;
    slice.length = count;
    if (view->null_count == 0) {
        return slice;
    }
    if (view->null_count == view->length) {
        slice.null_count = count;
    } else {
        slice.null_count = count - (int64_t)stoa_bit_count(view->validity, (uint64_t)slice.offset,
                                                           (uint64_t)count);
    }
    return slice;
}

/* --- copies ---------------------------------------------------------------------------------- */

typedef struct gathering {
    const stoa_view *view;
    const stoa_row_range *ranges;
    size_t n_ranges;
    int64_t length; /* of all ranges */
} gathering;

static stoa_status copy_bits(const gathering *g, const uint8_t *from, void **bits, int64_t *n_set,
                             stoa_error *err)
{
    uint8_t *const to = stoa_alloc_zero((size_t)stoa_bit_bytes((uint64_t)g->length) + 1, 1);
    uint64_t at = 0;

    STOA_RETURN_NO_MEMORY(err, to);
    for (size_t k = 0; k < g->n_ranges; k++) {
        const uint64_t first = (uint64_t)(g->view->offset + g->ranges[k].first);
        for (uint64_t i = 0; i < (uint64_t)g->ranges[k].count; i++, at++) {
            if (stoa_bit_get(from, first + i)) {
                stoa_bit_set(to, at);
            }
        }
    }
    *n_set = (int64_t)stoa_bit_count(to, 0, (uint64_t)g->length);
    *bits = to;
    return STOA_OK;
}

static stoa_status copy_values(const gathering *g, size_t width, void **values, stoa_error *err)
{
    uint8_t *const to = stoa_alloc((size_t)g->length, width);
    size_t at = 0;

    STOA_RETURN_NO_MEMORY(err, to);
    for (size_t k = 0; k < g->n_ranges; k++) {
        const size_t first = (size_t)(g->view->offset + g->ranges[k].first);
        const size_t count = (size_t)g->ranges[k].count;
        memcpy(to + at * width, (const uint8_t *)g->view->values + first * width, count * width);
        at += count;
    }
    *values = to;
    return STOA_OK;
}

static stoa_status gather(const stoa_view *view, const stoa_row_range *ranges, size_t n,
                          struct ArrowArray *out, stoa_error *err);

/* The items of fixed-size lists lie as many times further on. */
static stoa_status gather_items(const gathering *g, struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const int64_t width = g->view->type.width;
    stoa_row_range *const ranges = stoa_alloc(g->n_ranges, sizeof *ranges);
    stoa_view items;

    STOA_TRY(ranges != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_view_child(g->view, 0, &items, err));
    for (size_t k = 0; k < g->n_ranges; k++) {
        ranges[k] = (stoa_row_range){(g->view->offset + g->ranges[k].first) * width,
                                     g->ranges[k].count * width};
    }
    STOA_TRY(gather(&items, ranges, g->n_ranges, out->children[0], err));

done:
    free(ranges);
    return status;
}

static stoa_status gather_children(const gathering *g, struct ArrowArray *out, stoa_error *err)
{
    stoa_view child;

    STOA_RETURN_NOT_OK(stoa_array_children(out, g->view->array->n_children, err));
    if (g->view->type.kind == STOA_KIND_FIXED_LIST) {
        return gather_items(g, out, err);
    }
    for (int64_t i = 0; i < g->view->array->n_children; i++) {
        STOA_RETURN_NOT_OK(stoa_view_child(g->view, i, &child, err));
        STOA_RETURN_NOT_OK(gather(&child, g->ranges, g->n_ranges, out->children[i], err));
    }
    return STOA_OK;
}

static stoa_status gather(const stoa_view *view, const stoa_row_range *ranges, size_t n,
                          struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_kind kind = view->type.kind;
    const bool is_nested = kind == STOA_KIND_STRUCT || kind == STOA_KIND_FIXED_LIST;
    const size_t width =
        kind == STOA_KIND_FIXED_BINARY ? (size_t)view->type.width : (size_t)stoa_kind_width(kind);
    gathering g = {view, ranges, n, 0};
    void *buffers[] = {NULL, NULL};
    int64_t n_valid = 0;
    int64_t ignored = 0;

    out->release = NULL;
    for (size_t k = 0; k < n; k++) {
        g.length += ranges[k].count;
    }
    if (kind == STOA_KIND_NULL) {
        return stoa_array_make(out, g.length, g.length, 0, NULL, err);
    }
    n_valid = g.length;
    if (view->validity != NULL) {
        STOA_TRY(copy_bits(&g, view->validity, &buffers[0], &n_valid, err));
    }
    if (kind == STOA_KIND_BOOL) {
        STOA_TRY(copy_bits(&g, view->values, &buffers[1], &ignored, err));
    } else if (!is_nested) {
        STOA_TRY(copy_values(&g, width, &buffers[1], err));
    }
    void *const all[] = {buffers[0], buffers[1]};
    buffers[0] = buffers[1] = NULL;
    STOA_TRY(stoa_array_make(out, g.length, g.length - n_valid, is_nested ? 1 : 2, all, err));
    STOA_TRY(is_nested ? gather_children(&g, out, err) : STOA_OK);

done:
    free(buffers[0]);
    free(buffers[1]);
    if (status != STOA_OK) {
        stoa_array_release(out);
    }
    return status;
}

stoa_status stoa_view_gather(const stoa_view *view, const stoa_row_range *ranges, size_t n,
                             struct ArrowArray *own, stoa_view *out, stoa_error *err)
{
    STOA_RETURN_NOT_OK(gather(view, ranges, n, own, err));
    *out = *view;
    out->array = own;
    out->offset = 0;
    out->length = own->length;
    out->null_count = own->null_count;
    out->validity = own->n_buffers > 0 ? own->buffers[0] : NULL;
    out->values = own->n_buffers > 1 ? own->buffers[1] : NULL;
    return STOA_OK;
}
