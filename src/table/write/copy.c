/* stoa_table_copy(): copying a table within a file or to another one. */
#include <stoa/edit.h>

#include <stdlib.h>

#include "core/memory.h"
#include "hdf/copy/clone.h"
#include "hdf/copy/groups.h"
#include "hdf/metadata/attributes.h"
#include "table/write/target.h"
#include "table/write/update_indexes.h"

/* Stored bytes, for progress reports. Columns that cannot be read count as 0. */
static uint64_t weigh(const stoa_table *table)
{
    uint64_t n_bytes = 0;

    for (size_t i = 0; i < table->n_columns; i++) {
        stoa_column *const column = table->columns[i];
        if (column->list != NULL) {
            n_bytes +=
                stoa_column_load(column, NULL) == STOA_OK ? stoa_column_stored_bytes(column) : 0;
        } else if (stoa_column_reach(column, NULL) == STOA_OK) {
            n_bytes += stoa_stored_bytes(column->dataset);
            stoa_column_let_go(column);
        }
    }
    return n_bytes;
}

/* The root group exists already. A user's attributes on it must not be overwritten. */
static herr_t is_taken(hid_t from, const char *name, const H5A_info_t *info, void *root)
{
    (void)from;
    (void)info;
    return stoa_attribute_exists(*(const hid_t *)root, name) ? 1 : 0;
}

static stoa_status open_root(const stoa_table *table, hid_t loc, hid_t *group, stoa_error *err)
{
    herr_t taken = 0;

    STOA_RETURN_HDF_ERROR(err, *group = H5Gopen2(loc, "/", H5P_DEFAULT), "open '/'");
    STOA_RETURN_HDF_ERROR(
        err, taken = H5Aiterate2(table->group, H5_INDEX_NAME, H5_ITER_INC, NULL, is_taken, group),
        "list the table's attributes");
    if (taken > 0) {
        return stoa_fail(err, STOA_EEXISTS,
                         "the root group has an attribute that the table has, too");
    }
    return STOA_OK;
}

static herr_t take_out(hid_t from, const char *name, const H5A_info_t *info, void *root)
{
    (void)from;
    (void)info;
    (void)stoa_attribute_delete(*(const hid_t *)root, name, NULL);
    return 0;
}

/* Remove the copied attributes and links from the root. The user's attributes stay: none has the
 * name of an attribute of the table. */
static void empty_root(const stoa_table *table, hid_t root)
{
    const stoa_error_stack errors = stoa_error_stack_begin();

    (void)H5Aiterate2(table->group, H5_INDEX_NAME, H5_ITER_INC, NULL, take_out, &root);
    stoa_error_stack_discard(&errors);
    stoa_group_unlink_all(root);
}

static stoa_status make_group(const stoa_table *table, hid_t loc, hid_t *group, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t creation = H5I_INVALID_HID;

    STOA_TRY(stoa_group_creation(table->group, &creation, err));
    STOA_HDF(err, *group = H5Gcreate_anon(loc, creation, H5P_DEFAULT), "create a group");

done:
    return stoa_hdf_close(&creation, status, err);
}

stoa_status stoa_table_copy(const stoa_table *table, hid_t loc, const char *path,
                            const stoa_edit_options *options, stoa_error *err)
{
    const stoa_status entered = stoa_table_enter(table, err);
    stoa_status status = STOA_OK;
    hid_t group = H5I_INVALID_HID;
    const bool is_root = stoa_path_is_root(path);
    bool is_begun = false;
    stoa_edit_options own;

    STOA_TRY(entered);
    STOA_TRY(stoa_table_is_own(table, err));
    STOA_TRY(stoa_edit_options_copy(options, &own, err));
    STOA_TRY(stoa_table_check_target(loc, path, false, err));
    if (is_root) {
        STOA_TRY(open_root(table, loc, &group, err));
    } else {
        STOA_TRY(make_group(table, loc, &group, err));
    }
    is_begun = true;
    /* The copy is linked once it is complete. At the root, CLASS comes last, with the
     * attributes. */
    STOA_TRY(stoa_clone_group(table->group, group, NULL, &own.listener, weigh(table), err));
    STOA_HDF(err, stoa_flush(group), "flush the copy");
    STOA_TRY(stoa_table_link(group, loc, path, err));
    STOA_HDF(err, stoa_flush(loc), "flush the file");

done:
    if (entered == STOA_OK) {
        stoa_table_leave(table);
    }
    if (status != STOA_OK && is_root && is_begun) {
        empty_root(table, group);
    }
    status = stoa_hdf_close(&group, status, err);
    if (status != STOA_OK) {
        char *file = stoa_hdf_name(loc, H5Fget_name);
        (void)stoa_at(err, status, "%s:%s", file != NULL ? file : "", path);
        free(file);
    }
    return status;
}
