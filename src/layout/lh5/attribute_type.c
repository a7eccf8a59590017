/* See attribute_type.h. */
#include "layout/lh5/attribute_type.h"

#include <math.h>
#include <string.h>

#include "core/text.h"
#include "hdf/attributes.h"
#include "hdf/types.h"

/* Words for one attribute. */
enum { MOST_BYTES = 1 << 16 };

stoa_status stoa_lh5_quoted_print(const char *text, size_t length, stoa_buffer *out,
                                  stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_buffer_append(out, "\"", 1, err));
    for (size_t i = 0; i < length; i++) {
        STOA_RETURN_NOT_OK(text[i] == '"' || text[i] == '\\' ? stoa_buffer_append(out, "\\", 1, err)
                                                             : STOA_OK);
        STOA_RETURN_NOT_OK(stoa_buffer_append(out, &text[i], 1, err));
    }
    return stoa_buffer_print(out, err, "\""); /* which ends it with a NUL, too */
}

bool stoa_lh5_is_truth(hid_t type)
{
    hid_t truth = H5I_INVALID_HID;
    const bool is = stoa_boolean_type(&truth, NULL) == STOA_OK && H5Tequal(type, truth) > 0;

    (void)stoa_hdf_close(&truth, STOA_OK, NULL);
    return is;
}

hid_t stoa_lh5_memory_of(hid_t number)
{
    return H5Tget_class(number) == H5T_FLOAT  ? H5T_NATIVE_DOUBLE
           : H5Tget_sign(number) == H5T_SGN_2 ? H5T_NATIVE_INT64
                                              : H5T_NATIVE_UINT64;
}

stoa_status stoa_lh5_number_from_memory(hid_t type, uint8_t number[STOA_LH5_NUMBER_BYTES],
                                        bool *fits, stoa_error *err)
{
    const hid_t memory = stoa_lh5_memory_of(type);
    uint8_t back[STOA_LH5_NUMBER_BYTES];
    uint64_t was;
    uint64_t is;
    double real;
    double stored;

    memcpy(&was, number, sizeof was);
    memcpy(&real, number, sizeof real);
    STOA_RETURN_HDF_ERROR(err, H5Tconvert(memory, type, 1, number, NULL, H5P_DEFAULT),
                          "convert a number");
    memcpy(back, number, sizeof back);
    STOA_RETURN_HDF_ERROR(err, H5Tconvert(type, memory, 1, back, NULL, H5P_DEFAULT),
                          "convert a number");
    memcpy(&is, back, sizeof is);
    memcpy(&stored, back, sizeof stored);
    *fits = H5Tget_class(type) == H5T_FLOAT ? isfinite(stored) || !isfinite(real) : is == was;
    return STOA_OK;
}

/* --- printing -------------------------------------------------------------------------------- */

typedef struct printing {
    stoa_buffer *out;
    bool *can;
    unsigned depth;
} printing;

static stoa_status print_type(printing p, hid_t type, stoa_error *err);

const char *const stoa_lh5_paddings[] = {"nullterm", "nullpad", "spacepad", NULL};
const char *const stoa_lh5_charsets[] = {"ascii", "utf8", NULL};

static stoa_status print_string(printing p, hid_t type, stoa_error *err)
{
    const bool is_variable = H5Tis_variable_str(type) > 0;
    const H5T_str_t padding = H5Tget_strpad(type);
    const H5T_cset_t charset = H5Tget_cset(type);

    if (padding < H5T_STR_NULLTERM || padding > H5T_STR_SPACEPAD || charset < H5T_CSET_ASCII ||
        charset > H5T_CSET_UTF8) {
        *p.can = false;
        return STOA_OK;
    }
    if (is_variable && padding == H5T_STR_NULLTERM && charset == H5T_CSET_UTF8) {
        return stoa_buffer_print(p.out, err, "string");
    }
    return is_variable ? stoa_buffer_print(p.out, err, "string(*,%s,%s)",
                                           stoa_lh5_paddings[padding], stoa_lh5_charsets[charset])
                       : stoa_buffer_print(p.out, err, "string(%zu,%s,%s)", H5Tget_size(type),
                                           stoa_lh5_paddings[padding], stoa_lh5_charsets[charset]);
}

