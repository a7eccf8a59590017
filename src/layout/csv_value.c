/* Texts into typed values, and values into Arrow arrays. */
#include "layout/csv_value.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Texts into values ------------------------------------------------------------------------- */

/* Bounds of a signed or small unsigned kind. */
static bool in_range(stoa_kind kind, int64_t value)
{
    switch (kind) {
    case STOA_KIND_INT8:
        return value >= INT8_MIN && value <= INT8_MAX;
    case STOA_KIND_INT16:
        return value >= INT16_MIN && value <= INT16_MAX;
    case STOA_KIND_INT32:
        return value >= INT32_MIN && value <= INT32_MAX;
    case STOA_KIND_UINT8:
        return value >= 0 && value <= UINT8_MAX;
    case STOA_KIND_UINT16:
        return value >= 0 && value <= UINT16_MAX;
    case STOA_KIND_UINT32:
        return value >= 0 && value <= UINT32_MAX;
    default:
        return true;
    }
}

static bool parse_bool(const char *text, size_t length, int64_t *value)
{
    static const char *const words[] = {"false", "true"};

    for (int k = 0; k < 2; k++) {
        size_t i = 0;
        while (i < length && words[k][i] != '\0' && (text[i] | 0x20) == words[k][i]) {
            i++;
        }
        if (i == length && words[k][i] == '\0' && i > 0) {
            *value = k;
            return true;
        }
    }
    *value = length == 1 ? text[0] - '0' : -1;
    return *value == 0 || *value == 1;
}

/* Infinity is a float only where it is written, not where a number is too large. */
static bool parse_float(const stoa_type *type, const char *text, size_t length, double *value)
{
    if (!stoa_parse_f64(text, length, value)) {
        return false;
    }
    if (isinf(*value)) {
        return memchr(text, 'n', length) != NULL || memchr(text, 'N', length) != NULL;
    }
    return type->kind != STOA_KIND_FLOAT32 || isnan(*value) || isfinite((float)*value);
}

static bool parse_time(const stoa_type *type, const char *text, size_t length, int64_t *value)
{
    stoa_time time;

    if (!stoa_parse_time(text, length, &time)) {
        return false;
    }
    if (type->kind == STOA_KIND_DATE) {
        return !time.has_time && stoa_time_ticks(&time, STOA_TIME_DAY, value) &&
               *value >= INT32_MIN && *value <= INT32_MAX;
    }
    if (type->unit == STOA_TIME_DAY) {
        return true;
    }
    return time.has_zone == type->utc && stoa_time_ticks(&time, type->unit, value);
}

bool stoa_csv_value_parse(const stoa_type *type, const stoa_strings *labels, const char *text,
                          size_t length, stoa_csv_value *value)
{
    uint64_t bits;
    uint32_t code;

    *value = (stoa_csv_value){.text = text, .length = length};
    switch (type->kind) {
    case STOA_KIND_STRING:
        return true;
    case STOA_KIND_DICTIONARY:
        if (!stoa_strings_find(labels, text, length, &code)) {
            return false;
        }
        value->i = (int64_t)code;
        return true;
    case STOA_KIND_BOOL:
        return parse_bool(text, length, &value->i);
    case STOA_KIND_FLOAT32:
    case STOA_KIND_FLOAT64:
        return parse_float(type, text, length, &value->f);
    case STOA_KIND_DATE:
    case STOA_KIND_TIMESTAMP:
        return parse_time(type, text, length, &value->i);
    case STOA_KIND_UINT64:
        if (!stoa_parse_u64(text, length, &bits)) {
            return false;
        }
        value->i = (int64_t)bits;
        return true;
    default:
        return stoa_parse_i64(text, length, &value->i) && in_range(type->kind, value->i);
    }
}

/* Values into arrays ------------------------------------------------------------------------ */

static stoa_status add_bit(stoa_buffer *bits, int64_t i, bool bit, stoa_error *err)
{
    stoa_status status = STOA_OK;

    if ((i & 7) == 0) {
        status = stoa_buffer_grow(bits, 1, err);
    }
    if (status == STOA_OK && bit) {
        stoa_bit_set(bits->data, (uint64_t)i);
    }
    return status;
}

