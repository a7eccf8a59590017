/* Columns of a batch as vectors: a window's rows, widened to the domain they are computed in. */
#include <string.h>

#include "query/eval/eval.h"

void stoa_copy_bits(const uint8_t *from, int64_t first, int64_t n, uint8_t *to)
{
    const int shift = (int)(first & 7);
    const int64_t n_bytes = (int64_t)stoa_bit_bytes((uint64_t)n);

    from += first >> 3;
    if (shift == 0) {
        memcpy(to, from, (size_t)n_bytes);
    } else {
        const int64_t last = ((first & 7) + n - 1) >> 3; /* read no byte after the last bit */
        for (int64_t i = 0; i < n_bytes; i++) {
            const unsigned high = i + 1 <= last ? from[i + 1] : 0u;
            to[i] = (uint8_t)((unsigned)from[i] >> shift | high << (8 - shift));
        }
    }
    if ((n & 7) != 0) {
        to[n_bytes - 1] = (uint8_t)(to[n_bytes - 1] & ((1u << (n & 7)) - 1u));
    }
}

/* Record that the column has data of this window, which becomes invalid with it. */
static void touch(stoa_evaluation *ev, size_t column)
{
    if (ev->n_touched < ev->scope->n_columns) {
        ev->touched[ev->n_touched] = column;
    }
    ev->n_touched++;
}

static stoa_status load_validity(stoa_arena *arena, const stoa_view *view, int64_t at, int64_t n,
                                 const uint8_t **out, stoa_error *err)
{
    *out = NULL;
    if (view->null_count == 0 || view->validity == NULL) {
        return STOA_OK;
    }
    uint8_t *bits = stoa_arena_alloc(arena, stoa_bit_bytes((uint64_t)n), 1);
    STOA_RETURN_NO_MEMORY(err, bits);
    stoa_copy_bits(view->validity, view->offset + at, n, bits);
    *out = bits;
    return STOA_OK;
}

stoa_status stoa_load_validity(const stoa_evaluation *ev, stoa_arena *arena, const stoa_view *view,
                               const uint8_t **out, stoa_error *err)
{
    return load_validity(arena, view, ev->first, ev->n, out, err);
}

#define WIDEN(from_type, to_type)                                                                  \
    do {                                                                                           \
        const from_type *source = from;                                                            \
        to_type *target = to;                                                                      \
        if (rows == NULL) {                                                                        \
            for (int64_t i = 0; i < n; i++) {                                                      \
                target[i] = source[i];                                                             \
            }                                                                                      \
        } else {                                                                                   \
            for (int64_t i = 0; i < n; i++) {                                                      \
                target[i] = source[rows[i]];                                                       \
            }                                                                                      \
        }                                                                                          \
    } while (0)

void stoa_widen(stoa_kind kind, const void *from, const uint16_t *rows, int64_t n, void *to)
{
    switch (kind) {
    case STOA_KIND_INT8:
        WIDEN(int8_t, int64_t);
        break;
    case STOA_KIND_INT16:
        WIDEN(int16_t, int64_t);
        break;
    case STOA_KIND_INT32:
    case STOA_KIND_DATE:
        WIDEN(int32_t, int64_t);
        break;
    case STOA_KIND_UINT8:
        WIDEN(uint8_t, int64_t);
        break;
    case STOA_KIND_UINT16:
        WIDEN(uint16_t, int64_t);
        break;
    case STOA_KIND_UINT32:
        WIDEN(uint32_t, int64_t);
        break;
    case STOA_KIND_FLOAT32:
        WIDEN(float, double);
        break;
    default:
        WIDEN(uint64_t, uint64_t);
        break;
    }
}

/* Integers and times. 64-bit values are used in place. */
static stoa_status load_integers(stoa_arena *arena, const stoa_view *view, int64_t at, int64_t n,
                                 stoa_vector *out, stoa_error *err)
{
    const int64_t first = view->offset + at;

    if (stoa_kind_width(view->type.kind) == 8) {
        out->as.i64 = (const int64_t *)view->values + first;
        return STOA_OK;
    }
    int64_t *to = stoa_arena_alloc(arena, (size_t)n, sizeof *to);
    STOA_RETURN_NO_MEMORY(err, to);
    const uint8_t *from = view->values;
    stoa_widen(view->type.kind, from + first * stoa_kind_width(view->type.kind), NULL, n, to);
    out->as.i64 = to;
    return STOA_OK;
}

