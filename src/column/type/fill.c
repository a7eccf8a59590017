#include "column/type/fill.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "column/type/datatype.h"
#include "core/memory.h"

/* If sequences may be empty, the fill is a sequence of SEQUENCE_FILL items. STRING_ITEM is the
 * string in it, and in arrays and compounds that contain only strings. */
#define SEQUENCE_FILL 8
#define STRING_ITEM "\1"

/* Of each part (Table 1). */
void stoa_fill_parts(const stoa_element *element, uint8_t *out)
{
    static const stoa_domain nothing = {0};
    stoa_fill fill = {0};

    switch (element->class) {
    case STOA_ELEMENT_INTEGER:
    case STOA_ELEMENT_ENUM:
        (void)stoa_fill_integer(&nothing, element->kind, &fill);
        memcpy(out, fill.value, element->size);
        break;
    case STOA_ELEMENT_FLOAT:
        (void)stoa_fill_float(&nothing, element->kind, &fill);
        memcpy(out, fill.value, element->size);
        break;
    case STOA_ELEMENT_COMPOUND:
        for (size_t i = 0; i < element->n_members; i++) {
            stoa_fill_parts(&element->items[i], out + element->offsets[i]);
        }
        break;
    case STOA_ELEMENT_ARRAY:
        for (size_t i = 0; i < element->n_items; i++) {
            stoa_fill_parts(&element->items[0], out + i * element->items[0].size);
        }
        break;
    case STOA_ELEMENT_OPAQUE:
        memset(out, element->is_reference ? 0 : 0xff, element->size);
        break;
    case STOA_ELEMENT_FIXED_STRING:
    case STOA_ELEMENT_STRING:
    case STOA_ELEMENT_VLEN:
        /* the empty string, the empty sequence: all zero bytes */
        memset(out, 0, element->size);
        break;
    }
}

/* Make a sequence of n fill values, long enough not to occur by chance. Its memory is freed like
 * any element's, also after a failure. */
static stoa_status fill_sequence(const stoa_element *element, size_t n, uint8_t *out,
                                 stoa_error *err)
{
    const stoa_element *const item = &element->items[0];
    const hvl_t sequence = {n, stoa_alloc_zero(n, item->size)};
    uint8_t *const items = sequence.p;

    STOA_RETURN_NO_MEMORY(err, items);
    memcpy(out, &sequence, sizeof sequence);
    if (item->class == STOA_ELEMENT_VLEN) {
        STOA_RETURN_NOT_OK(fill_sequence(item, n, items, err)); /* other items stay empty */
        return STOA_OK;
    }
    for (size_t i = 0; i < sequence.len; i++) {
        stoa_fill_parts(item, items + i * item->size);
        if (item->class == STOA_ELEMENT_STRING) {
            char *const text = stoa_strdup(STRING_ITEM);
            STOA_RETURN_NO_MEMORY(err, text);
            memcpy(items + i * item->size, &text, sizeof text);
        }
    }
    return STOA_OK;
}

/* Whether a nested element contains only strings. Then a value of empty strings would equal the
 * recommended fill. */
static bool is_all_strings(const stoa_element *element)
{
    const size_t n = element->class == STOA_ELEMENT_COMPOUND ? element->n_members : 1;
    bool is_so = element->class == STOA_ELEMENT_STRING;

    if (element->class == STOA_ELEMENT_ARRAY || element->class == STOA_ELEMENT_COMPOUND) {
        is_so = n > 0;
        for (size_t i = 0; i < n; i++) {
            is_so = is_so && is_all_strings(&element->items[i]);
        }
    }
    return is_so;
}

static void fill_strings(const stoa_element *element, const char *text, uint8_t *out)
{
    if (element->class == STOA_ELEMENT_STRING) {
        memcpy(out, &text, sizeof text);
    }
    for (size_t i = 0; element->class == STOA_ELEMENT_ARRAY && i < element->n_items; i++) {
        fill_strings(&element->items[0], text, out + i * element->items[0].size);
    }
    for (size_t i = 0; element->class == STOA_ELEMENT_COMPOUND && i < element->n_members; i++) {
        fill_strings(&element->items[i], text, out + element->offsets[i]);
    }
}

