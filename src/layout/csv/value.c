#include "layout/csv/value.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Parsing ----------------------------------------------------------------------------------- */

/* The bounds of a signed or small unsigned kind. */
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

/* Infinity must be written as such. A number that is too large is not infinity. */
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

bool stoa_csv_value_of_time(const stoa_type *type, const stoa_time *time, int64_t *value)
{
    if (type->kind == STOA_KIND_DATE) {
        return !time->has_time && stoa_time_ticks(time, STOA_TIME_DAY, value) &&
               *value >= INT32_MIN && *value <= INT32_MAX;
    }
    if (type->unit == STOA_TIME_DAY) {
        return true;
    }
    return (time->has_zone == type->utc || type->kind == STOA_KIND_DURATION) &&
           stoa_time_ticks(time, type->unit, value);
}

static bool parse_time(const stoa_type *type, const char *text, size_t length, int64_t *value)
{
    stoa_time time;

    return stoa_type_parse_ticks(type, text, length, &time) &&
           stoa_csv_value_of_time(type, &time, value);
}

bool stoa_csv_value_parse(const stoa_type *type, const stoa_string_set *labels, const char *text,
                          size_t length, stoa_csv_value *value)
{
    uint64_t bits;
    uint32_t code;

    *value = (stoa_csv_value){.text = text, .length = length};
    switch (type->kind) {
    case STOA_KIND_STRING:
        return true;
    case STOA_KIND_DICTIONARY:
        if (!stoa_string_set_find(labels, text, length, &code)) {
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
    case STOA_KIND_DURATION:
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

/* Arrays ------------------------------------------------------------------------------------ */

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

static stoa_status add_string(stoa_csv_builder *builder, const stoa_csv_value *value,
                              stoa_error *err)
{
    if (builder->values.size == 0) {
        STOA_RETURN_NOT_OK(
            stoa_buffer_grow(&builder->values, sizeof(int32_t), err)); /* the first offset: 0 */
    }
    if (!value->is_missing) {
        if (value->length > (size_t)INT32_MAX - builder->bytes.size) {
            return stoa_fail(err, STOA_ERANGE, "more than 2 GiB of strings in a batch");
        }
        STOA_RETURN_NOT_OK(stoa_buffer_append(&builder->bytes, value->text, value->length, err));
    }
    return stoa_buffer_append(&builder->values, &(int32_t){(int32_t)builder->bytes.size},
                              sizeof(int32_t), err);
}

stoa_status stoa_csv_builder_add(stoa_csv_builder *builder, const stoa_type *type,
                                 const stoa_csv_value *value, stoa_error *err)
{
    const bool is_missing = value->is_missing;

    STOA_RETURN_NOT_OK(add_bit(&builder->validity, builder->n_rows, !is_missing, err));
    switch (type->kind) {
    case STOA_KIND_STRING:
        STOA_RETURN_NOT_OK(add_string(builder, value, err));
        break;
    case STOA_KIND_BOOL:
        STOA_RETURN_NOT_OK(
            add_bit(&builder->values, builder->n_rows, !is_missing && value->i != 0, err));
        break;
    case STOA_KIND_FLOAT64:
        STOA_RETURN_NOT_OK(stoa_buffer_append(
            &builder->values, &(double){is_missing ? 0.0 : value->f}, sizeof(double), err));
        break;
    case STOA_KIND_FLOAT32:
        STOA_RETURN_NOT_OK(stoa_buffer_append(
            &builder->values, &(float){is_missing ? 0.0f : (float)value->f}, sizeof(float), err));
        break;
    default:
        STOA_RETURN_NOT_OK(stoa_buffer_grow(&builder->values, (size_t)type->width, err));
        stoa_csv_put(builder->values.data, type->width, (size_t)builder->n_rows,
                     is_missing ? 0 : value->i);
        break;
    }
    builder->n_rows++;
    builder->n_missing += is_missing;
    return STOA_OK;
}

/* Append bits [first, first + n) after the first `at` bits of a buffer, up to a byte at a time. */
static stoa_status append_bits(stoa_buffer *bits, uint64_t at, const uint8_t *from, uint64_t first,
                               uint64_t n, stoa_error *err)
{
    const uint64_t end = at + n;

    STOA_RETURN_NOT_OK(stoa_buffer_grow(bits, (size_t)stoa_bit_bytes(end) - bits->size, err));
    while (at < end) {
        const unsigned room = 8 - (unsigned)(at & 7);
        const unsigned count = end - at < room ? (unsigned)(end - at) : room;
        unsigned byte = (unsigned)from[first >> 3] >> (first & 7);
        if ((first & 7) + count > 8) {
            byte |= (unsigned)from[(first >> 3) + 1] << (8 - (first & 7));
        }
        byte &= (1U << count) - 1;
        bits->data[at >> 3] = (uint8_t)(bits->data[at >> 3] | byte << (at & 7));
        at += count;
        first += count;
    }
    return STOA_OK;
}

/* Offsets continue from the end of the existing strings. */
static stoa_status append_strings(stoa_csv_builder *builder, const stoa_csv_builder *from,
                                  int64_t first, int64_t n, stoa_error *err)
{
    const int32_t *offsets = (const int32_t *)(const void *)from->values.data + first;
    const size_t n_bytes = (size_t)(offsets[n] - offsets[0]);
    const int32_t shift = (int32_t)builder->bytes.size - offsets[0];

    if (n_bytes > (size_t)INT32_MAX - builder->bytes.size) {
        return stoa_fail(err, STOA_ERANGE, "more than 2 GiB of strings in a batch");
    }
    if (builder->values.size == 0) {
        STOA_RETURN_NOT_OK(stoa_buffer_grow(&builder->values, sizeof(int32_t), err));
    }
    STOA_RETURN_NOT_OK(stoa_buffer_reserve(&builder->values, (size_t)n * sizeof(int32_t), err));
    STOA_RETURN_NOT_OK(
        stoa_buffer_append(&builder->bytes, from->bytes.data + offsets[0], n_bytes, err));
    int32_t *out = (int32_t *)(void *)(builder->values.data + builder->values.size);
    for (int64_t i = 0; i < n; i++) {
        out[i] = offsets[i + 1] + shift;
    }
    builder->values.size += (size_t)n * sizeof(int32_t);
    return STOA_OK;
}

stoa_status stoa_csv_builder_append(stoa_csv_builder *builder, const stoa_type *type,
                                    const stoa_csv_builder *from, int64_t first, int64_t n,
                                    stoa_error *err)
{
    const size_t width = (size_t)type->width;
    const uint64_t at = (uint64_t)builder->n_rows;

    STOA_RETURN_NOT_OK(append_bits(&builder->validity, at, from->validity.data, (uint64_t)first,
                                   (uint64_t)n, err));
    if (type->kind == STOA_KIND_STRING) {
        STOA_RETURN_NOT_OK(append_strings(builder, from, first, n, err));
    } else if (type->kind == STOA_KIND_BOOL) {
        STOA_RETURN_NOT_OK(append_bits(&builder->values, at, from->values.data, (uint64_t)first,
                                       (uint64_t)n, err));
    } else {
        STOA_RETURN_NOT_OK(stoa_buffer_append(
            &builder->values, from->values.data + (size_t)first * width, (size_t)n * width, err));
    }
    builder->n_rows += n;
    builder->n_missing +=
        from->n_missing == 0
            ? 0
            : n - (int64_t)stoa_bit_count(from->validity.data, (uint64_t)first, (uint64_t)n);
    return STOA_OK;
}

uint64_t stoa_csv_builder_text(const stoa_csv_builder *builder, const stoa_type *type,
                               int64_t first, int64_t n)
{
    const int32_t *offsets = (const int32_t *)(const void *)builder->values.data;

    return type->kind == STOA_KIND_STRING ? (uint64_t)(offsets[first + n] - offsets[first]) : 0;
}

void stoa_csv_builder_reset(stoa_csv_builder *builder)
{
    builder->validity.size = 0;
    builder->values.size = 0;
    builder->bytes.size = 0;
    builder->n_rows = 0;
    builder->n_missing = 0;
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
    void *const buffers[] = {stoa_buffer_detach(&builder->validity),
                             stoa_buffer_detach(&builder->values),
                             stoa_buffer_detach(&builder->bytes)};
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

stoa_status stoa_csv_strings_array(const stoa_string_set *strings, const uint32_t *order,
                                   struct ArrowArray *array, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_type type = {.kind = STOA_KIND_STRING};
    stoa_csv_builder builder = {0};

    if (strings->bytes.size > INT32_MAX) {
        STOA_FAIL(err, STOA_ERANGE, "more than 2 GiB of labels");
    }
    /* Even an empty dictionary has one offset. */
    STOA_TRY(
        stoa_buffer_reserve(&builder.values, (strings->count + (size_t)1) * sizeof(int32_t), err));
    STOA_TRY(stoa_buffer_reserve(&builder.bytes, strings->bytes.size, err));
    int32_t *offsets = (int32_t *)(void *)builder.values.data;
    for (uint32_t k = 0; k < strings->count; k++) {
        size_t length;
        const char *text = stoa_string_set_get(strings, order[k], &length);
        offsets[k] = (int32_t)builder.bytes.size;
        if (length != 0) {
            memcpy(builder.bytes.data + builder.bytes.size, text, length);
        }
        builder.bytes.size += length;
    }
    offsets[strings->count] = (int32_t)builder.bytes.size;
    builder.n_rows = strings->count;
    STOA_TRY(stoa_csv_builder_finish(&builder, &type, array, err));

done:
    stoa_csv_builder_clear(&builder);
    return status;
}
