/* Values of Arrow columns in NumPy's forms (numpy.lib.format, NEP 1). */
#include "layout/text/npy_values.h"

#include <math.h>
#include <string.h>

#include "core/text.h"

/* --- types ----------------------------------------------------------------------------------- */

static stoa_status refuse(const stoa_npy_values *f, const char *what, stoa_error *err)
{
    return stoa_fail(err, STOA_ETYPE,
                     "column '%s' holds %s, which no array of NumPy has; write .csv or .arrow, or "
                     "choose other columns",
                     f->name, what);
}

static stoa_status refuse_missing(const stoa_npy_values *f, stoa_error *err)
{
    return stoa_fail(err, STOA_ELOSS,
                     "column '%s' has missing values, which its type has no place for in an array "
                     "of NumPy; leave them out (-w) or write .arrow or .csv",
                     f->name);
}

/* Texts, or categories of texts. */
static bool is_text(const struct ArrowSchema *schema, const stoa_type *type)
{
    stoa_type labels;

    return stoa_kind_is_string(type->kind) ||
           (type->kind == STOA_KIND_DICTIONARY &&
            stoa_type_of(schema->dictionary, &labels, NULL) == STOA_OK &&
            stoa_kind_is_string(labels.kind));
}

static bool is_pair(const struct ArrowSchema *schema, stoa_type *part)
{
    stoa_type other;

    return schema->n_children == 2 && stoa_type_of(schema->children[0], part, NULL) == STOA_OK &&
           stoa_type_of(schema->children[1], &other, NULL) == STOA_OK && part->kind == other.kind &&
           (part->kind == STOA_KIND_FLOAT32 || part->kind == STOA_KIND_FLOAT64) &&
           (strcmp(schema->children[0]->name, "r") == 0 ||
            strncmp(schema->children[0]->name, "re", 2) == 0);
}

static stoa_status find_type(stoa_npy_values *f, const struct ArrowSchema *schema,
                             const stoa_type *type, stoa_error *err)
{
    static const char *const units[] = {[STOA_TIME_DAY] = "D",
                                        [STOA_TIME_SECOND] = "s",
                                        [STOA_TIME_MILLI] = "ms",
                                        [STOA_TIME_MICRO] = "us",
                                        [STOA_TIME_NANO] = "ns"};
    char name[64];
    stoa_type part;

    f->kind = type->kind;
    f->size = stoa_kind_is_integer(type->kind) || stoa_kind_is_float(type->kind)
                  ? (size_t)stoa_kind_width(type->kind)
                  : 8;
    if (stoa_kind_is_integer(type->kind) || stoa_kind_is_float(type->kind)) {
        const char letter = stoa_kind_is_float(type->kind)    ? 'f'
                            : stoa_kind_is_signed(type->kind) ? 'i'
                                                              : 'u';
        (void)snprintf(f->type, sizeof f->type, "%c%c%zu", f->size == 1 ? '|' : '<', letter,
                       f->size);
    } else if (type->kind == STOA_KIND_BOOL) {
        f->size = 1;
        (void)strcpy(f->type, "|b1");
    } else if (type->kind == STOA_KIND_DATE) {
        (void)strcpy(f->type, "<M8[D]");
    } else if (type->kind == STOA_KIND_TIMESTAMP || type->kind == STOA_KIND_DURATION) {
        (void)snprintf(f->type, sizeof f->type, "<%c8[%s]",
                       type->kind == STOA_KIND_TIMESTAMP ? 'M' : 'm', units[type->unit]);
    } else if (type->kind == STOA_KIND_STRUCT && is_pair(schema, &part)) {
        f->is_complex = true;
        f->size = 2 * (size_t)stoa_kind_width(part.kind);
        (void)snprintf(f->type, sizeof f->type, "<c%zu", f->size);
    } else {
        return refuse(f, stoa_type_name(type, name), err);
    }
    return STOA_OK;
}

stoa_status stoa_npy_values_of(stoa_npy_values *f, const struct ArrowSchema *schema,
                               bool takes_text, stoa_error *err)
{
    const struct ArrowSchema *item = schema;
    stoa_type type;

    *f = (stoa_npy_values){.name = schema->name != NULL ? schema->name : "", .n_items = 1};
    STOA_RETURN_NOT_OK(stoa_type_of(item, &type, err));
    f->is_text = takes_text && is_text(schema, &type);
    if (f->is_text) {
        f->kind = type.kind;
        return STOA_OK;
    }
    for (; type.kind == STOA_KIND_FIXED_LIST && f->n_levels < H5S_MAX_RANK - 1; f->n_levels++) {
        if (__builtin_mul_overflow(f->n_items, (size_t)type.width, &f->n_items) ||
            f->n_items > INT32_MAX) {
            return refuse(f, "more than 2^31 values in a row", err);
        }
        f->shape[f->rank++] = (hsize_t)type.width;
        item = item->children[0];
        STOA_RETURN_NOT_OK(stoa_type_of(item, &type, err));
    }
    if (stoa_kind_is_list(type.kind)) {
        return refuse(f, "lists of different lengths", err);
    }
    if (f->n_levels == 1) {
        STOA_RETURN_NOT_OK(stoa_tensor_shape(schema, f->n_items, f->shape, &f->rank, err));
        if (f->rank == 0) {
            f->rank = 1;
            f->shape[0] = f->n_items;
        }
    }
    return find_type(f, item, &type, err);
}