static stoa_status load_floats(stoa_arena *arena, const stoa_view *view, int64_t at, int64_t n,
                               stoa_vector *out, stoa_error *err)
{
    const int64_t first = view->offset + at;

    if (view->type.kind == STOA_KIND_FLOAT64) {
        out->as.f64 = (const double *)view->values + first;
        return STOA_OK;
    }
    double *to = stoa_arena_alloc(arena, (size_t)n, sizeof *to);
    STOA_RETURN_NO_MEMORY(err, to);
    if (view->type.kind == STOA_KIND_FLOAT32) {
        stoa_widen(STOA_KIND_FLOAT32, (const float *)view->values + first, NULL, n, to);
    } else {
        const uint16_t *from = (const uint16_t *)view->values + first;
        for (int64_t i = 0; i < n; i++) {
            to[i] = (double)stoa_f16_to_f32(from[i]);
        }
    }
    out->as.f64 = to;
    return STOA_OK;
}

static stoa_status load_texts(stoa_arena *arena, const stoa_view *view, int64_t first, int64_t n,
                              stoa_bytes **out, stoa_error *err)
{
    stoa_bytes *to = stoa_arena_alloc(arena, (size_t)n + 1, sizeof *to);

    STOA_RETURN_NO_MEMORY(err, to);
    for (int64_t i = 0; i < n; i++) {
        to[i].data = stoa_view_bytes(view, first + i, &to[i].length);
    }
    *out = to;
    return STOA_OK;
}

static stoa_status load_bools(stoa_arena *arena, const stoa_view *view, int64_t at, int64_t n,
                              stoa_vector *out, stoa_error *err)
{
    uint8_t *bits = stoa_arena_alloc(arena, stoa_bit_bytes((uint64_t)n), 1);

    STOA_RETURN_NO_MEMORY(err, bits);
    stoa_copy_bits(view->values, view->offset + at, n, bits);
    out->as.bits = bits;
    return STOA_OK;
}

/* Dictionaries ------------------------------------------------------------------------------ */

/* Forget all labels and what was evaluated on them, because a dictionary changed. */
static void forget_dictionaries(stoa_evaluation *ev)
{
    for (size_t i = 0; i < ev->scope->n_columns; i++) {
        ev->labels[i] = (stoa_labels){.n = -1};
    }
    for (size_t i = 0; i < ev->scope->n_memos; i++) {
        ev->memos[i].n = -1;
        ev->sets[i].made = false;
    }
    stoa_arena_reset(&ev->kept, (stoa_arena_mark){0});
}

stoa_status stoa_load_dictionary(stoa_evaluation *ev, size_t column, stoa_labels **out,
                                 stoa_view *dictionary, stoa_error *err)
{
    stoa_labels *labels = &ev->labels[column];
    const stoa_view *coded = NULL;

    *out = labels;
    STOA_RETURN_NOT_OK(stoa_evaluation_view(ev, column, &coded, err));
    STOA_RETURN_NOT_OK(stoa_view_dictionary(coded, dictionary, err));
    if (labels->n == dictionary->length && labels->identity[0] == dictionary->offsets &&
        labels->identity[1] == dictionary->values) {
        return STOA_OK;
    }
    if (labels->n >= 0) {
        forget_dictionaries(ev);
    }
    *labels = (stoa_labels){.identity = {dictionary->offsets, dictionary->values},
                            .generation = ++ev->generation,
                            .n = dictionary->length,
                            .values = {.n = -1}};
    return STOA_OK;
}

