#include "layout/arkouda/write/write_parts.h"

#include "hdf/metadata/attributes.h"
#include "layout/common/column_datasets.h"

/* The release of this format. Readers ignore it (§C). */
#define ARKOUDA_VERSION "v2026.07.15 (Stoa)"

stoa_status stoa_arkouda_write_number(hid_t object, const char *name, int64_t value,
                                      stoa_error *err)
{
    return stoa_attribute_write_scalar(object, name, H5T_STD_I64LE, H5T_NATIVE_INT64, &value, err);
}

static stoa_status label_versions(hid_t object, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_attribute_write_scalar(
        object, STOA_ARKOUDA_FILE_VERSION, H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, &(float){2.0F}, err));
    return stoa_attribute_write_ascii(object, STOA_ARKOUDA_VERSION, ARKOUDA_VERSION, err);
}

stoa_status stoa_arkouda_label(hid_t object, stoa_arkouda_kind kind, bool is_bool, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_arkouda_write_number(object, STOA_ARKOUDA_OBJ_TYPE, kind, err));
    if (is_bool) {
        STOA_RETURN_NOT_OK(stoa_arkouda_write_number(object, STOA_ARKOUDA_IS_BOOL, 1, err));
    }
    return label_versions(object, err);
}

stoa_status stoa_arkouda_label_counted(hid_t group, stoa_arkouda_kind kind, const char *count_name,
                                       uint64_t count, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_arkouda_write_number(group, STOA_ARKOUDA_OBJ_TYPE, kind, err));
    STOA_RETURN_NOT_OK(stoa_arkouda_write_number(group, count_name, (int64_t)count, err));
    return label_versions(group, err);
}

/* Link names get no character set. With the UTF-8 flag, libhdf5 would make a new-style group
 * (§D). */
stoa_status stoa_arkouda_make_group(hid_t parent, const char *name, hid_t *group, stoa_error *err)
{
    STOA_RETURN_HDF_ERROR(err,
                          *group = H5Gcreate2(parent, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                          "make group '%s'", name);
    return STOA_OK;
}

size_t stoa_arkouda_width(stoa_kind stored)
{
    return stored == STOA_KIND_BOOL ? 1 : 8;
}

static stoa_status make(hid_t parent, const char *name, stoa_kind kind, uint64_t n, hid_t *dataset,
                        stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t type = H5I_INVALID_HID;

    STOA_TRY(stoa_column_dataset_stored(kind, &type, err));
    STOA_TRY(stoa_column_dataset_make(parent, name, type, n, 0, NULL, dataset, err));

done:
    return stoa_hdf_close(&type, status, err);
}

stoa_status stoa_arkouda_make_array(hid_t parent, const char *name, stoa_kind stored,
                                    stoa_arkouda_kind kind, uint64_t n, hid_t *dataset,
                                    stoa_error *err)
{
    const bool is_bool = stored == STOA_KIND_BOOL;

    STOA_RETURN_NOT_OK(make(parent, name, is_bool ? STOA_KIND_UINT8 : stored, n, dataset, err));
    return stoa_arkouda_label(*dataset, kind, is_bool, err);
}

stoa_status stoa_arkouda_make_bytes(hid_t parent, const char *name, uint64_t n, hid_t *dataset,
                                    stoa_error *err)
{
    STOA_RETURN_NOT_OK(make(parent, name, STOA_KIND_UINT8, n, dataset, err));
    return stoa_arkouda_label(*dataset, STOA_ARKOUDA_PDARRAY, false, err);
}

stoa_status stoa_arkouda_put_array(hid_t parent, const char *name, stoa_kind stored, uint64_t n,
                                   const void *values, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t dataset = H5I_INVALID_HID;

    STOA_TRY(stoa_arkouda_make_array(parent, name, stored, STOA_ARKOUDA_PDARRAY, n, &dataset, err));
    STOA_TRY(
        stoa_column_dataset_write(dataset, stoa_column_dataset_native(stored), 0, n, values, err));

done:
    return stoa_hdf_close(&dataset, status, err);
}
