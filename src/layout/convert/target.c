#include "layout/convert/target.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "hdf/copy/object_storage.h"
#include "hdf/metadata/links.h"
#include "layout/registry.h"
#include "table/write/target.h"

stoa_status stoa_layout_check_target(hid_t loc, const char *path, bool replace, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_error ignored = STOA_ERROR_INIT;
    stoa_table *there = NULL;

    if (stoa_path_is_root(path)) {
        STOA_FAIL(err, STOA_EINVAL, "the root group cannot be such a table; give it a path");
    }
    if (stoa_object_exists(loc, path)) {
        if (!replace) {
            STOA_FAIL(err, STOA_EEXISTS,
                      "an object of that name is there already; choose another path");
        }
        if (stoa_table_open(loc, path, &there, &ignored) == STOA_ELAYOUT) {
            STOA_FAIL(err, STOA_EEXISTS, "what is there is no table, and only a table is replaced");
        }
    }
    STOA_TRY(stoa_table_check_above(loc, path, err));

done:
    stoa_table_close(there);
    return status;
}

static stoa_status drop_companion(const stoa_layout *layout, hid_t loc, const char *path,
                                  stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *companion = layout->companion(path);

    STOA_TRY(companion != NULL ? STOA_OK : stoa_fail_memory(err));
    if (stoa_object_exists(loc, companion)) {
        STOA_HDF(err, stoa_unlink(loc, companion), "delete what the old table had beside it");
    }

done:
    free(companion);
    return status;
}

stoa_status stoa_layout_make_way(hid_t loc, const char *path, stoa_error *err)
{
    if (!stoa_object_exists(loc, path)) {
        return STOA_OK;
    }
    for (size_t i = 0; stoa_layouts[i] != NULL; i++) {
        if (stoa_layouts[i]->companion != NULL) {
            STOA_RETURN_NOT_OK(drop_companion(stoa_layouts[i], loc, path, err));
        }
    }
    return STOA_OK;
}
