#include "column/type/parse_value.h"

#include <math.h>
#include <string.h>

#include "column/type/domain.h"
#include "core/text.h"

/* Parse a time or a duration, with or without a query's quotes, into a count of the column's
 * units. */
static stoa_status parse_count(const stoa_value_form *form, const char *text, int64_t *count,
                               stoa_error *err)
{
    const stoa_time_units *units = form->time;
    size_t length = strlen(text);
    stoa_time time;
    int64_t ticks = 0;

    if (length >= 2 && text[0] == '\'' && text[length - 1] == '\'') {
        text++;
        length -= 2;
    }
    if (!stoa_type_parse_ticks(form->type, text, length, &time)) {
        return stoa_fail(err, STOA_EINVAL, "'%.100s' is no %s", text,
                         form->type->kind == STOA_KIND_DURATION ? "duration such as 90s or PT1M30S"
                                                                : "time as ISO 8601 writes it");
    }
    if (!stoa_time_ticks(&time, units->unit, &ticks) ||
        __builtin_sub_overflow(ticks, units->epoch_ticks, &ticks) ||
        ticks % units->ticks_per != 0) {
        return stoa_fail(err, STOA_ERANGE, "'%s' counts %s, which has no count for %.*s",
                         form->name, form->units, (int)(length < 100 ? length : 100), text);
    }
    *count = ticks / units->ticks_per;
    return STOA_OK;
}

static stoa_status parse_integer(const stoa_value_form *form, const char *text, uint8_t *value,
                                 stoa_error *err)
{
    const stoa_element *element = form->element;
    const size_t length = strlen(text);
    int64_t number = 0;
    uint64_t large = 0;

    if (form->time != NULL) {
        STOA_RETURN_NOT_OK(parse_count(form, text, &number, err));
    } else if (stoa_parse_u64(text, length, &large)) {
        number = (int64_t)large;
    } else if (!stoa_parse_i64(text, length, &number)) {
        return stoa_fail(err, STOA_EINVAL, "'%.100s' is no integer, as '%s' has them", text,
                         form->name);
    }
    const bool is_negative = number < 0 && large == 0;
    if (is_negative ? number < stoa_kind_min(element->kind)
                    : (uint64_t)number > stoa_kind_max(element->kind)) {
        return stoa_fail(err, STOA_ERANGE, "%.100s does not fit into %s", text, element->text);
    }
    stoa_integer_put(value, element->size, number);
    return STOA_OK;
}

/* Parse a number and round it to the column's type, as for a value that is written. */
static stoa_status parse_float(const stoa_value_form *form, const char *text, uint8_t *value,
                               stoa_error *err)
{
    const stoa_element *element = form->element;
    double number = 0;

    if (!stoa_parse_f64(text, strlen(text), &number)) {
        return stoa_fail(err, STOA_EINVAL, "'%.100s' is no number", text);
    }
    const float narrow = (float)number;
    const uint16_t half = stoa_f32_to_f16(narrow);
    bool is_beyond = false;
    if (element->kind == STOA_KIND_FLOAT16) {
        is_beyond = isinf(stoa_f16_to_f32(half));
        memcpy(value, &half, sizeof half);
    } else if (element->kind == STOA_KIND_FLOAT32) {
        is_beyond = isinf(narrow);
        memcpy(value, &narrow, sizeof narrow);
    } else {
        memcpy(value, &number, sizeof number);
    }
    return !is_beyond || isinf(number)
               ? STOA_OK
               : stoa_fail(err, STOA_ERANGE, "%.100s does not fit into %s", text, element->text);
}

static stoa_status parse_string(const stoa_value_form *form, const char *text, uint8_t *value,
                                stoa_error *err)
{
    const stoa_element *element = form->element;
    const size_t length = strlen(text);
    const bool is_padded = element->class == STOA_ELEMENT_FIXED_STRING;

    if (stoa_utf8_valid(text, length) != length) {
        return stoa_fail(err, STOA_EINVAL, "'%.100s' is not UTF-8", text);
    }
    if (!is_padded) {
        memcpy(value, &text, sizeof text);
        return STOA_OK;
    }
    if (length > element->size ||
        (length == element->size && element->padding == H5T_STR_NULLTERM)) {
        return stoa_fail(err, STOA_ERANGE, "'%.100s' does not fit into %s", text, element->text);
    }
    memset(value, element->padding == H5T_STR_SPACEPAD ? ' ' : 0, element->size);
    memcpy(value, text, length);
    return STOA_OK;
}

stoa_status stoa_parse_value(const stoa_value_form *form, const char *text, uint8_t *value,
                             stoa_error *err)
{
    switch (form->element->class) {
    case STOA_ELEMENT_INTEGER:
        return parse_integer(form, text, value, err);
    case STOA_ELEMENT_FLOAT:
        return parse_float(form, text, value, err);
    case STOA_ELEMENT_FIXED_STRING:
    case STOA_ELEMENT_STRING:
        return parse_string(form, text, value, err);
    default:
        return stoa_fail(err, STOA_ETYPE, "'%s' is of %s, which no text is a value of", form->name,
                         form->element->text);
    }
}
