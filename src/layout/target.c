/* See target.h. */
#include "layout/target.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "hdf/links.h"
#include "layout/pytables.h"
#include "table/target.h"

static bool exists(hid_t loc, const char *path)
{
    H5O_info2_t info;
    const stoa_quiet quiet = stoa_quiet_begin();
    const bool found = H5Oget_info_by_name3(loc, path, &info, H5O_INFO_BASIC, H5P_DEFAULT) >= 0;

    (void)H5Eclear2(H5E_DEFAULT);
    stoa_quiet_end(&quiet);
    return found;
}

stoa_status stoa_layout_check_target(hid_t loc, const char *path, bool replace, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_error ignored = STOA_ERROR_INIT;
    stoa_table *there = NULL;

    if (stoa_path_is_root(path)) {
        STOA_FAIL(err, STOA_EINVAL, "the root group cannot be such a table; give it a path");
    }
    if (exists(loc, path)) {
        if (!replace) {
            STOA_FAIL(err, STOA_EEXISTS,
                      "an object of that name is there already; choose another path");
        }
        if (stoa_layout_open(loc, path, &there, &ignored) == STOA_ELAYOUT) {
            STOA_FAIL(err, STOA_EEXISTS, "what is there is no table, and only a table is replaced");
        }
    }
    STOA_TRY(stoa_table_check_above(loc, path, err));

done:
    stoa_table_close(there);
    return status;
}

static stoa_status drop_indexes(hid_t loc, const char *path, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *indexes = stoa_pytables_index_path(path);

    STOA_TRY(indexes != NULL ? STOA_OK : stoa_fail_memory(err));
    if (exists(loc, indexes)) {
        STOA_HDF(err, H5Ldelete(loc, indexes, H5P_DEFAULT), "delete the old table's indexes");
    }

done:
    free(indexes);
    return status;
}

stoa_status stoa_layout_link(hid_t object, hid_t loc, const char *path, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t lcpl = H5I_INVALID_HID;
    hid_t old = H5I_INVALID_HID;
    bool is_unlinked = false;

    STOA_TRY(stoa_table_link_list(&lcpl, err));
    if (exists(loc, path)) {
        STOA_TRY(drop_indexes(loc, path, err));
        STOA_HDF(err, old = H5Oopen(loc, path, H5P_DEFAULT), "open what is replaced");
        STOA_HDF(err, H5Ldelete(loc, path, H5P_DEFAULT), "unlink what is replaced");
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
