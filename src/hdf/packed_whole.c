/* A whole dataset at once; see packed.h. */
#include "hdf/packed.h"

stoa_status stoa_packed_read_whole(hid_t dataset, hid_t mem_type, hsize_t n, void *out,
                                   stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_packed packed = STOA_PACKED_INIT;
    const hsize_t start = 0;

    STOA_TRY(stoa_packed_open_checked(&packed, dataset, err));
    if (packed.is_ours && packed.rank == 1) {
        STOA_TRY(stoa_packed_read_box(&packed, mem_type, &start, &n, NULL, NULL, out, err));
        goto done;
    }
    STOA_TRY(stoa_packed_look(&packed, &start, &n, err));
    STOA_HDF(err, H5Dread(dataset, mem_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, out),
             "read all %llu elements", (unsigned long long)n);

done:
    stoa_packed_close(&packed);
    return status;
}