/* An integer in the machine's bytes, `width` of them. */
static stoa_status add_integer(stoa_buffer *values, int32_t width, int64_t value, stoa_error *err)
{
    switch (width) {
    case 1:
        return stoa_buffer_append(values, &(int8_t){(int8_t)value}, 1, err);
    case 2:
        return stoa_buffer_append(values, &(int16_t){(int16_t)value}, 2, err);
    case 4:
        return stoa_buffer_append(values, &(int32_t){(int32_t)value}, 4, err);
    default:
        return stoa_buffer_append(values, &value, sizeof value, err);
    }
}

static stoa_status add_string(stoa_csv_builder *builder, const stoa_csv_value *value,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;

    if (builder->values.size == 0) {
        STOA_TRY(
            stoa_buffer_grow(&builder->values, sizeof(int32_t), err)); /* the first offset: 0 */
    }
    if (!value->is_missing) {
        if (value->length > (size_t)INT32_MAX - builder->bytes.size) {
            STOA_FAIL(err, STOA_ERANGE, "more than 2 GiB of strings in a batch");
        }
        STOA_TRY(stoa_buffer_append(&builder->bytes, value->text, value->length, err));
    }
    STOA_TRY(stoa_buffer_append(&builder->values, &(int32_t){(int32_t)builder->bytes.size},
                                sizeof(int32_t), err));

done:
    return status;
}

stoa_status stoa_csv_builder_add(stoa_csv_builder *builder, const stoa_type *type,
                                 const stoa_csv_value *value, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const bool is_missing = value->is_missing;

    STOA_TRY(add_bit(&builder->validity, builder->n_rows, !is_missing, err));
    switch (type->kind) {
    case STOA_KIND_STRING:
        STOA_TRY(add_string(builder, value, err));
        break;
    case STOA_KIND_BOOL:
        STOA_TRY(add_bit(&builder->values, builder->n_rows, !is_missing && value->i != 0, err));
        break;
    case STOA_KIND_FLOAT64:
        STOA_TRY(stoa_buffer_append(&builder->values, &(double){is_missing ? 0.0 : value->f},
                                    sizeof(double), err));
        break;
    case STOA_KIND_FLOAT32:
        STOA_TRY(stoa_buffer_append(&builder->values, &(float){is_missing ? 0.0f : (float)value->f},
                                    sizeof(float), err));
        break;
    default:
        STOA_TRY(add_integer(&builder->values, type->width, is_missing ? 0 : value->i, err));
        break;
    }
    builder->n_rows++;
    builder->n_missing += is_missing;

done:
    return status;
}

stoa_status stoa_csv_builder_finish(stoa_csv_builder *builder, const stoa_type *type,
                                    struct ArrowArray *array, stoa_error *err)
{
    const int64_t n_rows = builder->n_rows;
    const int64_t n_missing = builder->n_missing;
    const bool is_string = type->kind == STOA_KIND_STRING;

    if (n_missing == 0) {
        stoa_buffer_clear(&builder->validity);
    }
    void *const buffers[] = {stoa_buffer_take(&builder->validity),
                             stoa_buffer_take(&builder->values), stoa_buffer_take(&builder->bytes)};
    builder->n_rows = 0;
    builder->n_missing = 0;
    return stoa_array_make(array, n_rows, n_missing, is_string ? 3 : 2, buffers, err);
}

void stoa_csv_builder_clear(stoa_csv_builder *builder)
{
    stoa_buffer_clear(&builder->validity);
    stoa_buffer_clear(&builder->values);
    stoa_buffer_clear(&builder->bytes);
    *builder = (stoa_csv_builder){0};
}

stoa_status stoa_csv_strings_array(const stoa_strings *strings, struct ArrowArray *array,
                                   stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_type type = {.kind = STOA_KIND_STRING};
    stoa_csv_builder builder = {0};

    /* No labels at all still have one offset. */
    STOA_TRY(stoa_buffer_grow(&builder.values, sizeof(int32_t), err));
    for (uint32_t k = 0; k < strings->count; k++) {
        stoa_csv_value value = {0};
        value.text = stoa_strings_get(strings, k, &value.length);
        STOA_TRY(stoa_csv_builder_add(&builder, &type, &value, err));
    }
    STOA_TRY(stoa_csv_builder_finish(&builder, &type, array, err));

done:
    stoa_csv_builder_clear(&builder);
    return status;
}
