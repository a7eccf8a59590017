#include "index/common/order.h"

#include <stdio.h>
#include <string.h>

#include "core/string_set.h"

static stoa_scalar scalar_i64(int64_t value)
{
    return (stoa_scalar){.kind = STOA_SCALAR_I64, .as.i64 = value};
}

static stoa_scalar scalar_u64(uint64_t value)
{
    return (stoa_scalar){.kind = STOA_SCALAR_U64, .as.u64 = value};
}

static stoa_scalar scalar_f64(double value)
{
    return (stoa_scalar){.kind = STOA_SCALAR_F64, .as.f64 = value};
}

static stoa_scalar scalar_f16(uint16_t bits)
{
    return scalar_f64((double)stoa_f16_to_f32(bits));
}

static stoa_scalar scalar_bytes(const char *data, size_t length)
{
    return (stoa_scalar){.kind = STOA_SCALAR_BYTES, .as.bytes = {data, length}};
}

/* Elements in index entries may be unaligned. */
#define READ(type, scalar)                                                                         \
    do {                                                                                           \
        type value;                                                                                \
        memcpy(&value, element, sizeof value);                                                     \
        return scalar(value);                                                                      \
    } while (0)

static stoa_scalar number_of(stoa_kind kind, const void *element)
{
    switch (kind) {
    case STOA_KIND_INT8:
        READ(int8_t, scalar_i64);
    case STOA_KIND_INT16:
        READ(int16_t, scalar_i64);
    case STOA_KIND_INT32:
        READ(int32_t, scalar_i64);
    case STOA_KIND_INT64:
        READ(int64_t, scalar_i64);
    case STOA_KIND_UINT8:
        READ(uint8_t, scalar_u64);
    case STOA_KIND_UINT16:
        READ(uint16_t, scalar_u64);
    case STOA_KIND_UINT32:
        READ(uint32_t, scalar_u64);
    case STOA_KIND_UINT64:
        READ(uint64_t, scalar_u64);
    case STOA_KIND_FLOAT16:
        READ(uint16_t, scalar_f16);
    case STOA_KIND_FLOAT32:
        READ(float, scalar_f64);
    case STOA_KIND_FLOAT64:
        READ(double, scalar_f64);
    default:
        return scalar_bytes("", 0);
    }
}

stoa_scalar stoa_scalar_of(const stoa_column *column, const void *element)
{
    const stoa_element *type = &column->element;
    const char *text = NULL;

    switch (type->class) {
    case STOA_ELEMENT_FIXED_STRING:
        return scalar_bytes(element, stoa_fixed_string_length(element, type->size, type->padding));
    case STOA_ELEMENT_STRING:
        memcpy(&text, element, sizeof text);
        return text != NULL ? scalar_bytes(text, strlen(text)) : scalar_bytes("", 0);
    case STOA_ELEMENT_OPAQUE:
        return scalar_bytes(element, type->size);
    default:
        return number_of(type->kind, element);
    }
}

static bool is_integer(const stoa_scalar *scalar)
{
    return scalar->kind == STOA_SCALAR_I64 || scalar->kind == STOA_SCALAR_U64;
}

/* Compare signed and unsigned integers without loss. Enums and categoricals are compared by their
 * codes. A negative number is below every unsigned one. */
static int compare_integers(const stoa_scalar *a, const stoa_scalar *b)
{
    const bool a_negative = a->kind == STOA_SCALAR_I64 && a->as.i64 < 0;
    const bool b_negative = b->kind == STOA_SCALAR_I64 && b->as.i64 < 0;

    if (a_negative != b_negative) {
        return a_negative ? -1 : 1;
    }
    /* Two negative numbers have the same order as their bits. */
    const uint64_t x = a->kind == STOA_SCALAR_I64 ? (uint64_t)a->as.i64 : a->as.u64;
    const uint64_t y = b->kind == STOA_SCALAR_I64 ? (uint64_t)b->as.i64 : b->as.u64;
    return (x > y) - (x < y);
}

bool stoa_scalar_compare(const stoa_scalar *a, const stoa_scalar *b, int *order)
{
    if (is_integer(a) && is_integer(b)) {
        *order = compare_integers(a, b);
        return true;
    }
    if (a->kind != b->kind) {
        return false;
    }
    if (a->kind == STOA_SCALAR_BYTES) {
        *order = stoa_compare_bytes(a->as.bytes.data, a->as.bytes.length, b->as.bytes.data,
                                    b->as.bytes.length);
        return true;
    }
    *order = (a->as.f64 > b->as.f64) - (a->as.f64 < b->as.f64);
    return a->as.f64 == a->as.f64 && b->as.f64 == b->as.f64;
}

/* Format stored ticks by the column's units, or as a plain number on overflow. */
static void time_text(const stoa_column *column, int64_t stored, char *number)
{
    int64_t ticks;

    if (__builtin_mul_overflow(stored, column->time.ticks_per, &ticks) ||
        __builtin_add_overflow(ticks, column->time.epoch_ticks, &ticks)) {
        (void)stoa_format_i64(stored, number);
    } else {
        (void)stoa_type_format_ticks(&column->type, ticks, number);
    }
}

static void bytes_text(const stoa_column *column, const stoa_scalar *scalar, char *out, size_t size)
{
    const char *data = scalar->as.bytes.data;
    const size_t length = scalar->as.bytes.length;

    if (column->element.class != STOA_ELEMENT_OPAQUE) {
        const size_t room = length < size ? length : size - 1;
        const size_t kept = length < size ? length : stoa_utf8_valid(data, room);
        memcpy(out, data, kept);
        out[kept] = '\0';
        return;
    }
    size_t at = 0;
    for (size_t i = 0; i < length && at + 2 < size; i++, at += 2) {
        (void)snprintf(out + at, 3, "%02x", (unsigned)(uint8_t)data[i]);
    }
    out[at] = '\0';
}

void stoa_scalar_text(const stoa_column *column, const stoa_scalar *scalar, char *out, size_t size)
{
    char number[STOA_NUMBER_SIZE] = "";

    if (scalar->kind == STOA_SCALAR_BYTES) {
        bytes_text(column, scalar, out, size);
        return;
    }
    if (scalar->kind == STOA_SCALAR_F64) {
        if (column->element.kind == STOA_KIND_FLOAT64) {
            (void)stoa_format_f64(scalar->as.f64, number);
        } else {
            (void)stoa_format_f32((float)scalar->as.f64, number);
        }
    } else if (column->type.kind == STOA_KIND_BOOL) {
        (void)snprintf(number, sizeof number, "%s", scalar->as.u64 != 0 ? "true" : "false");
    } else if (column->is_time &&
               (scalar->kind == STOA_SCALAR_I64 || scalar->as.u64 <= INT64_MAX)) {
        time_text(column, scalar->as.i64, number);
    } else if (scalar->kind == STOA_SCALAR_I64) {
        (void)stoa_format_i64(scalar->as.i64, number);
    } else {
        (void)stoa_format_u64(scalar->as.u64, number);
    }
    (void)snprintf(out, size, "%s", number);
}
