/* Arrow values into elements: exactly, or not at all. */
#include "column/encode.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

static bool is_text(const stoa_view *view)
{
    if (view->type.kind == STOA_KIND_DICTIONARY) {
        stoa_error ignored = STOA_ERROR_INIT;
        stoa_view labels;
        return stoa_view_dictionary(view, &labels, &ignored) == STOA_OK &&
               stoa_kind_is_string(labels.type.kind);
    }
    return stoa_kind_is_string(view->type.kind);
}

static bool kinds_fit(const stoa_column *column, const stoa_view *view)
{
    const stoa_kind from = view->type.kind;

    switch (column->type.kind) {
    case STOA_KIND_BOOL:
        return from == STOA_KIND_BOOL;
    case STOA_KIND_DATE:
    case STOA_KIND_TIMESTAMP:
        return from == STOA_KIND_DATE ||
               (from == STOA_KIND_TIMESTAMP && column->type.utc == view->type.utc);
    case STOA_KIND_FLOAT16:
    case STOA_KIND_FLOAT32:
    case STOA_KIND_FLOAT64:
        return stoa_kind_is_float(from) || stoa_kind_is_integer(from);
    case STOA_KIND_STRING:
        return is_text(view);
    case STOA_KIND_DICTIONARY:
        return from == STOA_KIND_DICTIONARY || stoa_kind_is_string(from);
    case STOA_KIND_FIXED_BINARY:
        return from == STOA_KIND_FIXED_BINARY && view->type.width == column->type.width;
    case STOA_KIND_LIST:
        return from == STOA_KIND_LIST || from == STOA_KIND_LARGE_LIST ||
               (column->element.items[0].kind == STOA_KIND_UINT8 &&
                (from == STOA_KIND_BINARY || from == STOA_KIND_LARGE_BINARY));
    case STOA_KIND_FIXED_LIST:
        return from == STOA_KIND_FIXED_LIST && view->type.width == column->type.width;
    case STOA_KIND_STRUCT:
        return from == STOA_KIND_STRUCT;
    default:
        return stoa_kind_is_integer(column->type.kind) && stoa_kind_is_integer(from);
    }
}

stoa_status stoa_column_accepts(const stoa_column *column, const stoa_view *view, stoa_error *err)
{
    char theirs[64];
    char ours[64];

    if (view->null_count == view->length || kinds_fit(column, view)) {
        return STOA_OK;
    }
    return stoa_fail(err, STOA_ETYPE, "column '%s' is %s; %s does not go into it", column->name,
                     stoa_type_name(&column->type, ours), stoa_type_name(&view->type, theirs));
}

bool stoa_column_holds(const stoa_column *column, const stoa_domain *domain)
{
    const stoa_element *element = &column->element;

    if (domain->n_values == 0) {
        return true;
    }
    switch (column->type.kind) {
    case STOA_KIND_STRING:
        if (element->class == STOA_ELEMENT_STRING) {
            return true;
        }
        return domain->longest <= element->size - (element->padding == H5T_STR_NULLTERM ? 1 : 0);
    case STOA_KIND_FLOAT16:
        return domain->is_float16;
    case STOA_KIND_FLOAT32:
        return domain->is_float32;
    case STOA_KIND_FLOAT64:
        return true;
    default:
        return !stoa_kind_is_integer(column->type.kind) ||
               stoa_domain_fits(domain, column->type.kind);
    }
}

/* Store the low bytes of an integer that is known to fit. */
static void put_integer(uint8_t *out, size_t size, int64_t value)
{
    const uint64_t bits = (uint64_t)value;
    const uint8_t u8 = (uint8_t)bits;
    const uint16_t u16 = (uint16_t)bits;
    const uint32_t u32 = (uint32_t)bits;

    switch (size) {
    case 1:
        *out = u8;
        break;
    case 2:
        memcpy(out, &u16, sizeof u16);
        break;
    case 4:
        memcpy(out, &u32, sizeof u32);
        break;
    default:
        memcpy(out, &bits, sizeof bits);
        break;
    }
}

static void put_float(uint8_t *out, stoa_kind kind, double value)
{
    const float narrow = (float)value;
    const uint16_t half = stoa_f32_to_f16(narrow);

    if (kind == STOA_KIND_FLOAT16) {
        memcpy(out, &half, sizeof half);
    } else if (kind == STOA_KIND_FLOAT32) {
        memcpy(out, &narrow, sizeof narrow);
    } else {
        memcpy(out, &value, sizeof value);
    }
}

