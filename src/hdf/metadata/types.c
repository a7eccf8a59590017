/* Describes HDF5 datatypes (HEP001 §8.3): class, memory type, Arrow type, text for users. */
#include "hdf/metadata/types.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

/* More deeply nested datatypes are damage. */
#define MAX_DEPTH 32
/* Larger elements cannot be read in bounded memory. */
#define MAX_ELEMENT_BYTES ((size_t)64 << 20)

static stoa_status describe(hid_t type, int depth, stoa_element *element, stoa_error *err);

/* Present a type without a counterpart as its bytes. */
static stoa_status describe_raw(hid_t type, const char *what, stoa_element *element,
                                stoa_error *err)
{
    element->class = STOA_ELEMENT_OPAQUE;
    element->kind = STOA_KIND_FIXED_BINARY;
    element->is_raw = true;
    STOA_RETURN_HDF_ERROR(err, element->mem_type = H5Tcopy(type), "copy a datatype");
    (void)snprintf(element->text, sizeof element->text, "%s[%zu]", what, H5Tget_size(type));
    return STOA_OK;
}

static stoa_status describe_integer(hid_t type, stoa_element *element, stoa_error *err)
{
    const bool is_bitfield = H5Tget_class(type) == H5T_BITFIELD;
    const bool is_signed = !is_bitfield && H5Tget_sign(type) == H5T_SGN_2;
    const size_t bits = H5Tget_precision(type);
    const size_t size = H5Tget_size(type);
    const char *order = size > 1 && H5Tget_order(type) == H5T_ORDER_BE ? " big-endian" : "";

    if (bits > 64) {
        return describe_raw(type, is_bitfield ? "bitfield" : "integer", element, err);
    }
    element->class = STOA_ELEMENT_INTEGER;
    element->is_bitfield = is_bitfield;
    if (is_bitfield) {
        element->mem_type = bits <= 8    ? H5Tcopy(H5T_NATIVE_B8)
                            : bits <= 16 ? H5Tcopy(H5T_NATIVE_B16)
                            : bits <= 32 ? H5Tcopy(H5T_NATIVE_B32)
                                         : H5Tcopy(H5T_NATIVE_B64);
    } else if (is_signed) {
        element->mem_type = bits <= 8    ? H5Tcopy(H5T_NATIVE_INT8)
                            : bits <= 16 ? H5Tcopy(H5T_NATIVE_INT16)
                            : bits <= 32 ? H5Tcopy(H5T_NATIVE_INT32)
                                         : H5Tcopy(H5T_NATIVE_INT64);
    } else {
        element->mem_type = bits <= 8    ? H5Tcopy(H5T_NATIVE_UINT8)
                            : bits <= 16 ? H5Tcopy(H5T_NATIVE_UINT16)
                            : bits <= 32 ? H5Tcopy(H5T_NATIVE_UINT32)
                                         : H5Tcopy(H5T_NATIVE_UINT64);
    }
    STOA_RETURN_HDF_ERROR(err, element->mem_type, "make an integer type");
    element->is_odd = bits != 8 * H5Tget_size(element->mem_type);
    element->kind = bits <= 8    ? STOA_KIND_INT8
                    : bits <= 16 ? STOA_KIND_INT16
                    : bits <= 32 ? STOA_KIND_INT32
                                 : STOA_KIND_INT64;
    if (!is_signed) {
        element->kind = (stoa_kind)(element->kind - STOA_KIND_INT8 + STOA_KIND_UINT8);
    }
    (void)snprintf(element->text, sizeof element->text, "%s%zu%s",
                   is_bitfield ? "bitfield" : (is_signed ? "int" : "uint"), bits, order);
    return STOA_OK;
}