static stoa_status print_number(printing p, hid_t type, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_element element = {.mem_type = H5I_INVALID_HID};

    STOA_TRY(stoa_element_of(type, &element, err));
    *p.can = *p.can && element.class != STOA_ELEMENT_OPAQUE && !element.is_bitfield;
    STOA_TRY(stoa_buffer_print(p.out, err, "%s", element.text));

done:
    stoa_element_clear(&element);
    return status;
}

static stoa_status print_opaque(printing p, hid_t type, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *tag = NULL;

    STOA_HDF(err, (tag = H5Tget_tag(type)) != NULL ? 0 : -1, "get the tag of a type");
    STOA_TRY(stoa_buffer_print(p.out, err, "opaque(%zu,", H5Tget_size(type)));
    STOA_TRY(stoa_lh5_quoted_print(tag, strlen(tag), p.out, err));
    STOA_TRY(stoa_buffer_print(p.out, err, ")"));

done:
    (void)H5free_memory(tag);
    return status;
}

/* A member's code, of 8 bytes. */
static stoa_status read_code(hid_t type, unsigned i, hid_t base, uint8_t *code, stoa_error *err)
{
    STOA_RETURN_HDF_ERROR(err, H5Tget_member_value(type, i, code), "get the code of a name");
    STOA_RETURN_HDF_ERROR(err,
                          H5Tconvert(base, stoa_lh5_memory_of(base), 1, code, NULL, H5P_DEFAULT),
                          "convert a code");
    return STOA_OK;
}

static stoa_status print_member(printing p, hid_t type, unsigned i, hid_t base, stoa_error *err)
{
    stoa_status status = STOA_OK;
    uint8_t code[16] = {0};
    char digits[STOA_NUMBER_SIZE];
    int64_t number = 0;
    char *name = NULL;

    STOA_HDF(err, (name = H5Tget_member_name(type, i)) != NULL ? 0 : -1,
             "get a name of an enumeration");
    STOA_TRY(read_code(type, i, base, code, err));
    memcpy(&number, code, sizeof number);
    (void)(H5Tget_sign(base) == H5T_SGN_2 ? stoa_format_i64(number, digits)
                                          : stoa_format_u64((uint64_t)number, digits));
    STOA_TRY(stoa_buffer_print(p.out, err, ","));
    STOA_TRY(stoa_lh5_quoted_print(name, strlen(name), p.out, err));
    STOA_TRY(stoa_buffer_print(p.out, err, "=%s", digits));

done:
    (void)H5free_memory(name);
    return status;
}

static stoa_status print_enum(printing p, hid_t type, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t base = H5I_INVALID_HID;
    const int n = H5Tget_nmembers(type);

    if (stoa_lh5_is_truth(type)) {
        return stoa_buffer_print(p.out, err, "bool");
    }
    STOA_HDF(err, base = H5Tget_super(type), "get the type of an enumeration");
    if (H5Tget_class(base) != H5T_INTEGER || H5Tget_size(base) > 8 || n > STOA_LH5_MOST_MEMBERS) {
        *p.can = false;
        goto done;
    }
    STOA_TRY(stoa_buffer_print(p.out, err, "enum("));
    STOA_TRY(print_number(p, base, err));
    for (int i = 0; i < n; i++) {
        STOA_TRY(print_member(p, type, (unsigned)i, base, err));
    }
    STOA_TRY(stoa_buffer_print(p.out, err, ")"));

done:
    return stoa_hdf_close(&base, status, err);
}