/* A string without NUL where its storage would end it (STOA_ELOSS otherwise). */
static stoa_status put_string(const stoa_element *element, const char *text, size_t length,
                              uint8_t *out, stoa_error *err)
{
    const char last = length > 0 ? text[length - 1] : 'x';

    if (element->class == STOA_ELEMENT_STRING) {
        if (length > 0 && memchr(text, '\0', length) != NULL) {
            return stoa_fail(err, STOA_ELOSS,
                             "a value holds a NUL byte, which ends a variable-length string");
        }
        char *copy = stoa_strndup(text, length);
        if (copy == NULL) {
            return stoa_fail_memory(err);
        }
        memcpy(out, &copy, sizeof copy);
        return STOA_OK;
    }
    if (length > element->size ||
        (element->padding == H5T_STR_NULLTERM &&
         (length == element->size || (length > 0 && memchr(text, '\0', length) != NULL))) ||
        (element->padding == H5T_STR_NULLPAD && last == '\0') ||
        (element->padding == H5T_STR_SPACEPAD && last == ' ')) {
        return stoa_fail(err, STOA_ELOSS, "a string of %zu bytes does not survive as %s", length,
                         element->text);
    }
    memset(out, element->padding == H5T_STR_SPACEPAD ? ' ' : 0, element->size);
    if (length > 0) {
        memcpy(out, text, length);
    }
    return STOA_OK;
}

/* The code of an enumeration's member of that name. */
static stoa_status put_member(const stoa_element *element, const char *text, size_t length,
                              uint8_t *out, stoa_error *err)
{
    for (size_t i = 0; i < element->n_members; i++) {
        if (strlen(element->names[i]) == length && memcmp(element->names[i], text, length) == 0) {
            put_integer(out, element->size, element->codes[i]);
            return STOA_OK;
        }
    }
    return stoa_fail(err, STOA_ETYPE, "'%.*s' is no member of the enumeration",
                     (int)(length < 80 ? length : 80), text);
}

/* A sequence's items into memory that libhdf5 will free. */
static stoa_status put_sequence(const stoa_element *element, const stoa_view *view, int64_t i,
                                uint8_t *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_element *item = &element->items[0];
    stoa_view items;
    int64_t first = 0;
    int64_t count = 0;
    hvl_t sequence = {0, NULL};

    if (view->type.kind == STOA_KIND_BINARY || view->type.kind == STOA_KIND_LARGE_BINARY) {
        const char *bytes = stoa_view_bytes(view, i, &sequence.len);
        sequence.p = stoa_alloc(sequence.len, 1);
        if (sequence.p == NULL) {
            return stoa_fail_memory(err);
        }
        if (sequence.len > 0) {
            memcpy(sequence.p, bytes, sequence.len);
        }
        memcpy(out, &sequence, sizeof sequence);
        return STOA_OK;
    }
    STOA_TRY(stoa_view_child(view, 0, &items, err));
    stoa_view_range(view, i, &first, &count);
    sequence.len = (size_t)count;
    sequence.p = stoa_alloc_zero((size_t)count, item->size);
    if (sequence.p == NULL) {
        STOA_TRY(stoa_fail_memory(err));
    }
    memcpy(out, &sequence, sizeof sequence);
    for (int64_t k = 0; k < count; k++) {
        STOA_TRY(stoa_element_encode(item, &items, first + k,
                                     (uint8_t *)sequence.p + (size_t)k * item->size, err));
    }

done:
    return status;
}

static stoa_status encode_nested(const stoa_element *element, const stoa_view *view, int64_t i,
                                 uint8_t *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_view child;

    if (element->class == STOA_ELEMENT_VLEN) {
        return put_sequence(element, view, i, out, err);
    }
    if (element->class == STOA_ELEMENT_ARRAY) {
        int64_t first;
        int64_t count;
        STOA_TRY(stoa_view_child(view, 0, &child, err));
        stoa_view_range(view, i, &first, &count);
        for (int64_t k = 0; k < count && k < (int64_t)element->n_items; k++) {
            STOA_TRY(stoa_element_encode(&element->items[0], &child, first + k,
                                         out + (size_t)k * element->items[0].size, err));
        }
        goto done;
    }
    if (view->array->n_children != (int64_t)element->n_members) {
        STOA_FAIL(err, STOA_ETYPE, "a struct of %lld fields does not go into a %s",
                  (long long)view->array->n_children, element->text);
    }
    for (size_t k = 0; k < element->n_members; k++) {
        STOA_TRY(stoa_view_child(view, (int64_t)k, &child, err));
        if (strcmp(child.schema->name, element->names[k]) != 0) {
            STOA_FAIL(err, STOA_ETYPE, "field %zu is called '%s', not '%s'", k + 1,
                      child.schema->name, element->names[k]);
        }
        STOA_TRY(
            stoa_element_encode(&element->items[k], &child, i, out + element->offsets[k], err));
    }

done:
    return status;
}