static stoa_status describe_float(hid_t type, stoa_element *element, stoa_error *err)
{
    size_t sign, exponent, exponent_bits, mantissa, mantissa_bits;
    const size_t size = H5Tget_size(type);
    const char *order = size > 1 && H5Tget_order(type) == H5T_ORDER_BE ? " big-endian" : "";

    STOA_RETURN_HDF_ERROR(
        err, H5Tget_fields(type, &sign, &exponent, &exponent_bits, &mantissa, &mantissa_bits),
        "look into a floating-point type");
    element->class = STOA_ELEMENT_FLOAT;
    if (exponent_bits == 5 && mantissa_bits == 10) {
        element->kind = STOA_KIND_FLOAT16;
        /* In native byte order, so that libhdf5 only swaps bytes and preserves every bit. */
        element->mem_type =
            H5Tcopy(H5Tget_order(H5T_NATIVE_INT) == H5T_ORDER_BE ? H5T_IEEE_F16BE : H5T_IEEE_F16LE);
    } else if (exponent_bits == 8 && mantissa_bits == 23) {
        element->kind = STOA_KIND_FLOAT32;
        element->mem_type = H5Tcopy(H5T_NATIVE_FLOAT);
    } else if (exponent_bits <= 11 && mantissa_bits <= 52) {
        element->kind = STOA_KIND_FLOAT64;
        element->mem_type = H5Tcopy(H5T_NATIVE_DOUBLE);
    } else {
        return describe_raw(type, "float", element, err);
    }
    STOA_RETURN_HDF_ERROR(err, element->mem_type, "make a floating-point type");
    element->is_odd =
        size != (size_t)stoa_kind_width(element->kind) || H5Tget_norm(type) != H5T_NORM_IMPLIED ||
        H5Tget_ebias(type) != (UINT64_C(1) << (exponent_bits - 1)) - 1 ||
        (element->kind == STOA_KIND_FLOAT64 && (exponent_bits != 11 || mantissa_bits != 52));
    (void)snprintf(element->text, sizeof element->text, "float%zu%s", H5Tget_precision(type),
                   order);
    return STOA_OK;
}

static stoa_status describe_string(hid_t type, stoa_element *element, stoa_error *err)
{
    static const char *const paddings[] = {"nullterm", "nullpad", "spacepad"};
    const bool is_variable = H5Tis_variable_str(type) > 0;

    element->padding = H5Tget_strpad(type);
    element->charset = H5Tget_cset(type);
    element->class = is_variable ? STOA_ELEMENT_STRING : STOA_ELEMENT_FIXED_STRING;
    element->kind = STOA_KIND_STRING;
    STOA_RETURN_HDF_ERROR(err, element->mem_type = H5Tcopy(type), "copy a string type");
    if (element->padding < 0 || element->padding > H5T_STR_SPACEPAD) {
        return stoa_fail(err, STOA_EDATA, "a string type has an unknown padding");
    }
    const char *charset = element->charset == H5T_CSET_UTF8 ? "utf8" : "ascii";
    if (is_variable) {
        (void)snprintf(element->text, sizeof element->text, "vlen string %s", charset);
    } else {
        (void)snprintf(element->text, sizeof element->text, "string[%zu] %s %s", H5Tget_size(type),
                       charset, paddings[element->padding]);
    }
    return STOA_OK;
}

static stoa_status describe_opaque(hid_t type, stoa_element *element, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *tag = NULL;

    element->class = STOA_ELEMENT_OPAQUE;
    element->kind = STOA_KIND_FIXED_BINARY;
    STOA_HDF(err, element->mem_type = H5Tcopy(type), "copy an opaque type");
    tag = H5Tget_tag(type);
    (void)snprintf(element->text, sizeof element->text, "opaque[%zu]%s%.32s%s", H5Tget_size(type),
                   tag != NULL && tag[0] != '\0' ? " '" : "", tag != NULL ? tag : "",
                   tag != NULL && tag[0] != '\0' ? "'" : "");

done:
    if (tag != NULL) {
        (void)H5free_memory(tag);
    }
    return status;
}

static stoa_status make_members(stoa_element *element, size_t n, stoa_error *err)
{
    element->names = stoa_alloc_zero(n, sizeof *element->names);
    element->n_members = element->names != NULL ? n : 0;
    return element->names != NULL ? STOA_OK : stoa_fail_memory(err);
}

