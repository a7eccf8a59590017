#include "column/type/fill.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

/* If sequences may be empty, the fill is a sequence of SEQUENCE_FILL items. STRING_ITEM is the
 * string in it, and in arrays and compounds that contain only strings. */
#define SEQUENCE_FILL 8
#define STRING_ITEM "\1"

/* The recommended fill of each part of a nested element (Table 1). */
static void fill_nested(const stoa_element *element, uint8_t *out)
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
            fill_nested(&element->items[i], out + element->offsets[i]);
        }
        break;
    case STOA_ELEMENT_ARRAY:
        for (size_t i = 0; i < element->n_items; i++) {
            fill_nested(&element->items[0], out + i * element->items[0].size);
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

/* Make a sequence of fill values, long enough not to occur by chance. Its memory is freed like any
 * element's, also after a failure. */
static stoa_status fill_sequence(const stoa_element *element, uint8_t *out, stoa_error *err)
{
    const stoa_element *const item = &element->items[0];
    const hvl_t sequence = {SEQUENCE_FILL, stoa_alloc_zero(SEQUENCE_FILL, item->size)};
    uint8_t *const items = sequence.p;

    STOA_RETURN_NO_MEMORY(err, items);
    memcpy(out, &sequence, sizeof sequence);
    if (item->class == STOA_ELEMENT_VLEN) {
        STOA_RETURN_NOT_OK(fill_sequence(item, items, err)); /* other items stay empty */
        return STOA_OK;
    }
    for (size_t i = 0; i < sequence.len; i++) {
        fill_nested(item, items + i * item->size);
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
            STOA_RETURN_NOT_OK(fill_sequence(element, fill, err));
        }
        break;
    case STOA_ELEMENT_STRING: {
        const char *pointer = text;
        found = stoa_fill_string(domain, text);
        memcpy(fill, &pointer, sizeof pointer);
        break;
    }
    default:
        fill_nested(element, fill);
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
