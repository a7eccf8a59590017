/* Gathers rows by the kind of their type. Nested types use stoa_take(). */
#include "query/scan/gather.h"

#include <stdlib.h>
#include <string.h>

#include "arrow/take.h"

static bool is_nested(stoa_kind kind)
{
    return kind == STOA_KIND_STRUCT || stoa_kind_is_list(kind);
}

/* Bytes per value or code; 0 for bits. */
static size_t width_of(const stoa_type *type)
{
    const stoa_kind kind = type->kind == STOA_KIND_DICTIONARY ? type->index : type->kind;

    return (size_t)(kind == STOA_KIND_FIXED_BINARY ? type->width : stoa_kind_width(kind));
}

stoa_status stoa_gather_open(stoa_gather *gather, const struct ArrowSchema *schema,
                             const stoa_type *type, int64_t n, stoa_error *err)
{
    *gather = (stoa_gather){.schema = schema, .type = *type};
    if (stoa_kind_is_bytes(type->kind)) {
        const size_t size = stoa_kind_is_wide(type->kind) ? sizeof(int64_t) : sizeof(int32_t);
        STOA_RETURN_NOT_OK(stoa_buffer_reserve(&gather->offsets, ((size_t)n + 1) * size, err));
        STOA_RETURN_NOT_OK(stoa_buffer_grow(&gather->offsets, size, err)); /* the first one is 0 */
    } else if (!is_nested(type->kind) && type->kind != STOA_KIND_NULL) {
        STOA_RETURN_NOT_OK(stoa_buffer_reserve(&gather->values, (size_t)n * width_of(type), err));
    }
    return STOA_OK;
}

static void drop_parts(stoa_gather *gather)
{
    struct ArrowArray *parts = (struct ArrowArray *)(void *)gather->parts.data;

    for (size_t i = 0; i < gather->parts.size / sizeof *parts; i++) {
        stoa_array_release(&parts[i]);
    }
    stoa_buffer_clear(&gather->parts);
}

void stoa_gather_clear(stoa_gather *gather)
{
    drop_parts(gather);
    stoa_buffer_clear(&gather->validity);
    stoa_buffer_clear(&gather->values);
    stoa_buffer_clear(&gather->offsets);
    stoa_array_release(&gather->dictionary);
    *gather = (stoa_gather){.n = 0};
}

/* Bits -------------------------------------------------------------------------------------- */

/* Append n bits to the `at` existing ones: from bit `first` on, or at first + picks. `bits`
 * NULL: ones. */
static stoa_status add_bits(stoa_buffer *to, int64_t at, const uint8_t *bits, int64_t first,
                            const uint32_t *picks, int64_t n, stoa_error *err)
{
    const size_t size = (size_t)stoa_bit_bytes((uint64_t)(at + n));

    if (size > to->size) {
        STOA_RETURN_NOT_OK(stoa_buffer_grow(to, size - to->size, err));
    }
    if ((at & 7) == 0 && picks == NULL && (bits == NULL || (first & 7) == 0)) {
        const size_t whole = (size_t)(n >> 3);
        if (bits == NULL) {
            memset(to->data + (at >> 3), 0xff, whole);
        } else {
            memcpy(to->data + (at >> 3), bits + (first >> 3), whole);
        }
        at += (int64_t)whole * 8;
        first += (int64_t)whole * 8;
        n &= 7;
    }
    for (int64_t i = 0; i < n; i++) {
        const uint64_t from = (uint64_t)(first + (picks != NULL ? picks[i] : i));
        if (bits == NULL || stoa_bit_get(bits, from)) {
            stoa_bit_set(to->data, (uint64_t)(at + i));
        }
    }
    return STOA_OK;
}

static stoa_status add_validity(stoa_gather *g, const stoa_view *view, const uint32_t *picks,
                                int64_t n, stoa_error *err)
{
    const uint8_t *bits = view->null_count > 0 ? view->validity : NULL;

    if (bits == NULL && g->validity.size == 0) {
        return STOA_OK;
    }
    if (g->validity.size == 0 && g->n > 0) {
        STOA_RETURN_NOT_OK(add_bits(&g->validity, 0, NULL, 0, NULL, g->n, err));
    }
    STOA_RETURN_NOT_OK(add_bits(&g->validity, g->n, bits, view->offset, picks, n, err));
    g->null_count += n - (int64_t)stoa_bit_count(g->validity.data, (uint64_t)g->n, (uint64_t)n);
    return STOA_OK;
}

/* Values ------------------------------------------------------------------------------------ */

#define PICK_WIDTH(ctype)                                                                          \
    do {                                                                                           \
        const ctype *source = (const ctype *)from;                                                 \
        ctype *target = (ctype *)to;                                                               \
        for (int64_t i = 0; i < n; i++) {                                                          \
            target[i] = source[picks[i]];                                                          \
        }                                                                                          \
    } while (0)