/* Load all labels, with room for one more value. */
static stoa_status load_label_values(stoa_arena *arena, const stoa_view *view, stoa_vector *out,
                                     stoa_error *err)
{
    const size_t n = (size_t)view->length;
    stoa_bytes *texts = NULL;

    if (out->type.domain == STOA_DOMAIN_TEXT) {
        STOA_RETURN_NOT_OK(load_texts(arena, view, 0, view->length, &texts, err));
        texts[n] = (stoa_bytes){"", 0};
        out->as.bytes = texts;
        return STOA_OK;
    }
    const size_t size = out->type.domain == STOA_DOMAIN_BOOL ? stoa_bit_bytes(n) : n * 8;
    uint8_t *const values = stoa_arena_zero(arena, size + 8, 1);
    STOA_RETURN_NO_MEMORY(err, values);
    if (n > 0) {
        STOA_RETURN_NOT_OK(stoa_load_values(arena, view, 0, view->length, out, err));
        memcpy(values, out->as.bits, size);
    }
    out->as.bits = values;
    return STOA_OK;
}

stoa_status stoa_load_labels(stoa_evaluation *ev, size_t column, stoa_labels **out, stoa_error *err)
{
    stoa_vector values = {.type = ev->scope->columns[column].value};
    stoa_view view;

    STOA_RETURN_NOT_OK(stoa_load_dictionary(ev, column, out, &view, err));
    if ((*out)->values.n >= 0) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(load_label_values(&ev->kept, &view, &values, err));
    uint8_t *validity = stoa_arena_zero(&ev->kept, stoa_bit_bytes((uint64_t)view.length + 1), 1);
    STOA_RETURN_NO_MEMORY(err, validity);
    for (int64_t i = 0; i < view.length; i++) {
        if (!stoa_view_is_null(&view, i)) {
            stoa_bit_set(validity, (uint64_t)i);
        } else {
            (*out)->has_missing = true;
        }
    }
    values.n = view.length + 1;
    values.validity = validity;
    (*out)->values = values;
    return STOA_OK;
}

#define WIDEN_CODES(from_type)                                                                     \
    do {                                                                                           \
        const from_type *from = (const from_type *)view->values + first;                           \
        for (int64_t i = 0; i < n; i++) {                                                          \
            codes[i] = (uint32_t)from[i];                                                          \
        }                                                                                          \
    } while (0)

stoa_status stoa_load_codes(stoa_evaluation *ev, size_t column, stoa_labels **out, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_load_labels(ev, column, out, err));
    return stoa_load_bare_codes(ev, column, out, err);
}

stoa_status stoa_load_bare_codes(stoa_evaluation *ev, size_t column, stoa_labels **out,
                                 stoa_error *err)
{
    const stoa_view *view = NULL;
    const int64_t n = ev->n;
    stoa_view dictionary;

    STOA_RETURN_NOT_OK(stoa_load_dictionary(ev, column, out, &dictionary, err));
    STOA_RETURN_NOT_OK(stoa_evaluation_view(ev, column, &view, err));
    const int64_t first = view->offset + ev->first;
    if ((*out)->codes != NULL) {
        return STOA_OK;
    }
    if ((*out)->n >= UINT32_MAX) {
        return stoa_fail(err, STOA_ERANGE, "column '%s' has more categories than a query can hold",
                         ev->scope->columns[column].name);
    }
    uint32_t *codes = stoa_arena_alloc(&ev->loads, (size_t)n, sizeof *codes);
    STOA_RETURN_NO_MEMORY(err, codes);
    switch (stoa_kind_width(view->type.index)) {
    case 1:
        WIDEN_CODES(uint8_t);
        break;
    case 2:
        WIDEN_CODES(uint16_t);
        break;
    case 4:
        WIDEN_CODES(uint32_t);
        break;
    default:
        WIDEN_CODES(uint64_t);
        break;
    }
    if (view->null_count > 0) {
        for (int64_t i = 0; i < n; i++) {
            if (!stoa_bit_get(view->validity, (uint64_t)(first + i))) {
                codes[i] = (uint32_t)(*out)->n;
            }
        }
    }
    (*out)->codes = codes;
    touch(ev, column);
    return STOA_OK;
}

