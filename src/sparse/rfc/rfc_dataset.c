#include "sparse/rfc/rfc_dataset.h"

#include "sparse/store/connector_op.h"
#include "sparse/store/dataset.h"

stoa_status stoa_rfc_open(hid_t dataset, stoa_rfc_dataset *d, stoa_error *err)
{
    stoa_connected connected;
    stoa_status status = STOA_OK;

    *d = (stoa_rfc_dataset){.id = dataset, .can_write = true};
    if (H5Iget_type(dataset) != H5I_DATASET) {
        return stoa_fail(err, STOA_EINVAL, "no dataset");
    }
    status = stoa_connected_dataset(dataset, &connected, NULL);
    if (status == STOA_ENOTFOUND) {
        d->is_own = true;
        STOA_RETURN_NOT_OK(stoa_sparse_filter_register(err));
        return stoa_store_of_dataset(d->id, 0, &d->store, err);
    }
    if (status != STOA_OK) {
        STOA_RETURN_NOT_OK(stoa_connected_dataset(dataset, &connected, err));
    }
    if (connected.store == NULL) {
        return stoa_fail(err, STOA_ELAYOUT, "no dataset of structured chunks");
    }
    d->store = connected.store;
    d->can_write = connected.can_write;
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

/* --- chunks as they are in the file ---------------------------------------------------------- */

/* A search for one chunk. */
typedef struct search {
    const hsize_t *offset;
    unsigned rank;
    haddr_t address;
    hsize_t n_bytes;
} search;

static stoa_status note_if_wanted(void *context, const stoa_stored_chunk *chunk, stoa_error *err)
{
    search *s = context;

    (void)err;
    if (memcmp(chunk->offset, s->offset, s->rank * sizeof *s->offset) != 0) {
        return STOA_OK;
    }
    s->address = chunk->address;
    s->n_bytes = chunk->n_bytes;
    return STOA_ECANCELLED; /* found: the others do not matter */
}

stoa_status stoa_rfc_locate(const stoa_rfc_dataset *d, const hsize_t *offset, haddr_t *address,
                            hsize_t *n_bytes, stoa_error *err)
{
    const stoa_chunk_io *io = stoa_store_io(d->store);
    search s = {.offset = offset, .rank = stoa_store_shape(d->store)->rank, .address = HADDR_UNDEF};

    const stoa_status status = io->iterate(io->context, note_if_wanted, &s, err);
    STOA_RETURN_NOT_OK(status == STOA_ECANCELLED ? STOA_OK : status);
    *address = s.address;
    *n_bytes = s.n_bytes;
    return STOA_OK;
}

stoa_status stoa_rfc_note_chunk(void *context, const stoa_stored_chunk *chunk, stoa_error *err)
{
    stoa_rfc_chunks *chunks = context;
    stoa_rfc_chunk one = {
        .address = chunk->address, .n_bytes = chunk->n_bytes, .mask = chunk->mask};

    memcpy(one.offset, chunk->offset, chunks->rank * sizeof *one.offset);
    return stoa_buffer_append(&chunks->all, &one, sizeof one, err);
}