/* Copy a name that libhdf5 allocated, and free the original. */
static stoa_status keep_name(char *from_hdf5, char **name, stoa_error *err)
{
    *name = from_hdf5 != NULL ? stoa_strdup(from_hdf5) : NULL;
    const stoa_status status = *name != NULL ? STOA_OK : stoa_fail_memory(err);

    if (from_hdf5 != NULL) {
        (void)H5free_memory(from_hdf5);
    }
    return status;
}

/* A member's value, converted from the stored type to a 64-bit integer. */
static stoa_status enum_code(hid_t base, hid_t native, hid_t type, unsigned i, int64_t *code,
                             stoa_error *err)
{
    union {
        int64_t signed_value;
        uint64_t unsigned_value;
        uint8_t bytes[64];
    } value = {0};

    if (H5Tget_size(base) > sizeof value) {
        return stoa_fail(err, STOA_EDATA, "an enumeration has members of %zu bytes",
                         H5Tget_size(base));
    }
    STOA_RETURN_HDF_ERROR(err, H5Tget_member_value(type, i, &value),
                          "read an enumeration's member");
    STOA_RETURN_HDF_ERROR(err, H5Tconvert(base, native, 1, &value, NULL, H5P_DEFAULT),
                          "convert an enumeration's member");
    *code = value.signed_value;
    return STOA_OK;
}

stoa_truth_form stoa_element_truth_form(const stoa_element *element)
{
    static const char *const names[] = {"FALSE", "TRUE", "MISSING"};
    const size_t n = element->n_members;
    bool has[] = {false, false, false};

    if (element->class != STOA_ELEMENT_ENUM || stoa_kind_width(element->kind) != 1 || n < 2 ||
        n > 3) {
        return STOA_TRUTH_NONE;
    }
    for (size_t i = 0; i < n; i++) {
        const uint64_t code = (uint64_t)element->codes[i]; /* a negative code exceeds any other */
        if (code >= n || strcmp(element->names[i], names[code]) != 0) {
            return STOA_TRUTH_NONE;
        }
        has[code] = true;
    }
    if (!has[0] || !has[1] || has[2] != (n == 3)) {
        return STOA_TRUTH_NONE;
    }
    return n == 2 ? STOA_TRUTH_PLAIN : STOA_TRUTH_NULLABLE;
}

void stoa_element_forget_members(stoa_element *element)
{
    for (size_t i = 0; i < element->n_members; i++) {
        free(element->names[i]);
    }
    free(element->names);
    free(element->codes);
    element->names = NULL;
    element->codes = NULL;
    element->n_members = 0;
    element->class = STOA_ELEMENT_INTEGER;
}

void stoa_element_as_boolean(stoa_element *element)
{
    stoa_element_forget_members(element);
    element->is_truth = true;
}

bool stoa_element_is_enum(const stoa_element *element)
{
    return element->class == STOA_ELEMENT_ENUM || element->is_truth;
}

