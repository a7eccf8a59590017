#include "index/common/order_keys.h"

#include "core/string_set.h"
#include "index/common/order.h"

bool stoa_key_is_bytes(const stoa_element *element)
{
    return element->class == STOA_ELEMENT_FIXED_STRING || element->class == STOA_ELEMENT_STRING ||
           element->class == STOA_ELEMENT_OPAQUE;
}

/* Set the sign bit of positive floats and invert negative ones: the bits then order like the
 * values. Both zeros have the same key. */
#define DEFINE_FLOAT_KEY(name, type, sign, infinity)                                               \
    static inline uint64_t name(type bits)                                                         \
    {                                                                                              \
        const type magnitude = (type)(bits & (type) ~(sign));                                      \
        if (magnitude > (infinity)) {                                                              \
            return STOA_KEY_NAN;                                                                   \
        }                                                                                          \
        return (bits & (sign)) != 0 && magnitude != 0 ? (type)~bits : (type)(magnitude | (sign));  \
    }

DEFINE_FLOAT_KEY(f16_key, uint16_t, UINT16_C(0x8000), UINT16_C(0x7c00))
DEFINE_FLOAT_KEY(f32_key, uint32_t, UINT32_C(1) << 31, UINT32_C(0x7f800000))
DEFINE_FLOAT_KEY(f64_key, uint64_t, UINT64_C(1) << 63, UINT64_C(0x7ff0000000000000))

/* One loop per type. Inverting the sign bit of signed integers sorts negative ones first. */
#define DEFINE_KEYS(name, type, key)                                                               \
    static void name(const void *elements, uint64_t n, uint64_t *keys)                             \
    {                                                                                              \
        const type *values = elements;                                                             \
        for (uint64_t i = 0; i < n; i++) {                                                         \
            const type bits = values[i];                                                           \
            keys[i] = (key);                                                                       \
        }                                                                                          \
    }

DEFINE_KEYS(keys_i8, uint8_t, (uint64_t)bits ^ UINT64_C(0x80))
DEFINE_KEYS(keys_i16, uint16_t, (uint64_t)bits ^ UINT64_C(0x8000))
DEFINE_KEYS(keys_i32, uint32_t, (uint64_t)bits ^ UINT64_C(0x80000000))
DEFINE_KEYS(keys_i64, uint64_t, bits ^ (UINT64_C(1) << 63))
DEFINE_KEYS(keys_u8, uint8_t, bits)
DEFINE_KEYS(keys_u16, uint16_t, bits)
DEFINE_KEYS(keys_u32, uint32_t, bits)
DEFINE_KEYS(keys_u64, uint64_t, bits)
DEFINE_KEYS(keys_f16, uint16_t, f16_key(bits))
DEFINE_KEYS(keys_f32, uint32_t, f32_key(bits))
DEFINE_KEYS(keys_f64, uint64_t, f64_key(bits))

void stoa_keys_of(const stoa_element *element, const void *elements, uint64_t n, uint64_t *keys)
{
    switch (element->kind) {
    case STOA_KIND_INT8:
        keys_i8(elements, n, keys);
        break;
    case STOA_KIND_INT16:
        keys_i16(elements, n, keys);
        break;
    case STOA_KIND_INT32:
        keys_i32(elements, n, keys);
        break;
    case STOA_KIND_INT64:
        keys_i64(elements, n, keys);
        break;
    case STOA_KIND_UINT8:
        keys_u8(elements, n, keys);
        break;
    case STOA_KIND_UINT16:
        keys_u16(elements, n, keys);
        break;
    case STOA_KIND_UINT32:
        keys_u32(elements, n, keys);
        break;
    case STOA_KIND_FLOAT16:
        keys_f16(elements, n, keys);
        break;
    case STOA_KIND_FLOAT32:
        keys_f32(elements, n, keys);
        break;
    case STOA_KIND_FLOAT64:
        keys_f64(elements, n, keys);
        break;
    default:
        keys_u64(elements, n, keys);
        break;
    }
}

void stoa_key_restore(const stoa_element *element, uint64_t key, void *value)
{
    const uint64_t sign = UINT64_C(1) << (8 * element->size - 1);
    uint64_t bits = key;

    if (stoa_kind_is_float(element->kind)) {
        bits = (key & sign) != 0 ? key ^ sign : ~key;
    } else if (stoa_kind_is_signed(element->kind)) {
        bits = key ^ sign;
    }
    stoa_integer_put(value, element->size, (int64_t)bits);
}

bool stoa_record_of(const stoa_column *column, const void *value, stoa_sort_record *record)
{
    if (stoa_key_is_bytes(&column->element)) {
        const stoa_scalar scalar = stoa_scalar_of(column, value);
        record->bytes = scalar.as.bytes.data;
        record->length = scalar.as.bytes.length;
        record->key = stoa_key_of_bytes(record->bytes, record->length);
        return true;
    }
    stoa_keys_of(&column->element, value, 1, &record->key);
    record->bytes = NULL;
    record->length = 0;
    return !stoa_kind_is_float(column->element.kind) || record->key != STOA_KEY_NAN;
}

int stoa_record_compare(const stoa_sort_record *a, const stoa_sort_record *b)
{
    if (a->key != b->key || a->bytes == NULL) {
        return (a->key > b->key) - (a->key < b->key);
    }
    return stoa_compare_bytes(a->bytes, a->length, b->bytes, b->length);
}
