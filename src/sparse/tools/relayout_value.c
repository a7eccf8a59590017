/* The value of elements that become undefined (sparse RFC §4.6, --exclude). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "sparse/array/arrow.h"
#include "sparse/tools/relayout_parts.h"

static bool put_member(const stoa_element *element, const char *text, uint8_t *out)
{
    for (size_t i = 0; i < element->n_members; i++) {
        if (strcmp(element->names[i], text) == 0) {
            stoa_integer_put(out, element->size, element->codes[i]);
            return true;
        }
    }
    return stoa_number_parse(text, element, out);
}

static bool put_string(const stoa_element *element, const char *text, uint8_t *out)
{
    const size_t length = strlen(text);

    if (length > element->size) {
        return false;
    }
    memset(out, element->padding == H5T_STR_SPACEPAD ? ' ' : '\0', element->size);
    memcpy(out, text, length);
    return true;
}

/* Parse a variable-length value: any text for a string, and only the empty sequence as stoa dump
 * shows it. */
static bool put_variable(const stoa_element *element, const char *text, uint8_t *out,
                         stoa_status *status, stoa_error *err)
{
    char *copy = NULL;

    if (element->class == STOA_ELEMENT_VLEN) {
        return strcmp(text, "()") == 0;
    }
    copy = stoa_strdup(text);
    *status = copy != NULL ? STOA_OK : stoa_fail_memory(err);
    memcpy(out, &copy, sizeof copy);
    return true;
}

stoa_status stoa_one_value_of(const char *text, hid_t type, stoa_one_value *value, stoa_error *err)
{
    stoa_element *const element = &value->element;
    bool is_put = false;
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_element_of(type, element, err));
    value->bytes = stoa_alloc_zero(1, element->size);
    STOA_TRY(value->bytes != NULL ? STOA_OK : stoa_fail_memory(err));
    switch (element->class) {
    case STOA_ELEMENT_INTEGER:
    case STOA_ELEMENT_FLOAT:
        is_put = stoa_number_parse(text, element, value->bytes);
        break;
    case STOA_ELEMENT_ENUM:
        is_put = put_member(element, text, value->bytes);
        break;
    case STOA_ELEMENT_FIXED_STRING:
        is_put = put_string(element, text, value->bytes);
        break;
    case STOA_ELEMENT_STRING:
    case STOA_ELEMENT_VLEN:
        is_put = put_variable(element, text, value->bytes, &status, err);
        STOA_TRY(status);
        break;
    default:
        STOA_FAIL(err, STOA_ETYPE, "elements of %s cannot be told by a value", element->text);
    }
    if (!is_put) {
        STOA_FAIL(err, STOA_EINVAL, "'%s' is no value of %s", text, element->text);
    }

done:
    if (status != STOA_OK) {
        stoa_one_value_clear(value);
    }
    return status;
}

/* The text of a variable-length string. */
static char *text_of(const uint8_t *bytes)
{
    char *text = NULL;

    memcpy(&text, bytes, sizeof text);
    return text;
}

void stoa_one_value_clear(stoa_one_value *value)
{
    if (value->bytes != NULL && value->element.class == STOA_ELEMENT_STRING) {
        free(text_of(value->bytes));
    }
    stoa_element_clear(&value->element);
    free(value->bytes);
    *value = (stoa_one_value)STOA_ONE_VALUE_INIT;
}

bool stoa_one_value_is_empty(const stoa_one_value *value)
{
    return value->element.class == STOA_ELEMENT_VLEN ||
           (value->element.class == STOA_ELEMENT_STRING && text_of(value->bytes)[0] == '\0');
}

static bool is_variable_one(const stoa_one_value *value, const uint8_t *element)
{
    hvl_t sequence;

    if (value->element.class == STOA_ELEMENT_VLEN) {
        memcpy(&sequence, element, sizeof sequence);
        return sequence.len == 0;
    }
    const char *const text = text_of(element);
    return strcmp(text != NULL ? text : "", text_of(value->bytes)) == 0;
}

stoa_status stoa_one_value_find(const stoa_one_value *value, hid_t type, uint64_t n,
                                const void *elements, uint8_t *is_it, stoa_error *err)
{
    const stoa_element *const element = &value->element;
    const bool is_nan = stoa_element_is_nan(element, value->bytes);
    const size_t size = H5Tget_size(type);
    uint8_t *own = NULL;
    stoa_status status = STOA_OK;

    if (element->class == STOA_ELEMENT_STRING || element->class == STOA_ELEMENT_VLEN) {
        for (uint64_t i = 0; i < n; i++) {
            is_it[i] = is_variable_one(value, (const uint8_t *)elements + i * size);
        }
        return STOA_OK;
    }
    own = stoa_alloc((size_t)n, size);
    STOA_RETURN_NO_MEMORY(err, own);
    memcpy(own, elements, (size_t)n * size);
    STOA_TRY(stoa_elements_convert(type, element->mem_type, n, &own, err));
    for (uint64_t i = 0; i < n; i++) {
        const uint8_t *const one = own + i * element->size;
        is_it[i] = is_nan ? stoa_element_is_nan(element, one)
                          : stoa_element_equal(element, one, value->bytes);
    }

done:
    free(own);
    return status;
}