void stoa_look_up_labels(const stoa_vector *labels, const uint32_t *codes, int64_t n,
                         uint8_t *values)
{
    if (stoa_domain_is_bytes(labels->type.domain)) {
        stoa_bytes *const to = (stoa_bytes *)(void *)values;
        for (int64_t i = 0; i < n; i++) {
            to[i] = labels->as.bytes[codes[i]];
        }
    } else if (labels->type.domain == STOA_DOMAIN_BOOL) {
        memset(values, 0, (size_t)stoa_bit_bytes((uint64_t)n));
        for (int64_t i = 0; i < n; i++) {
            values[i / 8] |= (uint8_t)(stoa_bit_get(labels->as.bits, codes[i]) << (i % 8));
        }
    } else {
        uint64_t *const to = (uint64_t *)(void *)values;
        for (int64_t i = 0; i < n; i++) {
            to[i] = labels->as.u64[codes[i]];
        }
    }
}

static stoa_status load_dictionary(stoa_evaluation *ev, size_t column, stoa_vector *out,
                                   stoa_error *err)
{
    const bool texts = stoa_domain_is_bytes(out->type.domain);
    stoa_labels *labels = NULL;
    uint8_t *validity = NULL;

    STOA_RETURN_NOT_OK(stoa_load_codes(ev, column, &labels, err));
    uint8_t *values =
        stoa_arena_alloc(&ev->loads, (size_t)ev->n, texts ? sizeof(stoa_bytes) : sizeof(int64_t));
    validity = stoa_arena_zero(&ev->loads, stoa_bit_bytes((uint64_t)ev->n), 1);
    STOA_RETURN_NO_MEMORY(err, values != NULL && validity != NULL);
    stoa_look_up_labels(&labels->values, labels->codes, ev->n, values);
    for (int64_t i = 0; i < ev->n; i++) {
        if (stoa_bit_get(labels->values.validity, labels->codes[i])) {
            stoa_bit_set(validity, (uint64_t)i);
        }
    }
    out->as.bits = values;
    out->validity = validity;
    return STOA_OK;
}

/* All columns ------------------------------------------------------------------------------- */

stoa_status stoa_load_values(stoa_arena *arena, const stoa_view *view, int64_t first, int64_t n,
                             stoa_vector *out, stoa_error *err)
{
    stoa_bytes *texts = NULL;

    STOA_RETURN_NOT_OK(load_validity(arena, view, first, n, &out->validity, err));
    switch (out->type.domain) {
    case STOA_DOMAIN_BOOL:
        STOA_RETURN_NOT_OK(load_bools(arena, view, first, n, out, err));
        break;
    case STOA_DOMAIN_I64:
    case STOA_DOMAIN_U64:
    case STOA_DOMAIN_TIME:
    case STOA_DOMAIN_DURATION:
        STOA_RETURN_NOT_OK(load_integers(arena, view, first, n, out, err));
        break;
    case STOA_DOMAIN_F64:
        STOA_RETURN_NOT_OK(load_floats(arena, view, first, n, out, err));
        break;
    case STOA_DOMAIN_TEXT:
    case STOA_DOMAIN_BYTES:
        STOA_RETURN_NOT_OK(load_texts(arena, view, first, n, &texts, err));
        out->as.bytes = texts;
        break;
    default:
        break; /* nested values have only a validity */
    }
    return STOA_OK;
}

stoa_status stoa_load_column(stoa_evaluation *ev, size_t column, stoa_vector *out, stoa_error *err)
{
    const stoa_scope_column *field = &ev->scope->columns[column];
    const stoa_view *view = NULL;
    stoa_vector *loaded = &ev->columns[column];
    stoa_vector fresh = {.type = field->value, .n = ev->n};

    if (loaded->n >= 0) {
        *out = *loaded;
        return STOA_OK;
    }
    if (stoa_scope_column_is_coded(field)) {
        STOA_RETURN_NOT_OK(load_dictionary(ev, column, &fresh, err));
    } else {
        STOA_RETURN_NOT_OK(stoa_evaluation_view(ev, column, &view, err));
        STOA_RETURN_NOT_OK(stoa_load_values(&ev->loads, view, ev->first, ev->n, &fresh, err));
    }
    *loaded = fresh;
    *out = fresh;
    touch(ev, column);
    return STOA_OK;
}
