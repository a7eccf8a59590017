#include "index/common/equality_key.h"

#include <string.h>

#include "index/common/order.h"

/* Convert between memory order and little-endian. Only big-endian machines swap. */
static void to_little(uint8_t *bytes, size_t n)
{
    const size_t n_swapped = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? n / 2 : 0;

    for (size_t i = 0; i < n_swapped; i++) {
        const uint8_t byte = bytes[i];
        bytes[i] = bytes[n - 1 - i];
        bytes[n - 1 - i] = byte;
    }
}

static bool is_number(const stoa_element *element)
{
    return element->class == STOA_ELEMENT_INTEGER || element->class == STOA_ELEMENT_ENUM ||
           element->class == STOA_ELEMENT_FLOAT;
}

/* -0.0 equals +0.0 (§10.5, §10.7). The sign is the top bit of the last byte of a little-endian
 * number. */
static void unsign_zero(uint8_t *number, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (number[i] != 0 && !(i == size - 1 && number[i] == 0x80)) {
            return;
        }
    }
    number[size - 1] = 0;
}

static void number_key(const stoa_element *type, const void *element, stoa_key *key)
{
    memcpy(key->number, element, type->size);
    to_little(key->number, type->size);
    if (type->class == STOA_ELEMENT_FLOAT) {
        unsign_zero(key->number, type->size);
    }
    key->bytes = key->number;
    key->length = type->size;
}

bool stoa_key_of(const stoa_column *column, const void *element, stoa_key *key)
{
    const stoa_element *type = &column->element;

    if (is_number(type)) {
        number_key(type, element, key);
        return type->class != STOA_ELEMENT_FLOAT || !stoa_element_is_nan(type, element);
    }
    const stoa_scalar value = stoa_scalar_of(column, element);
    key->bytes = value.as.bytes.data;
    key->length = value.as.bytes.length;
    return true;
}

/* Whether the column's kind can hold an integer scalar; *bits is its value. */
static bool integer_fits(stoa_kind kind, const stoa_scalar *scalar, uint64_t *bits)
{
    const unsigned width = 8 * (unsigned)stoa_kind_width(kind);
    const bool is_negative = scalar->kind == STOA_SCALAR_I64 && scalar->as.i64 < 0;

    *bits = scalar->kind == STOA_SCALAR_I64 ? (uint64_t)scalar->as.i64 : scalar->as.u64;
    if (stoa_kind_is_signed(kind)) {
        const int64_t limit = (int64_t)(UINT64_MAX >> (65 - width)); /* 2^(width - 1) - 1 */
        return is_negative ? (int64_t)*bits >= -limit - 1 : *bits <= (uint64_t)limit;
    }
    return !is_negative && *bits <= UINT64_MAX >> (64 - width);
}

/* Whether the column's kind can hold a float scalar exactly; `element` is its value. */
static bool float_fits(stoa_kind kind, double value, uint8_t element[8])
{
    const float narrow = (float)value;

    if (value != value) {
        return false;
    }
    if (kind == STOA_KIND_FLOAT64) {
        memcpy(element, &value, sizeof value);
        return true;
    }
    if (kind == STOA_KIND_FLOAT32) {
        memcpy(element, &narrow, sizeof narrow);
        return (double)narrow == value;
    }
    const uint16_t half = stoa_f32_to_f16(narrow);
    memcpy(element, &half, sizeof half);
    return (double)stoa_f16_to_f32(half) == value;
}

bool stoa_key_of_scalar(const stoa_column *column, const stoa_scalar *scalar, stoa_key *key)
{
    const stoa_element *type = &column->element;
    uint8_t element[8] = {0};
    uint64_t bits = 0;

    if (!is_number(type)) {
        key->bytes = scalar->as.bytes.data;
        key->length = scalar->as.bytes.length;
        return scalar->kind == STOA_SCALAR_BYTES;
    }
    if (type->class == STOA_ELEMENT_FLOAT) {
        if (scalar->kind != STOA_SCALAR_F64 || !float_fits(type->kind, scalar->as.f64, element)) {
            return false;
        }
    } else {
        if ((scalar->kind != STOA_SCALAR_I64 && scalar->kind != STOA_SCALAR_U64) ||
            !integer_fits(type->kind, scalar, &bits)) {
            return false;
        }
        stoa_integer_put(element, type->size, (int64_t)bits);
    }
    number_key(type, element, key);
    return true;
}

stoa_scalar stoa_key_scalar(const stoa_column *column, const void *bytes, size_t length)
{
    uint8_t element[8] = {0};

    if (!is_number(&column->element)) {
        return (stoa_scalar){.kind = STOA_SCALAR_BYTES, .as.bytes = {bytes, length}};
    }
    stoa_key_element(column, bytes, length, element);
    return stoa_scalar_of(column, element);
}

void stoa_key_element(const stoa_column *column, const void *bytes, size_t length, void *element)
{
    const stoa_element *type = &column->element;
    const bool is_spaced =
        type->class == STOA_ELEMENT_FIXED_STRING && type->padding == H5T_STR_SPACEPAD;

    memset(element, is_spaced ? ' ' : 0, type->size);
    memcpy(element, bytes, length < type->size ? length : type->size);
    if (is_number(type)) {
        to_little(element, type->size);
    }
}
