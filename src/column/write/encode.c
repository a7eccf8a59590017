/* Values are converted exactly or refused. */
#include "column/write/encode.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "column/type/fill.h"
#include "column/type/item_units.h"
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

/* Whether values, no codes, can be labels of a categorical column. */
static bool label_fits(const stoa_column *column, const stoa_type *from)
{
    stoa_type label = {.kind = STOA_KIND_STRING};

    if (column->dictionary_schema.release != NULL &&
        stoa_type_of(&column->dictionary_schema, &label, NULL) != STOA_OK) {
        return false;
    }
    return stoa_kind_is_string(label.kind)    ? stoa_kind_is_string(from->kind)
           : stoa_kind_is_integer(label.kind) ? stoa_kind_is_integer(from->kind)
           : stoa_kind_is_float(label.kind)
               ? stoa_kind_is_float(from->kind) || stoa_kind_is_integer(from->kind)
           : stoa_kind_is_time(label.kind)
               ? stoa_kind_is_time(from->kind) &&
                     (from->kind == STOA_KIND_DATE || label.utc == from->utc)
               : label.kind == from->kind;
}

static bool kinds_fit(const stoa_column *column, const stoa_view *view)
{
    const stoa_kind from = view->type.kind;

    if (stoa_column_is_list_group(column)) { /* list_writer.h looks at the items */
        return stoa_kind_is_list(from);
    }
    switch (column->type.kind) {
    case STOA_KIND_BOOL:
        return from == STOA_KIND_BOOL;
    case STOA_KIND_DATE:
    case STOA_KIND_TIMESTAMP:
        return from == STOA_KIND_DATE ||
               (from == STOA_KIND_TIMESTAMP && column->type.utc == view->type.utc);
    case STOA_KIND_DURATION:
        return from == STOA_KIND_DURATION;
    case STOA_KIND_FLOAT16:
    case STOA_KIND_FLOAT32:
    case STOA_KIND_FLOAT64:
        return stoa_kind_is_float(from) || stoa_kind_is_integer(from);
    case STOA_KIND_STRING:
        return is_text(view);
    case STOA_KIND_DICTIONARY:
        return from == STOA_KIND_DICTIONARY || label_fits(column, &view->type);
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

/* H5T_STD_REF references point to memory of libhdf5, so they cannot be made from given bytes. */
static bool has_reference(const stoa_element *element)
{
    const size_t n = element->class == STOA_ELEMENT_OPAQUE ? 0 : element->n_members;

    for (size_t i = 0; element->items != NULL && i < n; i++) {
        if (has_reference(&element->items[i])) {
            return true;
        }
    }
    return element->is_reference;
}

stoa_status stoa_column_accepts(const stoa_column *column, const stoa_view *view, stoa_error *err)
{
    char theirs[64];
    char ours[64];

    if (has_reference(&column->element)) {
        return stoa_fail(err, STOA_ETYPE, "column '%s' is of references, which cannot be appended",
                         column->name);
    }
    if (view->null_count == view->length || kinds_fit(column, view)) {
        return STOA_OK;
    }
    return stoa_fail(err, STOA_ETYPE, "column '%s' is %s; %s does not go into it", column->name,
                     stoa_type_name(&column->type, ours), stoa_type_name(&view->type, theirs));
}

/* Whether the recommended fill value becomes data, so that a column with another one must declare
 * its range (§8.5). */
static bool lacks_range(const stoa_column *column, const stoa_domain *domain)
{
    stoa_fill range = {.has_range = false};

    if (column->fill != NULL && column->valid_min == NULL && column->valid_max == NULL &&
        column->type.kind != STOA_KIND_BOOL && !column->element.is_bitfield) {
        stoa_fill_declare(&column->element, domain, column->fill, &range);
    }
    return range.has_range;
}

/* Whether the column says that its numbers are narrower than it needs for the values, which is to
 * stay true. */
static bool says_less(const stoa_column *column, const stoa_domain *domain)
{
    return column->narrower != NULL &&
           !stoa_domain_fits(domain, stoa_original_kind(column->narrower, column->element.kind));
}

bool stoa_column_holds(const stoa_column *column, const stoa_domain *domain)
{
    const stoa_element *element = &column->element;

    if (domain->n_values == 0) {
        return true;
    }
    if (says_less(column, domain)) {
        return false;
    }
    if (!element->is_odd &&
        stoa_fill_is_apart(element, column->fill, column->valid_min, column->valid_max)) {
        return stoa_domain_fits(domain, element->kind);
    }
    if (element->is_odd || !stoa_column_spans(column, domain) || lacks_range(column, domain)) {
        return false;
    }
    switch (element->class) {
    case STOA_ELEMENT_INTEGER:
    case STOA_ELEMENT_FLOAT:
        return stoa_domain_fits(domain, element->kind);
    case STOA_ELEMENT_FIXED_STRING:
        return stoa_string_fits(domain, element->size, element->padding) &&
               !(element->charset == H5T_CSET_ASCII && domain->has_wide);
    case STOA_ELEMENT_STRING:
        return !(element->charset == H5T_CSET_ASCII && domain->has_wide);
    default:
        return true;
    }
}

bool stoa_column_fill_is_code(const stoa_column *column, uint64_t n_labels)
{
    const stoa_domain fill = column->fill != NULL
                                 ? stoa_domain_of(column->element.kind, column->fill)
                                 : (stoa_domain){.has_negative = true};

    return !fill.has_negative && fill.high < n_labels;
}

bool stoa_column_holds_codes(const stoa_column *column, uint64_t n_labels)
{
    return n_labels == 0 ||
           (!column->element.is_odd && n_labels - 1 <= stoa_kind_max(column->element.kind) &&
            !stoa_column_fill_is_code(column, n_labels));
}

/* A declared bound as a domain. A bound that is not declared excludes nothing. */
static stoa_domain bound_of(const stoa_element *element, const uint8_t *bound, bool is_low)
{
    const double infinite = is_low ? (double)-INFINITY : (double)INFINITY;
    const int64_t least = INT64_MIN;
    const uint64_t greatest = UINT64_MAX;

    if (bound != NULL) {
        return stoa_domain_of(element->kind, bound);
    }
    if (element->class == STOA_ELEMENT_FLOAT) {
        return stoa_domain_of(STOA_KIND_FLOAT64, &infinite);
    }
    return is_low ? stoa_domain_of(STOA_KIND_INT64, &least)
                  : stoa_domain_of(STOA_KIND_UINT64, &greatest);
}

bool stoa_column_spans(const stoa_column *column, const stoa_domain *domain)
{
    const stoa_element *element = &column->element;
    const bool is_number =
        element->class == STOA_ELEMENT_INTEGER || element->class == STOA_ELEMENT_FLOAT;

    if (!is_number || (column->valid_min == NULL && column->valid_max == NULL) ||
        domain->n_values == 0) {
        return true;
    }
    const stoa_domain low = bound_of(element, column->valid_min, true);
    const stoa_domain high = bound_of(element, column->valid_max, false);
    return stoa_domain_is_within(domain, &low, &high, element->class == STOA_ELEMENT_FLOAT);
}

/* Whether an integer fits into the element. `is_huge`: it is an unsigned value of at least 2^63. */
static bool holds_integer(const stoa_element *element, int64_t value, bool is_huge)
{
    const unsigned bits = 8 * (unsigned)element->size;

    if (stoa_kind_is_unsigned(element->kind)) {
        return is_huge ? bits == 64
                       : value >= 0 && (bits == 64 || (uint64_t)value >> (bits & 63) == 0);
    }
    return !is_huge && (bits == 64 || (value >= -(INT64_C(1) << ((bits - 1) & 63)) &&
                                       value < INT64_C(1) << ((bits - 1) & 63)));
}

static stoa_status put_integer(const stoa_element *element, const stoa_view *view, int64_t i,
                               uint8_t *out, stoa_error *err)
{
    int64_t value = stoa_view_i64(view, i);

    if (!stoa_item_count(element, &view->type, &value)) {
        return stoa_fail(err, STOA_ELOSS, "a time of %lld ticks would lose digits as %s",
                         (long long)value, stoa_time_units_text(element->units.unit, true));
    }
    if (!holds_integer(element, value, view->type.kind == STOA_KIND_UINT64 && value < 0)) {
        return stoa_fail(err, STOA_ELOSS, "%lld does not fit into %s", (long long)value,
                         element->text);
    }
    stoa_integer_put(out, element->size, value);
    return STOA_OK;
}

/* Convert a value to a float of the element's kind, exactly; NaN stays NaN. */
static stoa_status put_float(const stoa_element *element, const stoa_view *view, int64_t i,
                             uint8_t *out, stoa_error *err)
{
    const bool is_integer = stoa_kind_is_integer(view->type.kind);
    const bool is_unsigned = view->type.kind == STOA_KIND_UINT64;
    const int64_t given = is_integer ? stoa_view_i64(view, i) : 0;
    const double value = !is_integer   ? stoa_view_f64(view, i)
                         : is_unsigned ? (double)(uint64_t)given
                                       : (double)given;
    const float narrow = (float)value;
    const uint16_t half = stoa_f32_to_f16(narrow);
    /* The largest integers round to 2^63 and 2^64, which cannot be converted back. */
    bool is_exact =
        !is_integer || (is_unsigned ? value < 0x1p64 && (uint64_t)value == (uint64_t)given
                                    : value < 0x1p63 && (int64_t)value == given);

    if (element->kind == STOA_KIND_FLOAT16) {
        is_exact = is_exact && (isnan(value) || (double)stoa_f16_to_f32(half) == value);
        memcpy(out, &half, sizeof half);
    } else if (element->kind == STOA_KIND_FLOAT32) {
        is_exact = is_exact && (isnan(value) || (double)narrow == value);
        memcpy(out, &narrow, sizeof narrow);
    } else {
        memcpy(out, &value, sizeof value);
    }
    return is_exact ? STOA_OK
                    : stoa_fail(err, STOA_ELOSS, "a number would lose digits as %s", element->text);
}

/* Store a string. STOA_ELOSS if a NUL byte or the padding would end it early. */
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
        STOA_RETURN_NO_MEMORY(err, copy);
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

/* Store the code of the enumeration's member of that name. */
static stoa_status put_member(const stoa_element *element, const char *text, size_t length,
                              uint8_t *out, stoa_error *err)
{
    for (size_t i = 0; i < element->n_members; i++) {
        if (strlen(element->names[i]) == length && memcmp(element->names[i], text, length) == 0) {
            stoa_integer_put(out, element->size, element->codes[i]);
            return STOA_OK;
        }
    }
    return stoa_fail(err, STOA_ETYPE, "'%.*s' is no member of the enumeration",
                     (int)(length < 80 ? length : 80), text);
}

/* Convert one value, nested or not, that is not null. `out` is zeroed. */
static stoa_status encode_value(const stoa_element *element, const stoa_view *view, int64_t i,
                                uint8_t *out, stoa_error *err);

/* Store the items of a sequence in memory that libhdf5 will free. */
static stoa_status put_sequence(const stoa_element *element, const stoa_view *view, int64_t i,
                                uint8_t *out, stoa_error *err)
{
    const stoa_element *item = &element->items[0];
    stoa_view items;
    int64_t first = 0;
    int64_t count = 0;
    hvl_t sequence = {0, NULL};

    if (view->type.kind == STOA_KIND_BINARY || view->type.kind == STOA_KIND_LARGE_BINARY) {
        const char *bytes = stoa_view_bytes(view, i, &sequence.len);
        if (sequence.len == 0) {
            return STOA_OK;
        }
        sequence.p = stoa_alloc(sequence.len, 1);
        STOA_RETURN_NO_MEMORY(err, sequence.p);
        memcpy(sequence.p, bytes, sequence.len);
        memcpy(out, &sequence, sizeof sequence);
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(stoa_view_child(view, 0, &items, err));
    stoa_view_range(view, i, &first, &count);
    if (count == 0) {
        return STOA_OK; /* the zeroed element is the empty sequence */
    }
    sequence.len = (size_t)count;
    sequence.p = stoa_alloc_zero((size_t)count, item->size);
    STOA_RETURN_NO_MEMORY(err, sequence.p);
    memcpy(out, &sequence, sizeof sequence);
    for (int64_t k = 0; k < count; k++) {
        STOA_RETURN_NOT_OK(encode_value(item, &items, first + k,
                                        (uint8_t *)sequence.p + (size_t)k * item->size, err));
    }
    return STOA_OK;
}

static stoa_status put_array(const stoa_element *element, const stoa_view *view, int64_t i,
                             uint8_t *out, stoa_error *err)
{
    const stoa_element *item = &element->items[0];
    stoa_view items;
    int64_t first = 0;
    int64_t count = 0;

    STOA_RETURN_NOT_OK(stoa_view_child(view, 0, &items, err));
    stoa_view_range(view, i, &first, &count);
    for (int64_t k = 0; k < count; k++) {
        STOA_RETURN_NOT_OK(
            encode_value(item, &items, first + k, out + (size_t)k * item->size, err));
    }
    return STOA_OK;
}

static stoa_status put_fields(const stoa_element *element, const stoa_view *view, int64_t i,
                              uint8_t *out, stoa_error *err)
{
    stoa_view child;

    if (view->array->n_children != (int64_t)element->n_members) {
        return stoa_fail(err, STOA_ETYPE, "a struct of %lld fields does not go into a %s",
                         (long long)view->array->n_children, element->text);
    }
    for (size_t k = 0; k < element->n_members; k++) {
        STOA_RETURN_NOT_OK(stoa_view_child(view, (int64_t)k, &child, err));
        const char *name = child.schema->name != NULL ? child.schema->name : "";
        if (strcmp(name, element->names[k]) != 0) {
            return stoa_fail(err, STOA_ETYPE, "field %zu is called '%s', not '%s'", k + 1, name,
                             element->names[k]);
        }
        STOA_RETURN_NOT_OK(
            encode_value(&element->items[k], &child, i, out + element->offsets[k], err));
    }
    return STOA_OK;
}

/* Whether an Arrow value of the type can become an element of the class. The code for each class
 * relies on it. */
static bool goes_into(const stoa_element *element, const stoa_type *type)
{
    switch (element->class) {
    case STOA_ELEMENT_INTEGER:
        return stoa_kind_is_integer(type->kind) || stoa_kind_is_ticks(type->kind) ||
               type->kind == STOA_KIND_BOOL;
    case STOA_ELEMENT_FLOAT:
        return stoa_kind_is_float(type->kind) || stoa_kind_is_integer(type->kind);
    case STOA_ELEMENT_FIXED_STRING:
    case STOA_ELEMENT_STRING:
        return stoa_kind_is_string(type->kind) || type->kind == STOA_KIND_DICTIONARY;
    case STOA_ELEMENT_ENUM:
        return stoa_kind_is_string(type->kind) || type->kind == STOA_KIND_DICTIONARY ||
               (element->is_truth && type->kind == STOA_KIND_BOOL);
    case STOA_ELEMENT_OPAQUE:
        return type->kind == STOA_KIND_FIXED_BINARY && (size_t)type->width == element->size;
    case STOA_ELEMENT_COMPOUND:
        return type->kind == STOA_KIND_STRUCT;
    case STOA_ELEMENT_ARRAY:
        return type->kind == STOA_KIND_FIXED_LIST && (size_t)type->width == element->n_items;
    case STOA_ELEMENT_VLEN:
        return type->kind == STOA_KIND_LIST || type->kind == STOA_KIND_LARGE_LIST ||
               (element->items[0].class == STOA_ELEMENT_INTEGER &&
                element->items[0].kind == STOA_KIND_UINT8 &&
                (type->kind == STOA_KIND_BINARY || type->kind == STOA_KIND_LARGE_BINARY));
    }
    return false;
}

/* Store a string or a dictionary's label as a string or an enumeration's member. */
static stoa_status put_text(const stoa_element *element, const stoa_view *view, int64_t i,
                            uint8_t *out, stoa_error *err)
{
    stoa_view labels = *view;
    size_t length = 0;

    if (view->type.kind == STOA_KIND_DICTIONARY) {
        STOA_RETURN_NOT_OK(stoa_view_dictionary(view, &labels, err));
        i = stoa_view_i64(view, i);
    }
    if (!stoa_kind_is_string(labels.type.kind) || stoa_view_is_null(&labels, i)) {
        return stoa_fail(err, STOA_ETYPE, "a label that is no string does not go into %s",
                         element->text);
    }
    const char *text = stoa_view_bytes(&labels, i, &length);
    return element->class == STOA_ELEMENT_ENUM ? put_member(element, text, length, out, err)
                                               : put_string(element, text, length, out, err);
}

static stoa_status encode_value(const stoa_element *element, const stoa_view *view, int64_t i,
                                uint8_t *out, stoa_error *err)
{
    char name[64];
    size_t length;

    if (stoa_view_is_null(view, i)) {
        return stoa_fail(err, STOA_ELOSS,
                         "a missing value inside a %s cannot be stored, since no fill value "
                         "stands for it there; give it a value, or leave the column out",
                         element->text);
    }
    if (!goes_into(element, &view->type)) {
        return stoa_fail(err, STOA_ETYPE, "%s does not go into %s",
                         stoa_type_name(&view->type, name), element->text);
    }
    switch (element->class) {
    case STOA_ELEMENT_INTEGER:
        return put_integer(element, view, i, out, err);
    case STOA_ELEMENT_FLOAT:
        return put_float(element, view, i, out, err);
    case STOA_ELEMENT_FIXED_STRING:
    case STOA_ELEMENT_STRING:
        return put_text(element, view, i, out, err);
    case STOA_ELEMENT_ENUM:
        return view->type.kind == STOA_KIND_BOOL ? put_integer(element, view, i, out, err)
                                                 : put_text(element, view, i, out, err);
    case STOA_ELEMENT_OPAQUE:
        memcpy(out, stoa_view_bytes(view, i, &length), element->size);
        return STOA_OK;
    case STOA_ELEMENT_COMPOUND:
        return put_fields(element, view, i, out, err);
    case STOA_ELEMENT_ARRAY:
        return put_array(element, view, i, out, err);
    case STOA_ELEMENT_VLEN:
        return put_sequence(element, view, i, out, err);
    }
    return STOA_OK;
}

/* Whether the Arrow form of values is that of elements. Then they are copied at once, and fills put
 * over the nulls. */
static bool is_same_form(const stoa_element *element, const stoa_view *view)
{
    return (element->class == STOA_ELEMENT_INTEGER || element->class == STOA_ELEMENT_FLOAT ||
            element->class == STOA_ELEMENT_OPAQUE) &&
           element->kind == view->type.kind && goes_into(element, &view->type);
}

/* Store the fill value at every null. */
static stoa_status put_fills(const stoa_column *column, const stoa_view *view, uint8_t *out,
                             stoa_error *err)
{
    const stoa_element *element = &column->element;

    if (view->null_count == 0) {
        return STOA_OK;
    }
    if (column->fill == NULL) {
        return stoa_fail(err, STOA_ELOSS,
                         "column '%s' has no fill value to store missing values with",
                         column->name);
    }
    for (int64_t i = 0; i < view->length;) {
        int64_t first = i;
        const int64_t n = stoa_view_run(view, &first);
        const int64_t end = n != 0 ? first : view->length;
        for (; i < end; i++) {
            STOA_RETURN_NOT_OK(
                stoa_element_copy(element, column->fill, out + (size_t)i * element->size, err));
        }
        i += n;
    }
    return STOA_OK;
}

stoa_status stoa_column_encode(const stoa_column *column, const stoa_view *view, void **elements,
                               stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_element *element = &column->element;
    const bool has_values = view->null_count < view->length;
    const bool is_copied = has_values && is_same_form(element, view);
    uint8_t *out = is_copied ? stoa_alloc((size_t)view->length, element->size)
                             : stoa_alloc_zero((size_t)view->length, element->size);

    *elements = NULL;
    STOA_TRY(out != NULL ? STOA_OK : stoa_fail_memory(err));
    if (is_copied) {
        memcpy(out, (const uint8_t *)view->values + (size_t)view->offset * element->size,
               (size_t)view->length * element->size);
    } else {
        for (int64_t i = 0; has_values && i < view->length; i++) {
            if (!stoa_view_is_null(view, i)) {
                STOA_TRY(encode_value(element, view, i, out + (size_t)i * element->size, err));
            }
        }
    }
    STOA_TRY(put_fills(column, view, out, err));
    *elements = out;
    out = NULL;

done:
    stoa_element_reclaim(element, out, out != NULL ? (size_t)view->length : 0);
    free(out);
    return stoa_at(err, status, "%s", column->name);
}
