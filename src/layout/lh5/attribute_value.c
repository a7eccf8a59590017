/* See attribute_value.h: values in words. */
#include "layout/lh5/attribute_value.h"

#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "hdf/references.h"
#include "hdf/types.h"
#include "layout/lh5/attribute_type.h"

/* Text of one attribute; references in it. */
enum { MOST_BYTES = 60000, MOST_REFERENCES = 256 };

static stoa_status print_number(stoa_lh5_printing *p, hid_t type, const void *value,
                                stoa_error *err)
{
    uint8_t room[STOA_LH5_NUMBER_BYTES] = {0};
    char digits[STOA_NUMBER_SIZE];
    int64_t integer = 0;
    double real = 0;
    const size_t size = H5Tget_size(type);
    const hid_t memory = stoa_lh5_memory_of(type);

    if (size > sizeof room) {
        p->can = false;
        return STOA_OK;
    }
    memcpy(room, value, size);
    STOA_RETURN_HDF_ERROR(err, H5Tconvert(type, memory, 1, room, NULL, H5P_DEFAULT),
                          "convert a number");
    memcpy(&integer, room, sizeof integer);
    memcpy(&real, room, sizeof real);
    (void)(H5Tget_class(type) == H5T_FLOAT  ? stoa_format_f64(real, digits)
           : H5Tget_sign(type) == H5T_SGN_2 ? stoa_format_i64(integer, digits)
                                            : stoa_format_u64((uint64_t)integer, digits));
    return stoa_buffer_print(p->out, err, "%s", digits);
}

static stoa_status print_enum(stoa_lh5_printing *p, hid_t type, const void *value, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t base = H5I_INVALID_HID;

    if (stoa_lh5_is_truth(type)) {
        const bool is_true = *(const uint8_t *)value != 0;
        return stoa_buffer_print(p->out, err, is_true ? "true" : "false");
    }
    STOA_HDF(err, base = H5Tget_super(type), "get the type of an enumeration");
    STOA_TRY(print_number(p, base, value, err));

done:
    return stoa_hdf_close(&base, status, err);
}

static stoa_status print_text(stoa_lh5_printing *p, hid_t type, const void *value, stoa_error *err)
{
    const char *text = value;
    size_t length = 0;

    if (H5Tis_variable_str(type) > 0) {
        memcpy(&text, value, sizeof text);
        text = text != NULL ? text : "";
        length = strlen(text);
    } else {
        length = stoa_fixed_string_length(text, H5Tget_size(type), H5Tget_strpad(type));
        length = strnlen(text, length); /* metadata are texts */
    }
    return stoa_lh5_quoted_print(text, length, p->out, err);
}

static stoa_status print_bytes(stoa_lh5_printing *p, hid_t type, const void *value, stoa_error *err)
{
    const size_t size = H5Tget_size(type);

    STOA_RETURN_NOT_OK(stoa_buffer_print(p->out, err, "0x"));
    for (size_t i = 0; i < size; i++) {
        STOA_RETURN_NOT_OK(stoa_buffer_print(p->out, err, "%02x", ((const uint8_t *)value)[i]));
    }
    return STOA_OK;
}

static stoa_status print_fields(stoa_lh5_printing *p, hid_t type, const void *value,
                                stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t field = H5I_INVALID_HID;
    const int n = H5Tget_nmembers(type);

    STOA_TRY(stoa_buffer_print(p->out, err, "{"));
    for (int i = 0; i < n; i++) {
        STOA_TRY(i > 0 ? stoa_buffer_append(p->out, " ", 1, err) : STOA_OK);
        STOA_HDF(err, field = H5Tget_member_type(type, (unsigned)i), "get the type of a field");
        STOA_TRY(stoa_lh5_value_print(
            p, field, (const uint8_t *)value + H5Tget_member_offset(type, (unsigned)i), err));
        STOA_TRY(stoa_hdf_close(&field, STOA_OK, err));
    }
    STOA_TRY(stoa_buffer_print(p->out, err, "}"));

done:
    return stoa_hdf_close(&field, status, err);
}

static stoa_status print_items(stoa_lh5_printing *p, hid_t type, const void *value, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t item = H5I_INVALID_HID;
    hvl_t list = {0, NULL};

    STOA_HDF(err, item = H5Tget_super(type), "get the type of items");
    const size_t size = H5Tget_size(item);
    if (size == 0) { /* of a damaged file */
        p->can = false;
    } else if (H5Tget_class(type) == H5T_VLEN) {
        memcpy(&list, value, sizeof list);
    } else {
        list = (hvl_t){H5Tget_size(type) / size, (void *)(uintptr_t)value};
    }
    STOA_TRY(stoa_buffer_print(p->out, err, "("));
    for (size_t i = 0; p->can && i < list.len; i++) {
        STOA_TRY(i > 0 ? stoa_buffer_append(p->out, " ", 1, err) : STOA_OK);
        STOA_TRY(stoa_lh5_value_print(p, item, (const uint8_t *)list.p + i * size, err));
    }
    STOA_TRY(stoa_buffer_print(p->out, err, ")"));

done:
    return stoa_hdf_close(&item, status, err);
}

static hid_t open_target(const stoa_lh5_printing *p, hid_t type, const void *value)
{
    H5R_ref_t *const reference = (H5R_ref_t *)(uintptr_t)value; /* which only looks at it */
    const stoa_quiet quiet = stoa_quiet_begin();
    const hid_t target = H5Tequal(type, H5T_STD_REF_OBJ) > 0
                             ? H5Rdereference2(p->file, H5P_DEFAULT, H5R_OBJECT, value)
                         : H5Rget_type(reference) == H5R_OBJECT2 &&
                                 !stoa_reference_leads_elsewhere(reference, p->file)
                             ? H5Ropen_object(reference, H5P_DEFAULT, H5P_DEFAULT)
                             : H5I_INVALID_HID;

    stoa_quiet_drop(&quiet);
    return target < 0 ? H5I_INVALID_HID : target;
}

/* One to nothing, or to what no path leads to, is a reference to none. */
static stoa_status print_reference(stoa_lh5_printing *p, hid_t type, const void *value,
                                   stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t target = H5I_INVALID_HID;
    char *path = NULL;

    p->can = p->can && ++p->n_references <= MOST_REFERENCES;
    if (!p->can) {
        return STOA_OK;
    }
    target = open_target(p, type, value);
    path = target >= 0 ? stoa_hdf_name(target, H5Iget_name) : stoa_strdup("");
    STOA_TRY(path != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_lh5_quoted_print(path, strlen(path), p->out, err));

done:
    free(path);
    return stoa_hdf_close(&target, status, err);
}

stoa_status stoa_lh5_value_print(stoa_lh5_printing *p, hid_t type, const void *value,
                                 stoa_error *err)
{
    p->can = p->can && p->out->size <= MOST_BYTES;
    if (!p->can) {
        return STOA_OK;
    }
    switch (H5Tget_class(type)) {
    case H5T_INTEGER:
    case H5T_FLOAT:
        return print_number(p, type, value, err);
    case H5T_ENUM:
        return print_enum(p, type, value, err);
    case H5T_STRING:
        return print_text(p, type, value, err);
    case H5T_OPAQUE:
        return print_bytes(p, type, value, err);
    case H5T_COMPOUND:
        return print_fields(p, type, value, err);
    case H5T_REFERENCE:
        return print_reference(p, type, value, err);
    default:
        return print_items(p, type, value, err); /* arrays and lists: others have no words */
    }
}
