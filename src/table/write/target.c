/* Checking a table's path and linking the table there (HEP001 §7.6). */
#include "table/write/target.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "hdf/copy/object_storage.h"
#include "hdf/metadata/links.h"

static bool is_group_at(hid_t loc, const char *path)
{
    H5O_info2_t info;
    const stoa_error_stack errors = stoa_error_stack_begin();
    const bool is_group = stoa_info_here(loc, path, &info) >= 0 && info.type == H5O_TYPE_GROUP;

    stoa_error_stack_discard(&errors);
    return is_group;
}

static stoa_status probe_at(hid_t loc, const char *path, bool *is_table, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t group = H5I_INVALID_HID;

    *is_table = false;
    if (is_group_at(loc, path)) {
        STOA_HDF(err, group = stoa_open_here(loc, path), "open '%s'", path);
        STOA_TRY(stoa_table_probe(group, is_table, err));
    }

done:
    return stoa_hdf_close(&group, status, err);
}

bool stoa_path_is_root(const char *path)
{
    return strspn(path, "/") == strlen(path);
}

stoa_status stoa_table_check_above(hid_t loc, const char *path, stoa_error *err)
{
    stoa_status status = STOA_OK;
    bool is_table = false;
    char *above = stoa_strdup(path);

    STOA_RETURN_NO_MEMORY(err, above);
    /* From the outermost parent, whose error explains those further in. */
    for (size_t i = 0; above[i] != '\0'; i++) {
        if (above[i] != '/') {
            continue;
        }
        const size_t end = i == 0 ? 1 : i; /* for the root, keep the slash */
        const char kept = above[end];
        above[end] = '\0';
        STOA_TRY(probe_at(loc, above, &is_table, err));
        if (is_table && !stoa_path_is_root(path)) {
            STOA_FAIL(
                err, STOA_EINVAL,
                "'%s' is a table, and no table lies inside another (HEP001 §7.6); choose a path "
                "beside it",
                above);
        }
        if (stoa_object_exists(loc, above) && !is_group_at(loc, above)) {
            STOA_FAIL(err, STOA_EINVAL, "'%s' is no group, so that nothing can be below it", above);
        }
        above[end] = kept;
    }
    STOA_TRY(stoa_table_probe(loc, &is_table, err));
    if (is_table && path[0] != '/') {
        STOA_FAIL(
            err, STOA_EINVAL,
            "the group to start from is a table, and no table lies inside another (HEP001 §7.6)");
    }

done:
    free(above);
    return status;
}

stoa_status stoa_table_check_target(hid_t loc, const char *path, bool replace, stoa_error *err)
{
    bool is_table = false;

    if (stoa_path_is_root(path)) {
        H5G_info_t info = {.nlinks = 0};
        STOA_RETURN_HDF_ERROR(err, H5Gget_info_by_name(loc, "/", &info, H5P_DEFAULT),
                              "look at '/'");
        if (info.nlinks != 0) {
            return stoa_fail(err, STOA_EEXISTS,
                             "a table at '/' needs a file that holds nothing else (HEP001 §7.6)");
        }
    } else if (stoa_object_exists(loc, path)) {
        if (!replace) {
            return stoa_fail(err, STOA_EEXISTS,
                             "an object of that name is there already; choose another path");
        }
        STOA_RETURN_NOT_OK(probe_at(loc, path, &is_table, err));
        if (!is_table) {
            return stoa_fail(err, STOA_EEXISTS,
                             "what is there is no table, and only a table is replaced");
        }
    }
    return stoa_table_check_above(loc, path, err);
}

stoa_status stoa_table_link_list(hid_t *list, stoa_error *err)
{
    STOA_RETURN_HDF_ERROR(err, *list = H5Pcreate(H5P_LINK_CREATE), "make link properties");
    STOA_RETURN_HDF_ERROR(err, H5Pset_create_intermediate_group(*list, 1), "set link properties");
    STOA_RETURN_HDF_ERROR(err, H5Pset_char_encoding(*list, H5T_CSET_UTF8), "set link properties");
    return STOA_OK;
}

stoa_status stoa_table_link(hid_t object, hid_t loc, const char *path, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t lcpl = H5I_INVALID_HID;
    hid_t old = H5I_INVALID_HID;
    bool is_unlinked = false;

    if (stoa_path_is_root(path)) {
        return STOA_OK;
    }
    STOA_TRY(stoa_table_link_list(&lcpl, err));
    if (stoa_object_exists(loc, path)) {
        STOA_HDF(err, old = stoa_open_here(loc, path), "open the old table");
        STOA_HDF(err, stoa_unlink(loc, path), "unlink the old table");
        is_unlinked = true;
    }
    STOA_HDF(err, stoa_link_nameless(object, loc, path, lcpl), "link the table");

done:
    if (status != STOA_OK && is_unlinked) {
        (void)H5Olink(old, loc, path, lcpl, H5P_DEFAULT);
    }
    status = stoa_hdf_close(&old, status, err);
    return stoa_hdf_close(&lcpl, status, err);
}
