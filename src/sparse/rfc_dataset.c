#include "sparse/rfc_dataset.h"

#include <H5VLnative.h>

#include "sparse/connector_op.h"
#include "sparse/dataset.h"

stoa_status stoa_rfc_open(hid_t dataset, stoa_rfc_dataset *d, stoa_error *err)
{
    stoa_connected connected;
    stoa_status status = STOA_OK;

    *d = (stoa_rfc_dataset){.id = dataset, .can_write = true, .below = H5I_INVALID_HID};
    if (H5Iget_type(dataset) != H5I_DATASET) {
        STOA_FAIL(err, STOA_EINVAL, "no dataset");
    }
    status = stoa_connected_dataset(dataset, &connected, NULL);
    if (status == STOA_ENOTFOUND) {
        d->is_own = true;
        STOA_TRY(stoa_sparse_filter_register(err));
        STOA_TRY(stoa_store_of_dataset(&d->id, 0, &d->store, err));
        goto done;
    }
    if (status != STOA_OK) {
        STOA_TRY(stoa_connected_dataset(dataset, &connected, err));
    }
    if (connected.store == NULL) {
        STOA_FAIL(err, STOA_ELAYOUT, "no dataset of structured chunks");
    }
    d->store = connected.store;
    d->can_write = connected.can_write;
    d->object = connected.object;
    d->below = connected.below;

done:
    return status;
}

stoa_status stoa_rfc_close(stoa_rfc_dataset *d, stoa_status status, stoa_error *err)
{
    if (d->is_own && d->store != NULL) {
        if (status == STOA_OK) {
            status = stoa_store_flush(d->store, err);
        }
        stoa_store_close(d->store);
    }
    d->store = NULL;
    return status;
}

stoa_status stoa_rfc_selection(hid_t dataset, hid_t file_space, hid_t *space, stoa_error *err)
{
    htri_t is_inside = 0;
    stoa_status status = STOA_OK;

    *space = H5I_INVALID_HID;
    STOA_HDF(err, *space = H5Dget_space(dataset), "look up the extent");
    if (file_space == H5S_ALL) {
        STOA_HDF(err, H5Sselect_all(*space), "select all");
        goto done;
    }
    STOA_HDF(err, H5Sselect_copy(*space, file_space), "look at the selection");
    STOA_HDF(err, is_inside = H5Sselect_valid(*space), "look at the selection");
    if (is_inside == 0) {
        STOA_FAIL(err, STOA_ERANGE, "the selection leaves the dataset's extent");
    }

done:
    if (status != STOA_OK) {
        (void)stoa_hdf_close(space, STOA_OK, NULL);
    }
    return status;
}

/* --- what is below --------------------------------------------------------------------------- */

stoa_status stoa_rfc_locate(const stoa_rfc_dataset *d, const hsize_t *offset, haddr_t *address,
                            hsize_t *n_bytes, stoa_error *err)
{
    H5VL_native_dataset_optional_args_t args;
    unsigned mask = 0;
    stoa_status status = STOA_OK;

    *address = HADDR_UNDEF;
    *n_bytes = 0;
    if (d->object == NULL) {
        STOA_HDF(err, H5Dget_chunk_info_by_coord(d->id, offset, &mask, address, n_bytes),
                 "look up a chunk");
        goto done;
    }
    args.get_chunk_info_by_coord.offset = offset;
    args.get_chunk_info_by_coord.filter_mask = &mask;
    args.get_chunk_info_by_coord.addr = address;
    args.get_chunk_info_by_coord.size = n_bytes;
    STOA_HDF(
        err,
        stoa_native_below(d->object, d->below, H5VL_NATIVE_DATASET_GET_CHUNK_INFO_BY_COORD, &args),
        "look up a chunk");

done:
    return status;
}

stoa_status stoa_rfc_iterate(const stoa_rfc_dataset *d, H5D_chunk_iter_op_t visit, void *context,
                             stoa_error *err)
{
    H5VL_native_dataset_optional_args_t args;
    stoa_status status = STOA_OK;

    if (d->object == NULL) {
        STOA_HDF(err, H5Dchunk_iter(d->id, H5P_DEFAULT, visit, context), "go through the chunks");
        goto done;
    }
    args.chunk_iter.op = visit;
    args.chunk_iter.op_data = context;
    STOA_HDF(err, stoa_native_below(d->object, d->below, H5VL_NATIVE_DATASET_CHUNK_ITER, &args),
             "go through the chunks");

done:
    return status;
}
