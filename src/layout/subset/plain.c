#include "layout/subset/plain.h"

#include "hdf/ids.h"
#include "layout/common/extent.h"
#include "layout/subset/plan.h"

static stoa_status count(hid_t object, bool *is_one, uint64_t *n_rows, stoa_error *err)
{
    hsize_t extent[H5S_MAX_RANK] = {0};
    int rank = 0;

    *is_one = false;
    if (H5Iget_type(object) == H5I_DATASET) {
        STOA_RETURN_NOT_OK(stoa_extent_read(object, &rank, extent, err));
        *is_one = rank > 0;
        *n_rows = extent[0];
    }
    return STOA_OK;
}

static stoa_status select_rows(stoa_subset_plan *plan, hid_t object, const char *path,
                               const stoa_axis_lines *rows, stoa_error *err)
{
    (void)path;
    return stoa_subset_select(plan, object, rows, NULL, err);
}

const stoa_layout_subset stoa_subset_plain = {.count = count, .select = select_rows};