static stoa_status print_field(printing p, hid_t type, unsigned i, size_t *end, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t offset = H5Tget_member_offset(type, i);
    char *name = NULL;
    hid_t field = H5I_INVALID_HID;

    STOA_HDF(err, (name = H5Tget_member_name(type, i)) != NULL ? 0 : -1, "get the name of a field");
    STOA_HDF(err, field = H5Tget_member_type(type, i), "get the type of a field");
    STOA_TRY(stoa_buffer_print(p.out, err, "%s", i > 0 ? "," : ""));
    STOA_TRY(stoa_lh5_quoted_print(name, strlen(name), p.out, err));
    STOA_TRY(offset != *end ? stoa_buffer_print(p.out, err, "@%zu", offset) : STOA_OK);
    STOA_TRY(stoa_buffer_print(p.out, err, ":"));
    STOA_TRY(print_type(p, field, err));
    *end = offset + H5Tget_size(field);
    *p.can = *p.can && *end <= H5Tget_size(type); /* else it lies outside of the value */

done:
    (void)H5free_memory(name);
    return stoa_hdf_close(&field, status, err);
}

static stoa_status print_compound(printing p, hid_t type, stoa_error *err)
{
    const int n = H5Tget_nmembers(type);
    size_t end = 0;

    *p.can = *p.can && n <= STOA_LH5_MOST_MEMBERS;
    STOA_RETURN_NOT_OK(stoa_buffer_print(p.out, err, "{"));
    for (int i = 0; *p.can && i < n; i++) {
        STOA_RETURN_NOT_OK(print_field(p, type, (unsigned)i, &end, err));
    }
    STOA_RETURN_NOT_OK(stoa_buffer_print(p.out, err, "}"));
    if (end != H5Tget_size(type)) {
        STOA_RETURN_NOT_OK(stoa_buffer_print(p.out, err, "%zu", H5Tget_size(type)));
    }
    return STOA_OK;
}

static stoa_status print_items(printing p, hid_t type, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hsize_t extent[H5S_MAX_RANK];
    hid_t item = H5I_INVALID_HID;
    const int rank = H5Tget_class(type) == H5T_ARRAY ? H5Tget_array_ndims(type) : 0;

    STOA_HDF(err, item = H5Tget_super(type), "get the type of items");
    STOA_TRY(stoa_buffer_print(p.out, err, rank > 0 ? "array(" : "list("));
    if (rank > 0) {
        STOA_HDF(err, H5Tget_array_dims2(type, extent), "get the shape of an array");
    }
    for (int i = 0; i < rank; i++) {
        STOA_TRY(stoa_buffer_print(p.out, err, "%llu,", (unsigned long long)extent[i]));
    }
    STOA_TRY(print_type(p, item, err));
    STOA_TRY(stoa_buffer_print(p.out, err, ")"));

done:
    return stoa_hdf_close(&item, status, err);
}

static stoa_status print_reference(printing p, hid_t type, stoa_error *err)
{
    if (H5Tequal(type, H5T_STD_REF_OBJ) > 0) {
        return stoa_buffer_print(p.out, err, "reference");
    }
    *p.can = *p.can && H5Tequal(type, H5T_STD_REF) > 0;
    return stoa_buffer_print(p.out, err, "reference(std)");
}

static stoa_status print_type(printing p, hid_t type, stoa_error *err)
{
    *p.can = *p.can && ++p.depth <= STOA_LH5_DEEPEST_TYPE && p.out->size <= MOST_BYTES;
    if (!*p.can) {
        return STOA_OK;
    }
    switch (H5Tget_class(type)) {
    case H5T_INTEGER:
    case H5T_FLOAT:
        return print_number(p, type, err);
    case H5T_STRING:
        return print_string(p, type, err);
    case H5T_OPAQUE:
        return print_opaque(p, type, err);
    case H5T_ENUM:
        return print_enum(p, type, err);
    case H5T_COMPOUND:
        return print_compound(p, type, err);
    case H5T_ARRAY:
    case H5T_VLEN:
        return print_items(p, type, err);
    case H5T_REFERENCE:
        return print_reference(p, type, err);
    default:
        *p.can = false;
        return STOA_OK;
    }
}

stoa_status stoa_lh5_attribute_type_print(hid_t type, stoa_buffer *out, bool *can, stoa_error *err)
{
    *can = true;
    return print_type((printing){out, can, 0}, type, err);
}
