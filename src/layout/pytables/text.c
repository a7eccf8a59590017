/* String attributes in PyTables' form (pytables.h). */
#include "layout/pytables/pytables.h"

#include <string.h>

#include "core/memory.h"
#include "hdf/metadata/attributes.h"

stoa_status stoa_pytables_write_text(hid_t object, const char *name, const char *text,
                                     stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t type = H5I_INVALID_HID;
    hid_t space = H5I_INVALID_HID;
    hid_t attribute = H5I_INVALID_HID;
    const size_t length = strlen(text);

    STOA_TRY(stoa_attribute_delete(object, name, err));
    STOA_HDF(err, type = H5Tcopy(H5T_C_S1), "make a string type");
    STOA_HDF(err, H5Tset_size(type, length > 0 ? length : 1), "size a string type");
    STOA_HDF(err, H5Tset_cset(type, H5T_CSET_UTF8), "set a character set");
    STOA_HDF(err, space = H5Screate(length > 0 ? H5S_SCALAR : H5S_NULL), "make a dataspace");
    STOA_TRY(stoa_attribute_make(object, name, type, space, &attribute, err));
    if (length > 0) {
        STOA_HDF(err, H5Awrite(attribute, type, text), "write attribute '%s'", name);
    }

done:
    status = stoa_hdf_close(&attribute, status, err);
    status = stoa_hdf_close(&space, status, err);
    return stoa_hdf_close(&type, status, err);
}

stoa_status stoa_pytables_mark_group(hid_t group, stoa_error *err)
{
    if (!stoa_attribute_exists(group, "CLASS")) {
        STOA_RETURN_NOT_OK(stoa_pytables_write_text(group, "CLASS", "GROUP", err));
        STOA_RETURN_NOT_OK(stoa_pytables_write_text(group, "VERSION", "1.0", err));
    }
    if (!stoa_attribute_exists(group, "TITLE")) {
        STOA_RETURN_NOT_OK(stoa_pytables_write_text(group, "TITLE", "", err));
    }
    return STOA_OK;
}

stoa_status stoa_pytables_mark_root(hid_t root, stoa_error *err)
{
    if (stoa_attribute_exists(root, "CLASS") &&
        !stoa_attribute_exists(root, "PYTABLES_FORMAT_VERSION")) {
        return STOA_OK;
    }
    if (!stoa_attribute_exists(root, "PYTABLES_FORMAT_VERSION")) {
        STOA_RETURN_NOT_OK(stoa_pytables_mark_group(root, err));
        STOA_RETURN_NOT_OK(stoa_pytables_write_text(root, "PYTABLES_FORMAT_VERSION", "2.1", err));
    }
    return STOA_OK;
}

char *stoa_pytables_index_path(const char *path)
{
    const char *slash = strrchr(path, '/');
    const size_t above = slash != NULL ? (size_t)(slash - path) + 1 : 0;

    return stoa_format("%.*s_i_%s", (int)above, path, path + above);
}
