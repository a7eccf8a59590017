#include "layout/lh5/common/attribute_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "hdf/metadata/attributes.h"
#include "hdf/metadata/types.h"
#include "layout/lh5/write/writer.h"

/* A signed or unsigned integer or a float, in memory form. */
typedef union number {
    int64_t i;
    uint64_t u;
    double f;
    uint8_t bytes[8];
} number;

static hid_t memory_of(hid_t type)
{
    return H5Tget_class(type) == H5T_FLOAT  ? H5T_NATIVE_DOUBLE
           : H5Tget_sign(type) == H5T_SGN_2 ? H5T_NATIVE_INT64
                                            : H5T_NATIVE_UINT64;
}

/* --- printing -------------------------------------------------------------------------------- */

/* Print a string attribute of any storage and length. */
static stoa_status print_text(hid_t object, const char *name, stoa_buffer *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *text = NULL;

    STOA_TRY(stoa_attribute_read_text(object, name, &text, err));
    STOA_TRY(stoa_buffer_print(out, err, "string %s", text));

done:
    free(text);
    return status;
}

/* Print HDF5's boolean enumeration. Other enumerations have no text. */
static stoa_status print_truth(hid_t object, const char *name, hid_t type, stoa_buffer *out,
                               stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t truth = H5I_INVALID_HID;
    bool is_true = false;

    STOA_TRY(stoa_boolean_type(&truth, err));
    if (H5Tequal(type, truth) > 0) {
        STOA_TRY(stoa_attribute_read_bool(object, name, &is_true, err));
        STOA_TRY(stoa_buffer_print(out, err, "bool %s", is_true ? "true" : "false"));
    }

done:
    return stoa_hdf_close(&truth, status, err);
}

static stoa_status print_number(hid_t object, const char *name, hid_t type, stoa_buffer *out,
                                stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_element element = {.mem_type = H5I_INVALID_HID};
    const hid_t memory = memory_of(type);
    char digits[STOA_NUMBER_SIZE];
    number value = {0};
    bool found = false;

    STOA_TRY(stoa_element_of(type, &element, err));
    if (element.class == STOA_ELEMENT_OPAQUE || element.is_odd) {
        goto done; /* Arrow has no type of that width */
    }
    STOA_TRY(stoa_attribute_read_scalar(object, name, memory, &value, &found, err));
    (void)(memory == H5T_NATIVE_DOUBLE  ? stoa_format_f64(value.f, digits)
           : memory == H5T_NATIVE_INT64 ? stoa_format_i64(value.i, digits)
                                        : stoa_format_u64(value.u, digits));
    STOA_TRY(stoa_buffer_print(out, err, "%s %s", element.text, digits));

done:
    stoa_element_clear(&element);
    return status;
}

stoa_status stoa_lh5_attribute_print(hid_t object, const char *name, stoa_buffer *out,
                                     stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t attribute = H5I_INVALID_HID;
    hid_t space = H5I_INVALID_HID;
    hid_t type = H5I_INVALID_HID;

    STOA_HDF(err, attribute = H5Aopen(object, name, H5P_DEFAULT), "open attribute '%s'", name);
    STOA_HDF(err, space = H5Aget_space(attribute), "get the shape of attribute '%s'", name);
    STOA_HDF(err, type = H5Aget_type(attribute), "get the type of attribute '%s'", name);
    const H5T_class_t class = H5Tget_class(type);
    if (H5Sget_simple_extent_type(space) != H5S_SCALAR) {
        goto done;
    }
    if (class == H5T_STRING) {
        STOA_TRY(print_text(object, name, out, err));
    } else if (class == H5T_ENUM) {
        STOA_TRY(print_truth(object, name, type, out, err));
    } else if (class == H5T_INTEGER || class == H5T_FLOAT) {
        STOA_TRY(print_number(object, name, type, out, err));
    }

done:
    status = stoa_hdf_close(&type, status, err);
    status = stoa_hdf_close(&space, status, err);
    return stoa_hdf_close(&attribute, status, err);
}

/* --- parsing ---------------------------------------------------------------------------------- */

/* The number type whose text is exactly `words`; H5I_INVALID_HID if there is none. The caller
 * closes it. */
static stoa_status type_of(const char *words, hid_t *type, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_element element = {.mem_type = H5I_INVALID_HID};

    STOA_TRY(stoa_lh5_number_type(words, STOA_KIND_FLOAT64, type, err));
    STOA_TRY(stoa_element_of(*type, &element, err));
    if (strcmp(element.text, words) != 0) {
        status = stoa_hdf_close(type, status, err);
    }

done:
    stoa_element_clear(&element);
    return status;
}

/* Whether the type can hold the number; floats may lose digits. Without the check, libhdf5 would
 * store the largest number or infinity. */
static stoa_status check_number(hid_t type, const number *value, bool *fits, stoa_error *err)
{
    const hid_t memory = memory_of(type);
    number back = *value;

    STOA_RETURN_HDF_ERROR(err, H5Tconvert(memory, type, 1, back.bytes, NULL, H5P_DEFAULT),
                          "convert a number");
    STOA_RETURN_HDF_ERROR(err, H5Tconvert(type, memory, 1, back.bytes, NULL, H5P_DEFAULT),
                          "convert a number");
    *fits =
        memory == H5T_NATIVE_DOUBLE ? isfinite(back.f) || !isfinite(value->f) : back.u == value->u;
    return STOA_OK;
}

/* Whether a text is an integer, of any number of digits. */
static bool is_integer(const char *text)
{
    text += *text == '-' || *text == '+';
    return *text != '\0' && text[strspn(text, "0123456789")] == '\0';
}

static stoa_status write_number(hid_t object, const char *name, const char *words,
                                const char *digits, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t type = H5I_INVALID_HID;
    const size_t length = strlen(digits);
    number value = {0};
    bool fits = false;

    STOA_TRY(type_of(words, &type, err));
    if (type < 0) {
        goto done;
    }
    const hid_t memory = memory_of(type);
    const bool is_one = memory == H5T_NATIVE_DOUBLE  ? stoa_parse_f64(digits, length, &value.f)
                        : memory == H5T_NATIVE_INT64 ? stoa_parse_i64(digits, length, &value.i)
                                                     : stoa_parse_u64(digits, length, &value.u);
    if (is_one) {
        STOA_TRY(check_number(type, &value, &fits, err));
    } else if (memory == H5T_NATIVE_DOUBLE || !is_integer(digits)) {
        goto done;
    }
    if (!fits) {
        STOA_FAIL(err, STOA_EINVAL,
                  "attribute '%s' is to be %.60s, which its type, %s, does not hold", name, digits,
                  words);
    }
    STOA_TRY(stoa_attribute_write_scalar(object, name, type, memory, &value, err));

done:
    return stoa_hdf_close(&type, status, err);
}

stoa_status stoa_lh5_attribute_write(hid_t object, const char *name, const char *text,
                                     stoa_error *err)
{
    stoa_status status = STOA_OK;
    const char *const blank = strrchr(text, ' ');
    char *words = NULL;

    if (strncmp(text, "string ", 7) == 0) {
        return stoa_lh5_write_text(object, name, text + 7, err);
    }
    if (strcmp(text, "bool true") == 0 || strcmp(text, "bool false") == 0) {
        return stoa_attribute_write_bool(object, name, text[5] == 't', err);
    }
    if (blank == NULL) {
        return STOA_OK;
    }
    words = stoa_strndup(text, (size_t)(blank - text));
    STOA_TRY(words != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(write_number(object, name, words, blank + 1, err));

done:
    free(words);
    return status;
}
