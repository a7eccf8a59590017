#include "layout/anndata/entries.h"

#include <stoa/matrix_group.h>

#include "hdf/metadata/links.h"
#include "layout/anndata/anndata.h"
#include "layout/common/entries.h"
#include "layout/common/extent.h"

static stoa_status open_group(hid_t group, stoa_entries *m, stoa_error *err)
{
    stoa_matrix_group_info info = STOA_MATRIX_GROUP_INFO_INIT;

    STOA_RETURN_NOT_OK(stoa_matrix_group_describe(group, ".", &info, err));
    m->line_axis = info.form == STOA_MATRIX_CSC ? 1 : 0;
    m->box.rank = 2;
    m->box.extent[0] = info.n_rows;
    m->box.extent[1] = info.n_columns;
    STOA_RETURN_NOT_OK(stoa_anndata_values(group, "indptr", "indptr", &m->pointers, err));
    STOA_RETURN_NOT_OK(stoa_anndata_values(group, "indices", "indices", &m->indices, err));
    return stoa_anndata_values(group, "data", "data", &m->values, err);
}

static stoa_status open_array(hid_t dataset, stoa_entries *m, stoa_error *err)
{
    int rank = 0;
    hid_t own = H5I_INVALID_HID;

    STOA_RETURN_NOT_OK(stoa_extent_read(dataset, &rank, m->box.extent, err));
    m->is_dense = true;
    m->box.rank = (unsigned)rank;
    STOA_RETURN_HDF_ERROR(err, own = stoa_open_here(dataset, "."), "open it");
    return stoa_column_of_dataset("value", own, 0, STOA_WHOLE_ROWS, &m->values, err);
}

stoa_status stoa_anndata_open_entries(hid_t object, const char *path, const char *file,
                                      const char *text, stoa_array_box *box, stoa_table **table,
                                      stoa_error *err)
{
    stoa_entries entries = {.rule = NULL};
    stoa_status status = H5Iget_type(object) == H5I_GROUP ? open_group(object, &entries, err)
                                                          : open_array(object, &entries, err);

    if (status == STOA_OK) {
        return stoa_entries_open(object, path, file, text, &entries, box, table, err);
    }
    stoa_entries_clear(&entries);
    return stoa_hdf_close(&object, status, err);
}
