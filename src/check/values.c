/* Element types of datasets, compared by the orders of HEP001 §10.5. */
#include "check/values.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "hdf/metadata/libhdf5_checks.h"
#include "hdf/metadata/types.h"

/* IEEE 754 binary16, 32 or 64 in any byte order: no other float has an order (notes D10). */
static bool is_ieee(hid_t type)
{
    static const struct {
        size_t size, exponent, mantissa, bias;
    } formats[] = {{2, 5, 10, 15}, {4, 8, 23, 127}, {8, 11, 52, 1023}};
    size_t sign = 0;
    size_t exponent_at = 0;
    size_t exponent = 0;
    size_t mantissa_at = 0;
    size_t mantissa = 0;

    if (H5Tget_fields(type, &sign, &exponent_at, &exponent, &mantissa_at, &mantissa) < 0) {
        return false;
    }
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        if (H5Tget_size(type) == formats[i].size && exponent == formats[i].exponent &&
            mantissa == formats[i].mantissa && mantissa_at == 0 && exponent_at == mantissa &&
            sign == mantissa + exponent && H5Tget_ebias(type) == formats[i].bias &&
            H5Tget_norm(type) == H5T_NORM_IMPLIED) {
            return true;
        }
    }
    return false;
}

static void use_integers(hid_t type, stoa_datum_type *out)
{
    const bool is_signed = H5Tget_sign(type) == H5T_SGN_2;

    if (H5Tget_precision(type) <= 64) {
        out->kind = is_signed ? STOA_DATUM_SIGNED : STOA_DATUM_UNSIGNED;
        out->memory_type = H5Tcopy(is_signed ? H5T_NATIVE_INT64 : H5T_NATIVE_UINT64);
        out->size = sizeof(int64_t);
    }
}

/* Bytes are read without conversion, which could change them. */
static void use_bytes(hid_t type, stoa_datum_kind kind, stoa_datum_type *out)
{
    out->size = H5Tget_size(type);
    if (out->size > 0 && out->size <= STOA_CHECK_MAX_BYTES) {
        out->kind = kind;
        out->memory_type = H5Tcopy(type);
        out->padding = kind == STOA_DATUM_FIXED ? H5Tget_strpad(type) : H5T_STR_NULLPAD;
    }
}

void stoa_datum_type_of(hid_t file_type, stoa_datum_type *out)
{
    hid_t base = H5I_INVALID_HID;

    *out = (stoa_datum_type){.memory_type = H5I_INVALID_HID};
    switch (H5Tget_class(file_type)) {
    case H5T_INTEGER:
        out->is_ordered = true;
        use_integers(file_type, out);
        break;
    case H5T_ENUM:
        base = H5Tget_super(file_type);
        out->is_ordered = H5Tget_class(base) == H5T_INTEGER;
        if (out->is_ordered) {
            use_integers(base, out);
        }
        (void)stoa_hdf_close(&base, STOA_OK, NULL);
        break;
    case H5T_FLOAT:
        out->is_ordered = is_ieee(file_type);
        if (out->is_ordered) {
            out->kind = STOA_DATUM_FLOAT;
            out->memory_type = H5Tcopy(H5T_NATIVE_DOUBLE);
            out->size = sizeof(double);
        }
        break;
    case H5T_STRING:
        out->is_ordered = true;
        if (H5Tis_variable_str(file_type) > 0) {
            out->kind = STOA_DATUM_VARIABLE;
            out->memory_type = H5Tcopy(file_type);
            out->size = sizeof(char *);
        } else {
            use_bytes(file_type, STOA_DATUM_FIXED, out);
        }
        break;
    case H5T_OPAQUE:
        out->is_ordered = true;
        use_bytes(file_type, STOA_DATUM_OPAQUE, out);
        break;
    default:
        break;
    }
    if (out->memory_type < 0) {
        out->kind = STOA_DATUM_NONE;
    }
}

void stoa_datum_type_of_any(hid_t file_type, stoa_datum_type *out)
{
    stoa_datum_type_of(file_type, out);
    if (out->kind == STOA_DATUM_NONE && H5Tdetect_class(file_type, H5T_VLEN) <= 0 &&
        H5Tdetect_class(file_type, H5T_REFERENCE) <= 0 &&
        H5Tdetect_class(file_type, H5T_STRING) <= 0) {
        use_bytes(file_type, STOA_DATUM_PACKED, out);
        if (out->memory_type >= 0 && H5Tget_class(file_type) == H5T_COMPOUND) {
            (void)H5Tpack(out->memory_type);
            out->size = H5Tget_size(out->memory_type);
        }
    }
}

void stoa_datum_type_clear(stoa_datum_type *type)
{
    (void)stoa_hdf_close(&type->memory_type, STOA_OK, NULL);
}

typedef struct bytes {
    const char *data;
    size_t length;
} bytes;

static bytes bytes_of(const stoa_datum_type *type, const void *value)
{
    bytes b = {value, type->size};

    if (type->kind == STOA_DATUM_FIXED) {
        b.length = stoa_fixed_string_length(value, type->size, type->padding);
    } else if (type->kind == STOA_DATUM_VARIABLE) {
        memcpy(&b.data, value, sizeof b.data);
        b.data = b.data == NULL ? "" : b.data;
        b.length = strlen(b.data);
    }
    return b;
}

/* Elements may come from any offset in a compound, so no alignment is assumed. */
#define LOAD(variable, from) memcpy(&(variable), (from), sizeof(variable))
#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

