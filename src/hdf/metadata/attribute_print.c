/* Attributes as people read them. */
#include "core/text.h"
#include "hdf/metadata/attributes.h"
#include "hdf/metadata/libhdf5_checks.h"
#include "hdf/metadata/types.h"

/* Print integers or floats. *printed is false for other types, and if they cannot be read. */
static stoa_status print_numbers(hid_t attribute, hid_t type, size_t n, bool *printed,
                                 stoa_buffer *out, stoa_error *err)
{
    union {
        double f64;
        int64_t i64;
        uint64_t u64;
    } values[STOA_ATTRIBUTE_PRINTED];
    const bool is_float = H5Tget_class(type) == H5T_FLOAT;
    const bool is_integer =
        H5Tget_class(type) == H5T_INTEGER && H5Tget_size(type) <= sizeof(int64_t);
    const bool is_signed = is_integer && H5Tget_sign(type) != H5T_SGN_NONE;
    const hid_t read_as = is_float    ? H5T_NATIVE_DOUBLE
                          : is_signed ? H5T_NATIVE_INT64
                                      : H5T_NATIVE_UINT64;
    char text[STOA_NUMBER_SIZE];

    *printed = (is_float || is_integer) && stoa_attribute_fits(attribute, type, n) &&
               H5Aread(attribute, read_as, values) >= 0;
    for (size_t i = 0; *printed && i < n; i++) {
        if (is_float) {
            (void)stoa_format_f64(values[i].f64, text);
        } else if (is_signed) {
            (void)stoa_format_i64(values[i].i64, text);
        } else {
            (void)stoa_format_u64(values[i].u64, text);
        }
        STOA_RETURN_NOT_OK(stoa_buffer_print(out, err, "%s%s", i > 0 ? ", " : "", text));
    }
    return STOA_OK;
}

stoa_status stoa_attribute_print(hid_t object, const char *name, size_t most, stoa_buffer *out,
                                 stoa_error *err)
{
    stoa_error ignored = STOA_ERROR_INIT;
    stoa_element element = {.mem_type = H5I_INVALID_HID};
    hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    hid_t type = attribute >= 0 ? H5Aget_type(attribute) : H5I_INVALID_HID;
    hid_t space = attribute >= 0 ? H5Aget_space(attribute) : H5I_INVALID_HID;
    const hssize_t n = space >= 0 ? H5Sget_simple_extent_npoints(space) : -1;
    bool printed = false;
    stoa_status status = STOA_OK;

    most = most < STOA_ATTRIBUTE_PRINTED ? most : STOA_ATTRIBUTE_PRINTED;
    if (type >= 0 && n > 0 && (size_t)n <= most) {
        status = print_numbers(attribute, type, (size_t)n, &printed, out, err);
    }
    if (status == STOA_OK && !printed) {
        const bool is_known =
            type >= 0 && n >= 0 && stoa_element_of(type, &element, &ignored) == STOA_OK;
        status = is_known ? stoa_buffer_print(out, err, "(%lld of %s)", (long long)n, element.text)
                          : stoa_buffer_print(out, err, "(cannot be read)");
        stoa_element_clear(&element);
    }
    (void)stoa_hdf_close(&space, STOA_OK, NULL);
    (void)stoa_hdf_close(&type, STOA_OK, NULL);
    (void)stoa_hdf_close(&attribute, STOA_OK, NULL);
    return status;
}
