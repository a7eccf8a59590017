#include "sparse/rfc/rfc_dataset.h"

#include "hdf/chunk/chunk_list.h"
#include "sparse/store/connector_op.h"
#include "sparse/store/dataset.h"

stoa_status stoa_rfc_open(hid_t dataset, stoa_rfc_dataset *d, stoa_error *err)
{
    stoa_connected connected;
    stoa_status status = STOA_OK;

    *d = (stoa_rfc_dataset){.id = dataset, .can_write = true, .below = H5I_INVALID_HID};
    if (H5Iget_type(dataset) != H5I_DATASET) {
        return stoa_fail(err, STOA_EINVAL, "no dataset");
    }
    status = stoa_connected_dataset(dataset, &connected, NULL);
    if (status == STOA_ENOTFOUND) {
        d->is_own = true;
        STOA_RETURN_NOT_OK(stoa_sparse_filter_register(err));
        return stoa_store_of_dataset(&d->id, 0, &d->store, err);
    }
    if (status != STOA_OK) {
        STOA_RETURN_NOT_OK(stoa_connected_dataset(dataset, &connected, err));
    }
    if (connected.store == NULL) {
        return stoa_fail(err, STOA_ELAYOUT, "no dataset of structured chunks");
    }
    d->store = connected.store;
    d->can_write = connected.can_write;
    d->object = connected.object;
    d->below = connected.below;
    return STOA_OK;
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

/* --- the object below ------------------------------------------------------------------------ */

stoa_status stoa_rfc_locate(const stoa_rfc_dataset *d, const hsize_t *offset, haddr_t *address,
                            hsize_t *n_bytes, stoa_error *err)
{
    stoa_chunk_search search = {
        .rank = (int)stoa_store_shape(d->store)->rank, .offset = offset, .address = HADDR_UNDEF};

    STOA_RETURN_NOT_OK(stoa_rfc_list(d, stoa_chunk_search_step, &search, err));
    *address = search.address;
    *n_bytes = search.n_bytes;
    return STOA_OK;
}

int stoa_rfc_note_chunk(const hsize_t *offset, unsigned mask, haddr_t address, hsize_t n_bytes,
                        void *context)
{
    stoa_rfc_chunks *chunks = context;
    stoa_rfc_chunk chunk = {.address = address, .n_bytes = n_bytes, .mask = mask};

    memcpy(chunk.offset, offset, chunks->rank * sizeof *offset);
    chunks->status = stoa_buffer_append(&chunks->all, &chunk, sizeof chunk, chunks->err);
    return chunks->status == STOA_OK ? H5_ITER_CONT : H5_ITER_STOP;
}

stoa_status stoa_rfc_list(const stoa_rfc_dataset *d, H5D_chunk_iter_op_t visit, void *context,
                          stoa_error *err)
{
    return d->object == NULL ? stoa_chunks_list(d->id, visit, context, err)
                             : stoa_native_list(d->object, d->below, visit, context, err);
}