int stoa_datum_compare(const stoa_datum_type *type, const void *a, const void *b)
{
    switch (type->kind) {
    case STOA_DATUM_SIGNED: {
        int64_t x;
        int64_t y;
        LOAD(x, a);
        LOAD(y, b);
        return ORDER(x, y);
    }
    case STOA_DATUM_UNSIGNED: {
        uint64_t x;
        uint64_t y;
        LOAD(x, a);
        LOAD(y, b);
        return ORDER(x, y);
    }
    case STOA_DATUM_FLOAT: {
        double x;
        double y;
        LOAD(x, a);
        LOAD(y, b);
        return ORDER(x, y);
    }
    default: {
        const bytes x = bytes_of(type, a);
        const bytes y = bytes_of(type, b);
        return stoa_compare_bytes(x.data, x.length, y.data, y.length);
    }
    }
}

bool stoa_datum_same(const stoa_datum_type *type, const void *a, const void *b)
{
    if (type->kind == STOA_DATUM_FLOAT) {
        return memcmp(a, b, sizeof(double)) == 0;
    }
    return stoa_datum_compare(type, a, b) == 0;
}

bool stoa_datum_is_nan(const stoa_datum_type *type, const void *value)
{
    double x = 0;

    if (type->kind == STOA_DATUM_FLOAT) {
        LOAD(x, value);
    }
    return isnan(x);
}

bool stoa_datum_is_missing(const stoa_datum_type *type, const void *fill, const void *value)
{
    if (fill == NULL) {
        return false;
    }
    return stoa_datum_is_nan(type, fill) ? stoa_datum_is_nan(type, value)
                                         : stoa_datum_same(type, value, fill);
}

const void *stoa_datum_key(const stoa_datum_type *type, const void *value, void *room,
                           size_t *length)
{
    double x = 0;

    if (type->kind == STOA_DATUM_FLOAT) {
        LOAD(x, value);
        x = isnan(x) ? (double)NAN : x == 0 ? 0.0 : x;
        memcpy(room, &x, sizeof x);
        *length = sizeof x;
        return room;
    }
    const bytes b = bytes_of(type, value);
    *length = b.length;
    return b.data;
}

const char *stoa_datum_text(const stoa_datum_type *type, const void *value,
                            char text[STOA_DATUM_TEXT])
{
    switch (type->kind) {
    case STOA_DATUM_SIGNED: {
        int64_t x;
        LOAD(x, value);
        (void)stoa_format_i64(x, text);
        break;
    }
    case STOA_DATUM_UNSIGNED: {
        uint64_t x;
        LOAD(x, value);
        (void)stoa_format_u64(x, text);
        break;
    }
    case STOA_DATUM_FLOAT: {
        double x;
        LOAD(x, value);
        (void)stoa_format_f64(x, text);
        break;
    }
    case STOA_DATUM_OPAQUE:
    case STOA_DATUM_PACKED:
        (void)snprintf(text, STOA_DATUM_TEXT, "0x");
        for (size_t i = 0; i < type->size && i < 16; i++) {
            (void)snprintf(text + 2 + 2 * i, 3, "%02x", ((const uint8_t *)value)[i]);
        }
        break;
    default: {
        const bytes b = bytes_of(type, value);
        const int shown = b.length > 40 ? 40 : (int)b.length;
        (void)snprintf(text, STOA_DATUM_TEXT, "'%.*s'%s", shown, b.data,
                       b.length > 40 ? "..." : "");
        break;
    }
    }
    return text;
}

void stoa_datum_free(const stoa_datum_type *type, void *value)
{
    if (value != NULL && type->kind == STOA_DATUM_VARIABLE) {
        char *text = NULL;
        memcpy(&text, value, sizeof text);
        (void)H5free_memory(text);
    }
    free(value);
}

bool stoa_check_fill_fits(stoa_checker *checker, hid_t plist, hid_t type)
{
    bool fits = false;

    if (stoa_fill_fits(plist, type, &fits, NULL) == STOA_ENOMEM) {
        stoa_check_memory(checker);
    }
    return fits;
}

bool stoa_datum_fill(stoa_checker *checker, const stoa_datum_type *type, hid_t dataset, void **fill)
{
    H5D_fill_value_t state = H5D_FILL_VALUE_ERROR;
    hid_t plist = stoa_dataset_properties(dataset);
    hid_t file_type = H5Dget_type(dataset);
    void *element = NULL;
    bool is_read = false;

    *fill = NULL;
    if (type->kind != STOA_DATUM_NONE && H5Pfill_value_defined(plist, &state) >= 0 &&
        state == H5D_FILL_VALUE_USER_DEFINED && stoa_check_fill_fits(checker, plist, file_type)) {
        element = stoa_alloc_zero(1, type->size);
        if (element == NULL) {
            stoa_check_memory(checker);
        }
        is_read = element != NULL && H5Pget_fill_value(plist, type->memory_type, element) >= 0;
    }
    (void)stoa_hdf_close(&file_type, STOA_OK, NULL);
    (void)stoa_hdf_close(&plist, STOA_OK, NULL);
    if (!is_read) {
        free(element);
        return false;
    }
    *fill = element;
    return true;
}

bool stoa_datum_attribute(stoa_checker *checker, const stoa_datum_type *type, hid_t attribute,
                          void **value)
{
    void *element = stoa_alloc_zero(1, type->size);

    *value = NULL;
    if (element == NULL) {
        stoa_check_memory(checker);
        return false;
    }
    if (H5Aread(attribute, type->memory_type, element) < 0) {
        free(element);
        return false;
    }
    *value = element;
    return true;
}