static stoa_status describe_enum(hid_t type, int depth, stoa_element *element, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t base = H5I_INVALID_HID;
    const int n = H5Tget_nmembers(type);
    stoa_element integer = {.mem_type = H5I_INVALID_HID};

    STOA_HDF(err, n, "read an enumeration");
    STOA_HDF(err, base = H5Tget_super(type), "read an enumeration's base type");
    if (H5Tget_class(base) != H5T_INTEGER || H5Tget_precision(base) > 64) {
        STOA_TRY(describe_raw(type, "enum", element, err));
        goto done;
    }
    STOA_TRY(describe_integer(base, &integer, err));
    element->class = STOA_ELEMENT_ENUM;
    element->kind = integer.kind;
    STOA_TRY(make_members(element, (size_t)n, err));
    element->codes = stoa_alloc_zero((size_t)n, sizeof *element->codes);
    STOA_TRY(element->codes != NULL ? STOA_OK : stoa_fail_memory(err));
    const hid_t wide = stoa_kind_is_signed(integer.kind) ? H5T_NATIVE_INT64 : H5T_NATIVE_UINT64;
    for (unsigned i = 0; i < (unsigned)n; i++) {
        STOA_TRY(keep_name(H5Tget_member_name(type, i), &element->names[i], err));
        STOA_TRY(enum_code(base, wide, type, i, &element->codes[i], err));
    }
    /* Read as plain integers. libhdf5 converts an enumeration to an integer by value, but to
     * another enumeration by name, which would merge codes that have no member. */
    element->is_truth = depth > 0 && element->kind == STOA_KIND_INT8 &&
                        stoa_element_truth_form(element) == STOA_TRUTH_PLAIN;
    if (element->is_truth) { /* as stored, so that reading and writing convert nothing */
        STOA_HDF(err, element->mem_type = H5Tcopy(type), "copy a datatype");
    } else {
        element->mem_type = integer.mem_type;
        integer.mem_type = H5I_INVALID_HID;
    }
    (void)snprintf(element->text, sizeof element->text, "enum %.32s of %d", integer.text, n);

done:
    stoa_element_clear(&integer);
    return stoa_hdf_close(&base, status, err);
}

/* Fields have their native sizes and are packed without gaps. */
static stoa_status describe_compound(hid_t type, int depth, stoa_element *element, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t field = H5I_INVALID_HID;
    const int n = H5Tget_nmembers(type);
    size_t size = 0;

    STOA_HDF(err, n, "read a compound type");
    element->class = STOA_ELEMENT_COMPOUND;
    element->kind = STOA_KIND_STRUCT;
    STOA_TRY(make_members(element, (size_t)n, err));
    element->offsets = stoa_alloc_zero((size_t)n, sizeof *element->offsets);
    element->items = stoa_alloc_zero((size_t)n, sizeof *element->items);
    STOA_TRY(element->offsets != NULL && element->items != NULL ? STOA_OK : stoa_fail_memory(err));
    for (unsigned i = 0; i < (unsigned)n; i++) {
        element->items[i].mem_type = H5I_INVALID_HID;
    }
    for (unsigned i = 0; i < (unsigned)n; i++) {
        STOA_TRY(keep_name(H5Tget_member_name(type, i), &element->names[i], err));
        STOA_HDF(err, field = H5Tget_member_type(type, i), "read a field's type");
        STOA_TRY(describe(field, depth + 1, &element->items[i], err));
        status = stoa_hdf_close(&field, status, err);
        element->offsets[i] = size;
        size += element->items[i].size;
    }
    STOA_HDF(err, element->mem_type = H5Tcreate(H5T_COMPOUND, size != 0 ? size : 1),
             "make a compound type");
    for (unsigned i = 0; i < (unsigned)n; i++) {
        STOA_HDF(err,
                 H5Tinsert(element->mem_type, element->names[i], element->offsets[i],
                           element->items[i].mem_type),
                 "make a compound type");
    }
    (void)snprintf(element->text, sizeof element->text, "compound of %d", n);

done:
    return stoa_hdf_close(&field, status, err);
}

