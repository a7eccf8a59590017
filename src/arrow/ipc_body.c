#include "arrow/ipc_body.h"

#include <stdlib.h>
#include <string.h>

/* --- pieces ---------------------------------------------------------------------------------- */

static stoa_status add_piece(stoa_ipc_body *body, const void *bytes, uint64_t n, stoa_error *err)
{
    const stoa_ipc_piece piece = {bytes, n, NULL};

    return stoa_buffer_append(&body->pieces, &piece, sizeof piece, err);
}

/* Append a buffer that the body owns from then on, in every case. */
static stoa_status add_own(stoa_ipc_body *body, void *own, uint64_t n, stoa_error *err)
{
    const stoa_ipc_piece piece = {own, n, own};
    const stoa_status status = own != NULL
                                   ? stoa_buffer_append(&body->pieces, &piece, sizeof piece, err)
                                   : stoa_fail_memory(err);

    if (status != STOA_OK) {
        free(own);
    }
    return status;
}

/* Append n bits from bit `first` on, shifted to begin at bit 0. */
static stoa_status add_bits(stoa_ipc_body *body, const uint8_t *bits, int64_t first, int64_t n,
                            stoa_error *err)
{
    const size_t size = stoa_bit_bytes((uint64_t)n);
    uint8_t *moved = NULL;

    if (first % 8 == 0) {
        return add_piece(body, bits != NULL ? bits + first / 8 : NULL, size, err);
    }
    moved = stoa_alloc_zero(size, 1);
    for (int64_t i = 0; moved != NULL && i < n; i++) {
        if (stoa_bit_get(bits, (uint64_t)(first + i))) {
            stoa_bit_set(moved, (uint64_t)i);
        }
    }
    return add_own(body, moved, size, err);
}

/* An empty array may have no offsets. */
static int64_t offset_at(const stoa_view *view, int64_t i)
{
    return view->length > 0 ? stoa_view_offset(view, i) : 0;
}

/* Append offsets, rebased to begin at 0. */
static stoa_status add_offsets(stoa_ipc_body *body, const stoa_view *view, stoa_error *err)
{
    const bool is_wide = stoa_kind_is_wide(view->type.kind);
    const size_t width = is_wide ? sizeof(int64_t) : sizeof(int32_t);
    const size_t n = view->length > 0 ? (size_t)view->length + 1 : 0;
    const int64_t first = offset_at(view, 0);
    uint8_t *moved = NULL;

    if (n == 0 || first == 0) {
        const uint8_t *const from = view->offsets;
        return add_piece(body, from != NULL ? from + (size_t)view->offset * width : NULL, n * width,
                         err);
    }
    moved = stoa_alloc(n, width);
    for (size_t i = 0; moved != NULL && i < n; i++) {
        const int64_t wide = offset_at(view, (int64_t)i) - first;
        const int32_t narrow = (int32_t)wide;
        memcpy(moved + i * width, is_wide ? (const void *)&wide : (const void *)&narrow, width);
    }
    return add_own(body, moved, n * width, err);
}

/* --- arrays ---------------------------------------------------------------------------------- */

static stoa_status add_values(stoa_ipc_body *body, const stoa_view *view, stoa_error *err)
{
    const stoa_kind kind = view->type.kind;
    const uint8_t *const values = view->values;

    switch (kind) {
    case STOA_KIND_STRUCT:
    case STOA_KIND_FIXED_LIST:
        return STOA_OK;
    case STOA_KIND_LIST:
    case STOA_KIND_LARGE_LIST:
        return add_offsets(body, view, err);
    case STOA_KIND_STRING:
    case STOA_KIND_BINARY:
    case STOA_KIND_LARGE_STRING:
    case STOA_KIND_LARGE_BINARY: {
        const int64_t first = offset_at(view, 0);
        STOA_RETURN_NOT_OK(add_offsets(body, view, err));
        return add_piece(body, values != NULL ? values + first : NULL,
                         (uint64_t)(offset_at(view, view->length) - first), err);
    }
    case STOA_KIND_BOOL:
        return add_bits(body, values, view->offset, view->length, err);
    default: {
        const uint64_t width =
            (uint64_t)(kind == STOA_KIND_FIXED_BINARY ? view->type.width
                       : kind == STOA_KIND_DICTIONARY ? stoa_kind_width(view->type.index)
                                                      : stoa_kind_width(kind));
        return add_piece(body, values != NULL ? values + (uint64_t)view->offset * width : NULL,
                         (uint64_t)view->length * width, err);
    }
    }
    return STOA_OK;
}

/* Restrict items to those of the lists in a view. */
static void narrow_items(const stoa_view *lists, stoa_view *items)
{
    int64_t first = 0;
    int64_t n = 0;

    if (lists->type.kind == STOA_KIND_FIXED_LIST) {
        first = lists->offset * lists->type.width;
        n = lists->length * lists->type.width;
    } else {
        first = offset_at(lists, 0);
        n = offset_at(lists, lists->length) - first;
    }
    items->offset += first;
    items->length = n;
    items->null_count = 0;
    for (int64_t i = 0; items->validity != NULL && i < n; i++) {
        items->null_count += stoa_view_is_null(items, i);
    }
}

stoa_status stoa_ipc_body_add(stoa_ipc_body *body, const stoa_view *view, stoa_error *err)
{
    const int64_t node[] = {view->length, view->null_count};

    STOA_RETURN_NOT_OK(stoa_buffer_append(&body->nodes, node, sizeof node, err));
    STOA_RETURN_NOT_OK(view->null_count > 0
                           ? add_bits(body, view->validity, view->offset, view->length, err)
                           : add_piece(body, NULL, 0, err));
    STOA_RETURN_NOT_OK(add_values(body, view, err));
    for (int64_t i = 0; view->schema->dictionary == NULL && i < view->schema->n_children; i++) {
        stoa_view child;
        STOA_RETURN_NOT_OK(stoa_view_child(view, i, &child, err));
        if (view->type.kind != STOA_KIND_STRUCT) {
            narrow_items(view, &child);
        }
        STOA_RETURN_NOT_OK(stoa_ipc_body_add(body, &child, err));
    }
    return STOA_OK;
}

/* --- access ---------------------------------------------------------------------------------- */

const stoa_ipc_piece *stoa_ipc_body_pieces(const stoa_ipc_body *body)
{
    return (const stoa_ipc_piece *)(const void *)body->pieces.data;
}

size_t stoa_ipc_body_n_pieces(const stoa_ipc_body *body)
{
    return body->pieces.size / sizeof(stoa_ipc_piece);
}

uint64_t stoa_ipc_body_size(const stoa_ipc_body *body)
{
    const stoa_ipc_piece *const pieces = stoa_ipc_body_pieces(body);
    uint64_t n = 0;

    for (size_t i = 0; i < stoa_ipc_body_n_pieces(body); i++) {
        n += pieces[i].size + stoa_ipc_padding(pieces[i].size);
    }
    return n;
}

void stoa_ipc_body_clear(stoa_ipc_body *body)
{
    for (size_t i = 0; i < stoa_ipc_body_n_pieces(body); i++) {
        free(stoa_ipc_body_pieces(body)[i].own);
    }
    body->nodes.size = 0;
    body->pieces.size = 0;
}

void stoa_ipc_body_free(stoa_ipc_body *body)
{
    stoa_ipc_body_clear(body);
    stoa_buffer_clear(&body->nodes);
    stoa_buffer_clear(&body->pieces);
}