stoa_status stoa_fill_choose(const stoa_element *element, const stoa_domain *domain, uint8_t *fill,
                             char text[2], stoa_fill *range, stoa_error *err)
{
    bool found = true;

    *range = (stoa_fill){0};
    text[0] = text[1] = '\0';
    switch (element->class) {
    case STOA_ELEMENT_INTEGER:
        found = stoa_fill_integer(domain, element->kind, range);
        memcpy(fill, range->value, element->size);
        break;
    case STOA_ELEMENT_FLOAT:
        found = stoa_fill_float(domain, element->kind, range);
        memcpy(fill, range->value, element->size);
        break;
    case STOA_ELEMENT_FIXED_STRING:
        found = stoa_fill_string(domain, text);
        memset(fill, element->padding == H5T_STR_SPACEPAD ? ' ' : 0, element->size);
        if (text[0] != '\0') {
            fill[0] = (uint8_t)text[0];
        }
        break;
    case STOA_ELEMENT_OPAQUE: {
        uint8_t byte = 0;
        found = element->is_reference || stoa_fill_opaque(domain, &byte);
        memset(fill, byte, element->size);
        break;
    }
    case STOA_ELEMENT_VLEN:
        if (domain->has_empty) { /* otherwise zero bytes, the empty sequence */
            STOA_RETURN_NOT_OK(fill_sequence(element, SEQUENCE_FILL, fill, err));
        }
        break;
    case STOA_ELEMENT_STRING: {
        const char *pointer = text;
        found = stoa_fill_string(domain, text);
        memcpy(fill, &pointer, sizeof pointer);
        break;
    }
    default:
        stoa_fill_parts(element, fill);
        if (is_all_strings(element)) {
            memcpy(text, STRING_ITEM, sizeof STRING_ITEM);
            fill_strings(element, text, fill);
        }
        break;
    }
    if (!found) {
        return stoa_fail(
            err, STOA_ELOSS,
            "%s has no value left to stand for 'missing' (HEP001 §8.5); store it as strings",
            element->text);
    }
    return STOA_OK;
}

bool stoa_fill_is_known(const stoa_element *element, const stoa_domain *domain)
{
    stoa_kind kind = element->kind;
    stoa_fill fill;
    char text;
    uint8_t byte;

    switch (element->class) {
    case STOA_ELEMENT_INTEGER:
        return stoa_choose_integer(domain, kind, &kind, &fill);
    case STOA_ELEMENT_FLOAT:
        return stoa_fill_float(domain, stoa_choose_float(domain, kind), &fill);
    case STOA_ELEMENT_FIXED_STRING:
    case STOA_ELEMENT_STRING:
        return stoa_fill_string(domain, &text);
    case STOA_ELEMENT_OPAQUE:
        return !element->is_reference && stoa_fill_opaque(domain, &byte);
    default:
        return false;
    }
}

static void declare_integer(stoa_kind kind, int64_t fill, stoa_fill *range)
{
    const size_t size = (size_t)stoa_kind_width(kind);
    const int64_t low = stoa_kind_min(kind);
    const uint64_t high = stoa_kind_max(kind);
    /* Of the bits as an unsigned number; both sides have at most 2^64 - 1 values. */
    const uint64_t below = (uint64_t)fill - (uint64_t)low;
    const bool is_below = below > high - (uint64_t)fill;

    stoa_integer_put(range->valid_min, size, is_below ? low : fill + 1);
    stoa_integer_put(range->valid_max, size, is_below ? fill - 1 : (int64_t)high);
}

static void declare_float(stoa_kind kind, double fill, stoa_fill *range)
{
    const double above = kind == STOA_KIND_FLOAT32 ? (double)nextafterf((float)fill, INFINITY)
                                                   : nextafter(fill, INFINITY);
    const double below = kind == STOA_KIND_FLOAT32 ? (double)nextafterf((float)fill, -INFINITY)
                                                   : nextafter(fill, -INFINITY);

    stoa_float_put(range->valid_min, kind, fill < 0 ? above : -INFINITY);
    stoa_float_put(range->valid_max, kind, fill >= 0 ? below : INFINITY);
}