static stoa_status describe_sequence(hid_t type, int depth, stoa_element *element, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t base = H5I_INVALID_HID;
    hsize_t dims[H5S_MAX_RANK] = {0};
    const bool is_array = H5Tget_class(type) == H5T_ARRAY;
    int rank = 0;

    element->class = is_array ? STOA_ELEMENT_ARRAY : STOA_ELEMENT_VLEN;
    element->kind = is_array ? STOA_KIND_FIXED_LIST : STOA_KIND_LIST;
    STOA_TRY(make_members(element, 1, err));
    element->items = stoa_alloc_zero(1, sizeof *element->items);
    STOA_TRY(element->items != NULL ? STOA_OK : stoa_fail_memory(err));
    element->items[0].mem_type = H5I_INVALID_HID;
    STOA_HDF(err, base = H5Tget_super(type), "read a base type");
    STOA_TRY(describe(base, depth + 1, &element->items[0], err));
    if (is_array) {
        STOA_HDF(err, rank = H5Tget_array_dims2(type, dims), "read an array type");
        element->n_items = 1;
        for (int i = 0; i < rank; i++) {
            if (dims[i] > MAX_ELEMENT_BYTES || element->n_items * dims[i] > MAX_ELEMENT_BYTES) {
                STOA_FAIL(err, STOA_EDATA, "an array type has too many items");
            }
            element->n_items *= (size_t)dims[i];
        }
        STOA_HDF(err,
                 element->mem_type =
                     H5Tarray_create2(element->items[0].mem_type, (unsigned)rank, dims),
                 "make an array type");
        (void)snprintf(element->text, sizeof element->text, "array[%zu] of %.40s", element->n_items,
                       element->items[0].text);
    } else {
        STOA_HDF(err, element->mem_type = H5Tvlen_create(element->items[0].mem_type),
                 "make a variable-length type");
        (void)snprintf(element->text, sizeof element->text, "vlen of %.40s",
                       element->items[0].text);
    }

done:
    return stoa_hdf_close(&base, status, err);
}

/* References of the deprecated types are read as H5T_STD_REF, which libhdf5 makes of them. */
static stoa_status describe_reference(hid_t type, stoa_element *element, stoa_error *err)
{
    const bool is_old =
        H5Tequal(type, H5T_STD_REF_OBJ) > 0 || H5Tequal(type, H5T_STD_REF_DSETREG) > 0;

    STOA_RETURN_NOT_OK(describe_raw(type, "reference", element, err));
    element->is_reference = is_old || H5Tequal(type, H5T_STD_REF) > 0;
    element->is_old_reference = is_old;
    element->kind = element->is_reference ? STOA_KIND_STRING : element->kind;
    if (is_old) {
        (void)H5Tclose(element->mem_type);
        STOA_RETURN_HDF_ERROR(err, element->mem_type = H5Tcopy(H5T_STD_REF), "copy a datatype");
    }
    return STOA_OK;
}

static stoa_status describe(hid_t type, int depth, stoa_element *element, stoa_error *err)
{
    if (depth > MAX_DEPTH) {
        return stoa_fail(err, STOA_EDATA, "a datatype is nested deeper than %d levels", MAX_DEPTH);
    }
    H5T_class_t class = H5T_NO_CLASS;
    STOA_RETURN_HDF_ERROR(err, class = H5Tget_class(type), "read a datatype");
    switch (class) {
    case H5T_INTEGER:
    case H5T_BITFIELD:
        STOA_RETURN_NOT_OK(describe_integer(type, element, err));
        break;
    case H5T_FLOAT:
        STOA_RETURN_NOT_OK(describe_float(type, element, err));
        break;
    case H5T_STRING:
        STOA_RETURN_NOT_OK(describe_string(type, element, err));
        break;
    case H5T_OPAQUE:
        STOA_RETURN_NOT_OK(describe_opaque(type, element, err));
        break;
    case H5T_ENUM:
        STOA_RETURN_NOT_OK(describe_enum(type, depth, element, err));
        break;
    case H5T_COMPOUND:
        STOA_RETURN_NOT_OK(describe_compound(type, depth, element, err));
        break;
    case H5T_ARRAY:
    case H5T_VLEN:
        STOA_RETURN_NOT_OK(describe_sequence(type, depth, element, err));
        break;
    case H5T_REFERENCE:
        STOA_RETURN_NOT_OK(describe_reference(type, element, err));
        break;
    default:
        STOA_RETURN_NOT_OK(describe_raw(type, "type", element, err));
        break;
    }
    element->size = H5Tget_size(element->mem_type);
    if (element->size == 0 || element->size > MAX_ELEMENT_BYTES) {
        return stoa_fail(err, STOA_EDATA, "a datatype has elements of %zu bytes", element->size);
    }
    return STOA_OK;
}