stoa_status stoa_element_encode(const stoa_element *element, const stoa_view *view, int64_t i,
                                uint8_t *out, stoa_error *err)
{
    const stoa_kind from = view->type.kind;
    char name[64];
    size_t length;

    if (stoa_view_is_null(view, i)) {
        return stoa_fail(err, STOA_ELOSS, "a missing value inside a %s cannot be stored",
                         element->text);
    }
    switch (element->class) {
    case STOA_ELEMENT_INTEGER:
        if (stoa_kind_is_integer(from) || stoa_kind_is_time(from) || from == STOA_KIND_BOOL) {
            put_integer(out, element->size, stoa_view_i64(view, i));
            return STOA_OK;
        }
        break;
    case STOA_ELEMENT_FLOAT:
        if (stoa_kind_is_float(from)) {
            put_float(out, element->kind, stoa_view_f64(view, i));
            return STOA_OK;
        }
        if (stoa_kind_is_integer(from)) {
            const int64_t value = stoa_view_i64(view, i);
            put_float(out, element->kind,
                      from == STOA_KIND_UINT64 ? (double)(uint64_t)value : (double)value);
            return STOA_OK;
        }
        break;
    case STOA_ELEMENT_FIXED_STRING:
    case STOA_ELEMENT_STRING:
    case STOA_ELEMENT_ENUM:
    case STOA_ELEMENT_OPAQUE: {
        stoa_view labels = *view;
        int64_t at = i;
        if (from == STOA_KIND_DICTIONARY) {
            const stoa_status status = stoa_view_dictionary(view, &labels, err);
            if (status != STOA_OK) {
                return status;
            }
            at = stoa_view_i64(view, i);
        }
        if (element->class == STOA_ELEMENT_OPAQUE) {
            if (from != STOA_KIND_FIXED_BINARY) {
                break;
            }
            memcpy(out, stoa_view_bytes(&labels, at, &length), element->size);
            return STOA_OK;
        }
        if (!stoa_kind_is_string(labels.type.kind)) {
            break;
        }
        const char *text = stoa_view_bytes(&labels, at, &length);
        return element->class == STOA_ELEMENT_ENUM ? put_member(element, text, length, out, err)
                                                   : put_string(element, text, length, out, err);
    }
    case STOA_ELEMENT_COMPOUND:
    case STOA_ELEMENT_ARRAY:
    case STOA_ELEMENT_VLEN:
        return encode_nested(element, view, i, out, err);
    }
    return stoa_fail(err, STOA_ETYPE, "%s does not go into %s", stoa_type_name(&view->type, name),
                     element->text);
}

/* Presented ticks of the view as stored counts of the column. */
static stoa_status encode_times(const stoa_column *column, const stoa_view *view, uint8_t *out,
                                stoa_error *err)
{
    static const int64_t per_second[] = {
        [STOA_TIME_SECOND] = 1,
        [STOA_TIME_MILLI] = 1000,
        [STOA_TIME_MICRO] = 1000000,
        [STOA_TIME_NANO] = 1000000000,
    };
    const stoa_element *element = &column->element;
    const bool from_days = view->type.unit == STOA_TIME_DAY;
    const bool to_days = column->time.unit == STOA_TIME_DAY;
    /* ticks of the view * up / down = ticks of the column, exactly */
    const int64_t up = from_days ? (to_days ? 1 : 86400 * per_second[column->time.unit])
                                 : (to_days ? 1 : per_second[column->time.unit]);
    const int64_t down =
        from_days ? 1
                  : (to_days ? 86400 * per_second[view->type.unit] : per_second[view->type.unit]);

    for (int64_t i = 0; i < view->length; i++) {
        int64_t tick;
        if (stoa_view_is_null(view, i)) {
            continue;
        }
        const int64_t given = stoa_view_i64(view, i);
        const int64_t common = up % down == 0 ? down : (down % up == 0 ? up : 1);
        if (__builtin_mul_overflow(given, up / common, &tick) || tick % (down / common) != 0) {
            return stoa_fail(err, STOA_ELOSS,
                             "'%s' counts %s; a time that is finer or out of range would lose "
                             "digits",
                             column->name, column->units);
        }
        tick /= down / common;
        if (__builtin_sub_overflow(tick, column->time.epoch_ticks, &tick) ||
            tick % column->time.ticks_per != 0) {
            return stoa_fail(err, STOA_ELOSS, "'%s' counts %s; a time between two would be lost",
                             column->name, column->units);
        }
        tick /= column->time.ticks_per;
        if (tick > (int64_t)(stoa_kind_max(element->kind) & INT64_MAX) ||
            tick < stoa_kind_min(element->kind)) {
            return stoa_fail(err, STOA_ERANGE, "'%s' is %s and cannot hold %lld %s", column->name,
                             element->text, (long long)tick, column->units);
        }
        put_integer(out + (size_t)i * element->size, element->size, tick);
    }
    return STOA_OK;
}

