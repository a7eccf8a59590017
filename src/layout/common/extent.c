#include "layout/common/extent.h"

stoa_status stoa_extent_print(hid_t dataset, stoa_buffer *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hsize_t extent[H5S_MAX_RANK];
    hid_t space = H5I_INVALID_HID;
    int rank = 0;

    STOA_HDF(err, space = H5Dget_space(dataset), "get the shape");
    STOA_HDF(err, rank = H5Sget_simple_extent_dims(space, extent, NULL), "get the shape");
    if (rank == 0) {
        STOA_TRY(stoa_buffer_print(out, err, "scalar"));
    }
    for (int i = 0; i < rank; i++) {
        STOA_TRY(stoa_buffer_print(out, err, "%s%llu", i > 0 ? " x " : "",
                                   (unsigned long long)extent[i]));
    }

done:
    return stoa_hdf_close(&space, status, err);
}