void stoa_fill_declare(const stoa_element *element, const stoa_domain *domain, const uint8_t *fill,
                       stoa_fill *range)
{
    const stoa_kind kind = element->kind;
    const stoa_domain of_fill =
        element->class == STOA_ELEMENT_INTEGER || element->class == STOA_ELEMENT_FLOAT
            ? stoa_domain_of(kind, fill)
            : (stoa_domain){0};

    *range = (stoa_fill){.has_range = false};
    if (element->class == STOA_ELEMENT_INTEGER && !element->is_odd) {
        const unsigned bit = 1u << (kind - STOA_KIND_INT8);
        range->has_range = (domain->sentinels & bit) != 0 && (of_fill.sentinels & bit) == 0;
    } else if (element->class == STOA_ELEMENT_FLOAT && kind != STOA_KIND_FLOAT16) {
        range->has_range = domain->has_float_fill && !of_fill.has_float_fill;
    }
    if (range->has_range && element->class == STOA_ELEMENT_INTEGER) {
        declare_integer(kind, of_fill.has_negative ? of_fill.low : (int64_t)of_fill.high, range);
    } else if (range->has_range) {
        declare_float(kind, of_fill.has_number ? of_fill.low_f : (double)NAN, range);
    }
}

/* Whether Stoa has chosen a fill of 64 bits that is no end of the type. It is a neighbour of the
 * recommended fill, or it was searched, and most of its bytes are 1. */
static bool is_own_choice(stoa_kind kind, const uint8_t *fill)
{
    int64_t value = 0;
    bool is = false;

    memcpy(&value, fill, sizeof value);
    for (int k = 0; k < STOA_N_SPARES; k++) {
        is = is || value == stoa_kind_spare(kind, k);
    }
    return is || (value & UINT32_MAX) == STOA_FILL_ONES;
}

bool stoa_fill_is_apart(const stoa_element *element, const uint8_t *fill, const uint8_t *valid_min,
                        const uint8_t *valid_max)
{
    static const stoa_domain all = {.sentinels = UINT8_MAX};
    stoa_fill range;

    if (element->class != STOA_ELEMENT_INTEGER || element->size != sizeof(int64_t) ||
        fill == NULL || valid_min == NULL || valid_max == NULL ||
        !is_own_choice(element->kind, fill)) {
        return false;
    }
    stoa_fill_declare(element, &all, fill, &range);
    return range.has_range && memcmp(valid_min, range.valid_min, element->size) == 0 &&
           memcmp(valid_max, range.valid_max, element->size) == 0;
}

/* Set every string in an element to a text. */
static stoa_status put_strings(const stoa_element *element, const char *text, uint8_t *out,
                               stoa_error *err)
{
    const size_t n = element->class == STOA_ELEMENT_COMPOUND ? element->n_members
                     : element->class == STOA_ELEMENT_ARRAY  ? element->n_items
                                                             : 0;

    if (element->class == STOA_ELEMENT_STRING) {
        char *const own = stoa_strdup(text);
        STOA_RETURN_NO_MEMORY(err, own);
        memcpy(out, &own, sizeof own);
    }
    for (size_t i = 0; i < n; i++) {
        const bool is_array = element->class == STOA_ELEMENT_ARRAY;
        const stoa_element *const part = &element->items[is_array ? 0 : i];
        STOA_RETURN_NOT_OK(
            put_strings(part, text, out + (is_array ? i * part->size : element->offsets[i]), err));
    }
    return STOA_OK;
}

/* Set every sequence in an element to n fill values. */
static stoa_status put_sequences(const stoa_element *element, size_t n_items, uint8_t *out,
                                 stoa_error *err)
{
    const size_t n = element->class == STOA_ELEMENT_COMPOUND ? element->n_members
                     : element->class == STOA_ELEMENT_ARRAY  ? element->n_items
                                                             : 0;

    if (element->class == STOA_ELEMENT_VLEN) {
        return fill_sequence(element, n_items, out, err);
    }
    for (size_t i = 0; i < n; i++) {
        const bool is_array = element->class == STOA_ELEMENT_ARRAY;
        const stoa_element *const part = &element->items[is_array ? 0 : i];
        STOA_RETURN_NOT_OK(put_sequences(
            part, n_items, out + (is_array ? i * part->size : element->offsets[i]), err));
    }
    return STOA_OK;
}

stoa_status stoa_fill_candidate(const stoa_element *element, unsigned number, uint8_t *fill,
                                stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t length = (size_t)1 << number;
    char *text = stoa_alloc_zero(length + 1, 1);

    STOA_RETURN_NO_MEMORY(err, text);
    memset(text, STRING_ITEM[0], length);
    stoa_fill_parts(element, fill);
    STOA_TRY(put_strings(element, text, fill, err));
    STOA_TRY(put_sequences(element, SEQUENCE_FILL << number, fill, err));

done:
    free(text);
    return status;
}
