/* Opens tables of an AnnData file, in either form (anndata.h). */
#include <stdlib.h>

#include "hdf/metadata/links.h"
#include "hdf/metadata/other_files.h"
#include "layout/anndata/anndata.h"

static stoa_status open_frame(hid_t loc, const char *path, const char *file, stoa_table **table,
                              stoa_error *err)
{
    static const stoa_layout_class *const classes[] = {&stoa_anndata_frames,
                                                       &stoa_anndata_old_frames};
    stoa_status status = STOA_OK;
    stoa_object shown = {.path = NULL}; /* required, but not used */
    hid_t object = H5I_INVALID_HID;
    bool is_one = false;
    size_t i = 0;

    STOA_HDF(err, object = stoa_open_here(loc, path), "open it");
    while (i < sizeof classes / sizeof *classes && !is_one) {
        STOA_TRY(classes[i++]->identify(object, H5Iget_type(object), &is_one, &shown, err));
    }
    if (!is_one) {
        STOA_FAIL(err, STOA_ELAYOUT, "is neither a frame of AnnData nor a table of HEP001");
    }
    const hid_t taken = object;
    object = H5I_INVALID_HID;
    STOA_TRY(classes[i - 1]->open(taken, path, file, table, err));

done:
    return stoa_hdf_close(&object, status, err);
}

stoa_status stoa_anndata_open(hid_t loc, const char *path, stoa_table **table, stoa_error *err)
{
    stoa_error why = STOA_ERROR_INIT;
    stoa_status status = stoa_hep001_open(loc, path, table, &why);

    if (status != STOA_ELAYOUT) {
        if (status != STOA_OK && err != NULL) {
            *err = why;
        }
        return status;
    }
    char *file = stoa_hdf_name(loc, H5Fget_name);
    status = file != NULL ? open_frame(loc, path, file, table, err) : stoa_fail_memory(err);
    (void)stoa_within(err, status, "%s:%s", file != NULL ? file : "", path);
    free(file);
    return status;
}