/* --- rows ------------------------------------------------------------------------------------ */

stoa_status stoa_npy_values_bind(stoa_npy_values *f, const stoa_view *table, int64_t i,
                                 stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_view_child(table, i, &f->rows, err));
    if (f->is_text && f->kind == STOA_KIND_DICTIONARY) {
        return stoa_view_dictionary(&f->rows, &f->items, err);
    }
    f->items = f->rows;
    f->base = f->rows.offset * (int64_t)f->n_items;
    for (int k = 0, n = (int)f->n_items; k < f->n_levels; k++) {
        const stoa_view lists = f->items;
        if (k > 0 && lists.null_count > 0) {
            return refuse(f, "missing lists within lists", err);
        }
        n = lists.type.width > 0 ? n / lists.type.width : 0;
        STOA_RETURN_NOT_OK(stoa_view_child(&lists, 0, &f->items, err));
        f->base += k + 1 < f->n_levels ? f->items.offset * n : 0;
    }
    for (int64_t k = 0; f->is_complex && k < 2; k++) {
        STOA_RETURN_NOT_OK(stoa_view_child(&f->items, k, &f->parts[k], err));
    }
    return STOA_OK;
}

/* Whether the file holds the bytes that Arrow has. */
static bool is_as_stored(const stoa_npy_values *f)
{
    return !f->is_complex && f->kind != STOA_KIND_BOOL && f->kind != STOA_KIND_DATE;
}

/* A value in the form of the file. */
static void put_value(const stoa_view *view, stoa_kind kind, size_t size, int64_t i, uint8_t *to)
{
    if (kind == STOA_KIND_BOOL || kind == STOA_KIND_DATE) {
        const int64_t value = stoa_view_i64(view, i);
        memcpy(to, &value, size);
    } else {
        memcpy(to, (const uint8_t *)view->values + (size_t)(view->offset + i) * size, size);
    }
}

static bool put_missing(const stoa_npy_values *f, uint8_t *to)
{
    static const double nan64 = (double)NAN;
    static const float nan32 = NAN;
    static const uint16_t nan16 = 0x7e00;
    static const int64_t nat = INT64_MIN;

    switch (f->kind) {
    case STOA_KIND_FLOAT64:
        memcpy(to, &nan64, sizeof nan64);
        return true;
    case STOA_KIND_FLOAT32:
        memcpy(to, &nan32, sizeof nan32);
        return true;
    case STOA_KIND_DATE:
    case STOA_KIND_TIMESTAMP:
    case STOA_KIND_DURATION:
        memcpy(to, &nat, sizeof nat);
        return true;
    default:
        memcpy(to, &nan16, f->size < 2 ? f->size : 2);
        return stoa_kind_is_float(f->kind);
    }
}

stoa_status stoa_npy_values_put(const stoa_npy_values *f, int64_t row, uint8_t *to, stoa_error *err)
{
    const int64_t n = (int64_t)f->n_items;
    const int64_t first = f->n_levels > 0 ? f->base + row * n : row;
    const bool is_gone = stoa_view_is_null(&f->rows, row);

    if (!is_gone && f->items.validity == NULL && is_as_stored(f)) {
        memcpy(to, (const uint8_t *)f->items.values + (size_t)(f->items.offset + first) * f->size,
               (size_t)n * f->size);
        return STOA_OK;
    }
    for (int64_t i = 0; i < n; i++, to += f->size) {
        const bool is_missing = is_gone || stoa_view_is_null(&f->items, first + i);
        if (is_missing && !put_missing(f, to)) {
            return refuse_missing(f, err);
        }
        if (!is_missing && f->is_complex) {
            put_value(&f->parts[0], f->kind, f->size / 2, first + i, to);
            put_value(&f->parts[1], f->kind, f->size / 2, first + i, to + f->size / 2);
        } else if (!is_missing) {
            put_value(&f->items, f->kind, f->size, first + i, to);
        }
    }
    return STOA_OK;
}

stoa_status stoa_npy_values_text(const stoa_npy_values *f, int64_t row, const char **text,
                                 size_t *length, stoa_error *err)
{
    const bool has_labels = f->kind == STOA_KIND_DICTIONARY;
    const bool is_gone = stoa_view_is_null(&f->rows, row);
    const int64_t at = has_labels && !is_gone ? stoa_view_i64(&f->rows, row) : row;

    if (is_gone || stoa_view_is_null(&f->items, at)) {
        return refuse_missing(f, err);
    }
    *text = stoa_view_bytes(&f->items, at, length);
    return *length == 0 || (*text)[*length - 1] != '\0'
               ? STOA_OK
               : stoa_fail(err, STOA_ELOSS,
                           "column '%s' has a text that ends in a NUL, which NumPy drops; write "
                           ".arrow instead",
                           f->name);
}