static void encode_codes(const stoa_column *column, const stoa_view *view, const int64_t *codes,
                         uint8_t *out)
{
    const size_t size = column->element.size;
    const bool is_dictionary = view->type.kind == STOA_KIND_DICTIONARY;

    for (int64_t i = 0; i < view->length; i++) {
        if (stoa_view_is_null(view, i)) {
            continue;
        }
        const int64_t code = codes[is_dictionary ? stoa_view_i64(view, i) : i];
        if (code >= 0) {
            put_integer(out + (size_t)i * size, size, code);
        }
    }
}

/* Values whose Arrow form is the element itself: one copy, then fills over the nulls. */
static bool is_same_form(const stoa_element *element, const stoa_view *view)
{
    return (element->class == STOA_ELEMENT_INTEGER || element->class == STOA_ELEMENT_FLOAT ||
            element->class == STOA_ELEMENT_OPAQUE) &&
           element->kind == view->type.kind;
}

/* Put the fill value at every null. `codes` as in stoa_column_encode(): a null label is null too.
 */
static stoa_status put_fills(const stoa_column *column, const stoa_view *view, const int64_t *codes,
                             uint8_t *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_element *element = &column->element;
    const bool by_label = codes != NULL && view->type.kind == STOA_KIND_DICTIONARY;
    const char *text = "";

    if (view->null_count == 0 && !by_label) {
        return STOA_OK;
    }
    if (element->class == STOA_ELEMENT_STRING && column->fill != NULL) {
        memcpy(&text, column->fill, sizeof text);
        text = text != NULL ? text : "";
    }
    for (int64_t i = 0; i < view->length; i++) {
        if (!stoa_view_is_null(view, i) && !(by_label && codes[stoa_view_i64(view, i)] < 0)) {
            continue;
        }
        if (column->fill == NULL) {
            STOA_FAIL(err, STOA_ELOSS, "column '%s' has no fill value to store missing values with",
                      column->name);
        }
        if (element->class == STOA_ELEMENT_STRING) {
            STOA_TRY(put_string(element, text, strlen(text), out + (size_t)i * element->size, err));
        } else if (!stoa_element_is_variable(element)) {
            memcpy(out + (size_t)i * element->size, column->fill, element->size);
        }
        /* else: the empty sequence, which zeroed memory is already */
    }

done:
    return status;
}

stoa_status stoa_column_encode_stored(const stoa_column *column, const stoa_view *view,
                                      void **elements, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_element *element = &column->element;
    uint8_t *out = stoa_alloc_zero((size_t)view->length, element->size);

    *elements = NULL;
    if (out == NULL) {
        STOA_TRY(stoa_fail_memory(err));
    }
    if (is_same_form(element, view)) {
        memcpy(out, (const uint8_t *)view->values + (size_t)view->offset * element->size,
               (size_t)view->length * element->size);
    } else {
        for (int64_t i = 0; i < view->length; i++) {
            if (!stoa_view_is_null(view, i)) {
                STOA_TRY(
                    stoa_element_encode(element, view, i, out + (size_t)i * element->size, err));
            }
        }
    }
    STOA_TRY(put_fills(column, view, NULL, out, err));
    *elements = out;
    out = NULL;

done:
    stoa_element_reclaim(element, out, out != NULL ? (size_t)view->length : 0);
    free(out);
    return stoa_at(err, status, "%s", column->name);
}

stoa_status stoa_column_encode(const stoa_column *column, const stoa_view *view,
                               const int64_t *codes, void **elements, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const bool is_all_null = view->null_count == view->length;
    uint8_t *out = NULL;

    *elements = NULL;
    if (!is_all_null && !stoa_column_is_categorical(column) && !column->is_time) {
        return stoa_column_encode_stored(column, view, elements, err);
    }
    out = stoa_alloc_zero((size_t)view->length, column->element.size);
    if (out == NULL) {
        STOA_TRY(stoa_fail_memory(err));
    }
    if (is_all_null) {
        /* of whatever type: nothing to look at */
    } else if (column->is_time) {
        STOA_TRY(encode_times(column, view, out, err));
    } else {
        encode_codes(column, view, codes, out);
    }
    STOA_TRY(put_fills(column, view, is_all_null ? NULL : codes, out, err));
    *elements = out;
    out = NULL;

done:
    free(out);
    return stoa_at(err, status, "%s", column->name);
}