stoa_status stoa_element_of(hid_t file_type, stoa_element *element, stoa_error *err)
{
    *element = (stoa_element){.mem_type = H5I_INVALID_HID};
    const stoa_status status = describe(file_type, 0, element, err);

    if (status != STOA_OK) {
        stoa_element_clear(element);
    }
    return status;
}

stoa_status stoa_element_or_time_of(hid_t type, stoa_element *element, stoa_error *err)
{
    stoa_status status = STOA_OK;

    if (H5Tget_class(type) != H5T_TIME || (H5Tget_size(type) != 4 && H5Tget_size(type) != 8)) {
        return stoa_element_of(type, element, err);
    }
    const bool is_wide = H5Tget_size(type) == 8;
    STOA_RETURN_NOT_OK(
        stoa_element_of(is_wide ? H5T_NATIVE_INT64 : H5T_NATIVE_INT32, element, err));
    status = stoa_hdf_close(&element->mem_type, status, err);
    STOA_RETURN_HDF_ERROR(err, element->mem_type = H5Tcopy(type), "copy a datatype");
    (void)snprintf(element->text, sizeof element->text, "time%d%s", is_wide ? 64 : 32,
                   H5Tget_order(type) == H5T_ORDER_BE ? " big-endian" : "");
    return status;
}

void stoa_element_clear(stoa_element *element)
{
    const size_t n_items = element->class == STOA_ELEMENT_COMPOUND ? element->n_members : 1;

    for (size_t i = 0; element->items != NULL && i < n_items; i++) {
        stoa_element_clear(&element->items[i]);
    }
    for (size_t i = 0; element->names != NULL && i < element->n_members; i++) {
        free(element->names[i]);
    }
    free(element->items);
    free(element->names);
    free(element->codes);
    free(element->offsets);
    (void)stoa_hdf_close(&element->mem_type, STOA_OK, NULL);
    *element = (stoa_element){.mem_type = H5I_INVALID_HID};
}

stoa_status stoa_element_schema(const stoa_element *element, const char *name,
                                struct ArrowSchema *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_type type = {.kind = element->kind};

    out->release = NULL;
    switch (element->class) {
    case STOA_ELEMENT_ENUM:
        if (element->is_truth) {
            type.kind = STOA_KIND_BOOL;
            STOA_TRY(stoa_schema_make_type(out, name, &type, err));
            break;
        }
        type.kind = STOA_KIND_DICTIONARY;
        type.index = STOA_KIND_INT32;
        STOA_TRY(stoa_schema_make_type(out, name, &type, err));
        STOA_TRY(stoa_schema_dictionary(out, "u", err));
        break;
    case STOA_ELEMENT_OPAQUE:
        type.width = element->is_reference ? 0 : (int32_t)element->size;
        STOA_TRY(stoa_schema_make_type(out, name, &type, err));
        break;
    case STOA_ELEMENT_COMPOUND:
        STOA_TRY(stoa_schema_make_type(out, name, &type, err));
        STOA_TRY(stoa_schema_children(out, (int64_t)element->n_members, err));
        for (size_t i = 0; i < element->n_members; i++) {
            STOA_TRY(
                stoa_element_schema(&element->items[i], element->names[i], out->children[i], err));
        }
        break;
    case STOA_ELEMENT_ARRAY:
    case STOA_ELEMENT_VLEN:
        type.width = (int32_t)element->n_items;
        STOA_TRY(stoa_schema_make_type(out, name, &type, err));
        STOA_TRY(stoa_schema_children(out, 1, err));
        STOA_TRY(stoa_element_schema(&element->items[0], "item", out->children[0], err));
        break;
    case STOA_ELEMENT_INTEGER:
        type = stoa_element_logical_type(element);
        STOA_TRY(stoa_schema_make_type(out, name, &type, err));
        break;
    case STOA_ELEMENT_FLOAT:
    case STOA_ELEMENT_FIXED_STRING:
    case STOA_ELEMENT_STRING:
        STOA_TRY(stoa_schema_make_type(out, name, &type, err));
        break;
    }

done:
    if (status != STOA_OK) {
        stoa_schema_release(out);
    }
    return status;
}