static void gather_fixed(const void *from, size_t width, const uint32_t *picks, int64_t n, void *to)
{
    switch (width) {
    case 1:
        PICK_WIDTH(uint8_t);
        break;
    case 2:
        PICK_WIDTH(uint16_t);
        break;
    case 4:
        PICK_WIDTH(uint32_t);
        break;
    case 8:
        PICK_WIDTH(uint64_t);
        break;
    default:
        for (int64_t i = 0; i < n; i++) {
            memcpy((uint8_t *)to + (size_t)i * width, (const uint8_t *)from + picks[i] * width,
                   width);
        }
    }
}

static stoa_status add_fixed(stoa_gather *g, const stoa_view *view, const uint32_t *picks,
                             int64_t n, stoa_error *err)
{
    const size_t width = width_of(&g->type);
    const uint8_t *from = (const uint8_t *)view->values + (size_t)view->offset * width;
    const size_t n_bytes = (size_t)n * width;

    STOA_RETURN_NOT_OK(stoa_buffer_reserve(&g->values, n_bytes, err));
    uint8_t *to = g->values.data + g->values.size;
    if (picks == NULL && from != to) {
        memcpy(to, from, n_bytes);
    } else if (picks != NULL) {
        gather_fixed(from, width, picks, n, to);
    }
    g->values.size += n_bytes;
    return STOA_OK;
}

void *stoa_gather_room(stoa_gather *g, size_t size, int64_t n)
{
    if (stoa_kind_is_bytes(g->type.kind) || is_nested(g->type.kind) || width_of(&g->type) != size ||
        (size_t)n * size > g->values.capacity - g->values.size) {
        return NULL;
    }
    return g->values.data + g->values.size;
}

/* Append the bytes of rows that lie one after another. */
static stoa_status add_bytes(stoa_gather *g, const stoa_view *view, int64_t first, int64_t n,
                             stoa_error *err)
{
    const int64_t start = stoa_view_offset(view, first);
    const size_t n_bytes = (size_t)(stoa_view_offset(view, first + n) - start);

    STOA_RETURN_NOT_OK(stoa_buffer_append(
        &g->values, n_bytes > 0 ? (const char *)view->values + start : "", n_bytes, err));
    if (!stoa_kind_is_wide(g->type.kind) && g->values.size > INT32_MAX) {
        return stoa_fail(err, STOA_ERANGE,
                         "%lld rows of column '%s' hold more than 2 GiB, the most one batch can; "
                         "ask for fewer rows at a time",
                         (long long)g->n, g->schema->name);
    }
    return STOA_OK;
}

/* Append n end offsets: those of rows from `first` on, of which the last ends where the values do.
 */
static stoa_status add_offsets(stoa_gather *g, const stoa_view *view, int64_t first, int64_t n,
                               stoa_error *err)
{
    const size_t width = stoa_kind_is_wide(g->type.kind) ? sizeof(int64_t) : sizeof(int32_t);
    const int64_t shift = (int64_t)g->values.size - stoa_view_offset(view, first + n);

    STOA_RETURN_NOT_OK(stoa_buffer_reserve(&g->offsets, (size_t)n * width, err));
    void *const to = g->offsets.data + g->offsets.size;
    for (int64_t i = 0; i < n; i++) {
        const int64_t end = stoa_view_offset(view, first + i + 1) + shift;

        if (width == sizeof end) {
            ((int64_t *)to)[i] = end;
        } else {
            ((int32_t *)to)[i] = (int32_t)end;
        }
    }
    g->offsets.size += (size_t)n * width;
    return STOA_OK;
}

/* Texts are copied by runs of rows. A missing row is an empty text, whatever its bytes are. */
static stoa_status add_texts(stoa_gather *g, const stoa_view *view, const uint32_t *picks,
                             int64_t n, stoa_error *err)
{
    for (int64_t i = 0, end = 0; i < n; i = end) {
        const int64_t first = picks != NULL ? picks[i] : i;
        const bool is_null = stoa_view_is_null(view, first);

        for (end = i + 1; !is_null && end < n; end++) {
            const int64_t next = first + end - i;
            if ((picks != NULL && picks[end] != next) || stoa_view_is_null(view, next)) {
                break;
            }
        }
        STOA_RETURN_NOT_OK(is_null ? STOA_OK : add_bytes(g, view, first, end - i, err));
        STOA_RETURN_NOT_OK(add_offsets(g, view, first, end - i, err));
    }
    return STOA_OK;
}

/* Nested types ------------------------------------------------------------------------------ */

