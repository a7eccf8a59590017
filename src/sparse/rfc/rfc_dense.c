/* HDF5's own chunk calls, which fail for structured chunks (RFC §2.2.7). Before the connector
 * flushes, the file may not have the current chunks, and they are not dense anyway. */
#include "sparse/rfc/rfc_dataset.h"
#include "sparse/store/dataset.h"

/* Check that a call on dense chunks may proceed. If the object is not a dataset, libhdf5 reports
 * it. */
static stoa_status must_be_dense(hid_t dset, const char *call, stoa_error *err)
{
    return stoa_is_structured(dset)
               ? stoa_fail(err, STOA_ELAYOUT,
                           "%s() is of dense chunks; structured ones have calls of their "
                           "own (RFC §2.2.7)",
                           call)
               : STOA_OK;
}

herr_t stoa_h5d_write_chunk(hid_t dset, hid_t dxpl, uint32_t mask, const hsize_t *offset,
                            size_t n_bytes, const void *buf)
{
    stoa_error err = STOA_ERROR_INIT;
    const stoa_status status = must_be_dense(dset, "H5Dwrite_chunk", &err);

    return status == STOA_OK ? H5Dwrite_chunk(dset, dxpl, mask, offset, n_bytes, buf)
                             : stoa_rfc_result(status, &err);
}

herr_t stoa_h5d_get_chunk_info(hid_t dset, hid_t fspace, hsize_t chunk_idx, hsize_t *offset,
                               unsigned *mask, haddr_t *addr, hsize_t *size)
{
    stoa_error err = STOA_ERROR_INIT;
    const stoa_status status = must_be_dense(dset, "H5Dget_chunk_info", &err);

    return status == STOA_OK ? H5Dget_chunk_info(dset, fspace, chunk_idx, offset, mask, addr, size)
                             : stoa_rfc_result(status, &err);
}

herr_t stoa_h5d_get_chunk_info_by_coord(hid_t dset, const hsize_t *offset, unsigned *mask,
                                        haddr_t *addr, hsize_t *size)
{
    stoa_error err = STOA_ERROR_INIT;
    const stoa_status status = must_be_dense(dset, "H5Dget_chunk_info_by_coord", &err);

    return status == STOA_OK ? H5Dget_chunk_info_by_coord(dset, offset, mask, addr, size)
                             : stoa_rfc_result(status, &err);
}

/* List chunks through libhdf5, which reports objects that are not chunked datasets. */
static herr_t list_chunks(hid_t dset, hid_t dxpl, stoa_rfc_chunks *chunks, stoa_chunk_walk *walk)
{
    const hid_t space = H5Dget_space(dset);
    const int rank = space < 0 ? -1 : H5Sget_simple_extent_ndims(space);

    if (rank < 0) {
        return -1;
    }
    (void)H5Sclose(space);
    chunks->rank = (unsigned)rank;
    return H5Dchunk_iter(dset, dxpl, stoa_chunk_walk_step, walk);
}

herr_t stoa_h5d_chunk_iter(hid_t dset, hid_t dxpl, H5D_chunk_iter_op_t cb, void *op_data)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_rfc_chunks chunks = {.rank = 0};
    stoa_chunk_walk walk = {.visit = stoa_rfc_note_chunk, .visitor = &chunks, .err = &err};
    herr_t result = 0;

    walk.status = must_be_dense(dset, "H5Dchunk_iter", &err);
    if (walk.status == STOA_OK) {
        result = cb == NULL ? H5Dchunk_iter(dset, dxpl, cb, op_data)
                            : list_chunks(dset, dxpl, &chunks, &walk);
    }
    const stoa_rfc_chunk *const all = (const stoa_rfc_chunk *)(const void *)chunks.all.data;
    const size_t n = chunks.all.size / sizeof *all;
    for (size_t i = 0; walk.status == STOA_OK && result == 0 && i < n; i++) {
        result = cb(all[i].offset, all[i].mask, all[i].address, all[i].n_bytes, op_data);
    }
    stoa_buffer_clear(&chunks.all);
    return walk.status == STOA_OK ? result : stoa_rfc_result(walk.status, &err);
}
