/* stoa_table_move() and stoa_table_remove(), which change a table's link. */
#include <stoa/edit.h>

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "hdf/copy/groups.h"
#include "hdf/copy/object_storage.h"
#include "hdf/metadata/links.h"
#include "hdf/metadata/other_files.h"
#include "table/write/target.h"

stoa_status stoa_table_move(stoa_table *table, const char *path, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t lcpl = H5I_INVALID_HID;
    char *absolute = stoa_format("%s%s", path[0] == '/' ? "" : "/", path);

    STOA_TRY(absolute != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_table_is_own(table, err));
    if (stoa_path_is_root(table->path) || stoa_path_is_root(path)) {
        STOA_FAIL(err, STOA_EINVAL,
                  "the root group cannot be moved, nor anything in its place; copy the table into "
                  "another file");
    }
    STOA_TRY(stoa_link_must_be_hard(table->group, table->path, "table", err));
    STOA_TRY(stoa_table_check_target(table->group, absolute, false, err));
    STOA_TRY(stoa_table_link_list(&lcpl, err));
    STOA_HDF(err, H5Lmove(table->group, table->path, H5L_SAME_LOC, absolute, lcpl, H5P_DEFAULT),
             "move it to '%s'", absolute);
    STOA_HDF(err, stoa_flush(table->group), "flush the file");
    free(table->path);
    table->path = absolute;
    absolute = NULL;

done:
    free(absolute);
    status = stoa_hdf_close(&lcpl, status, err);
    return stoa_at(err, status, "%s:%s", table->file, table->path);
}

/* Open a group that is a table, even one too damaged for stoa_table_open(). */
static stoa_status open_probed(hid_t loc, const char *path, hid_t *group, stoa_error *err)
{
    H5O_info2_t object;
    bool is_table = false;

    const stoa_error_stack errors = stoa_error_stack_begin();
    const herr_t exists = stoa_info_here(loc, path, &object);
    stoa_error_stack_discard(&errors);
    if (exists < 0) {
        STOA_RETURN_NOT_OK(stoa_object_not_found(loc, path, "no such object", NULL, err));
    }
    if (object.type == H5O_TYPE_GROUP) {
        STOA_RETURN_HDF_ERROR(err, *group = stoa_open_here(loc, path), "open the group");
        STOA_RETURN_NOT_OK(stoa_table_probe(*group, &is_table, err));
    }
    if (!is_table) {
        return stoa_fail(err, STOA_ELAYOUT, "is no table: CLASS is not COLUMN_TABLE (HEP001 §7.1)");
    }
    return STOA_OK;
}

stoa_status stoa_table_remove(hid_t loc, const char *path, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t group = H5I_INVALID_HID;

    STOA_TRY(open_probed(loc, path, &group, err));
    if (stoa_path_is_root(path)) {
        /* Attributes go first, so that a partial failure leaves no table. */
        STOA_TRY(stoa_group_empty(group, err));
    } else {
        /* libhdf5 deletes an object when its last id is closed. If unlinking fails, the object
         * stays. */
        STOA_TRY(stoa_hdf_close(&group, status, err));
        STOA_TRY(stoa_link_must_be_hard(loc, path, "table", err));
        STOA_HDF(err, stoa_unlink(loc, path), "unlink the table");
    }
    STOA_HDF(err, stoa_flush(loc), "flush the file");

done:
    status = stoa_hdf_close(&group, status, err);
    if (status != STOA_OK) {
        char *file = stoa_hdf_name(loc, H5Fget_name);
        (void)stoa_at(err, status, "%s:%s", file != NULL ? file : "", path);
        free(file);
    }
    return status;
}