static stoa_status add_part(stoa_gather *g, const stoa_view *view, const uint32_t *picks, int64_t n,
                            stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowArray part = {0};
    stoa_row_source *rows = stoa_alloc((size_t)n, sizeof *rows);

    STOA_TRY(rows != NULL ? STOA_OK : stoa_fail_memory(err));
    for (int64_t i = 0; i < n; i++) {
        rows[i] = (stoa_row_source){picks != NULL ? picks[i] : i, 0};
    }
    STOA_TRY(stoa_buffer_reserve(&g->parts, sizeof part, err));
    STOA_TRY(stoa_take(&view, 1, rows, n, &part, err));
    STOA_TRY(stoa_buffer_append(&g->parts, &part, sizeof part, err)); /* reserved above */

done:
    free(rows);
    return status;
}

/* All types --------------------------------------------------------------------------------- */

stoa_status stoa_gather_add(stoa_gather *g, const stoa_view *view, const uint32_t *picks, int64_t n,
                            stoa_error *err)
{
    const stoa_kind kind = g->type.kind;

    if (is_nested(kind)) {
        STOA_RETURN_NOT_OK(add_part(g, view, picks, n, err));
    } else if (kind != STOA_KIND_NULL) {
        STOA_RETURN_NOT_OK(add_validity(g, view, picks, n, err));
        if (stoa_kind_is_bytes(kind)) {
            STOA_RETURN_NOT_OK(add_texts(g, view, picks, n, err));
        } else if (kind == STOA_KIND_BOOL) {
            STOA_RETURN_NOT_OK(
                add_bits(&g->values, g->n, view->values, view->offset, picks, n, err));
        } else {
            STOA_RETURN_NOT_OK(add_fixed(g, view, picks, n, err));
        }
    }
    if (kind == STOA_KIND_DICTIONARY && g->dictionary.release == NULL) {
        STOA_RETURN_NOT_OK(stoa_array_share(view->array->dictionary, &g->dictionary, err));
    }
    g->n += n;
    return STOA_OK;
}

/* Take the bytes of a buffer. The pointer is valid even if there are none. */
static stoa_status move_bytes(stoa_buffer *buffer, void **out, stoa_error *err)
{
    *out = buffer->data != NULL ? stoa_buffer_detach(buffer) : stoa_alloc(0, 1);
    return *out != NULL ? STOA_OK : stoa_fail_memory(err);
}

static stoa_status make_array(stoa_gather *g, struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    void *buffers[3] = {NULL, NULL, NULL};
    int64_t n_buffers = 2;

    if (g->null_count > 0) {
        buffers[0] = stoa_buffer_detach(&g->validity);
    }
    if (stoa_kind_is_bytes(g->type.kind)) {
        n_buffers = 3;
        buffers[1] = stoa_buffer_detach(&g->offsets);
    }
    STOA_TRY(move_bytes(&g->values, &buffers[n_buffers - 1], err));
    status = stoa_array_make(out, g->n, g->null_count, n_buffers, buffers, err);
    memset(buffers, 0, sizeof buffers); /* taken over even on failure */
    STOA_TRY(status);
    if (g->dictionary.release != NULL) {
        STOA_TRY(stoa_array_dictionary(out, &g->dictionary, err));
    }

done:
    for (int i = 0; i < 3; i++) {
        free(buffers[i]);
    }
    return status;
}

/* The same as stoa_view_of(), for arrays that are not nested. */
static stoa_view view_of(const stoa_gather *g, const struct ArrowArray *array)
{
    stoa_view view = {.type = g->type,
                      .length = array->length,
                      .null_count = array->null_count,
                      .array = array,
                      .schema = g->schema};

    if (array->n_buffers > 0) {
        view.validity = array->buffers[0];
        view.values = array->buffers[array->n_buffers - 1];
        view.offsets = array->n_buffers == 3 ? array->buffers[1] : NULL;
    }
    return view;
}

stoa_status stoa_gather_finish(stoa_gather *g, struct ArrowArray *out, stoa_view *view,
                               stoa_error *err)
{
    stoa_status status = STOA_OK;

    *out = (struct ArrowArray){0};
    if (g->type.kind == STOA_KIND_NULL) {
        STOA_TRY(stoa_array_make(out, g->n, g->n, 0, NULL, err));
    } else if (!is_nested(g->type.kind)) {
        STOA_TRY(make_array(g, out, err));
    } else if (g->parts.size == sizeof(struct ArrowArray)) {
        stoa_array_move((struct ArrowArray *)(void *)g->parts.data, out);
    } else {
        STOA_TRY(stoa_take_all(g->schema, (struct ArrowArray *)(void *)g->parts.data,
                               g->parts.size / sizeof(struct ArrowArray), out, err));
    }
    if (is_nested(g->type.kind)) {
        STOA_TRY(stoa_view_of(g->schema, out, view, err));
    } else {
        *view = view_of(g, out);
    }

done:
    if (status != STOA_OK) {
        stoa_array_release(out);
        *out = (struct ArrowArray){0};
    }
    stoa_gather_clear(g);
    return status;
}
