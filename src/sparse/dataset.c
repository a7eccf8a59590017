#include "sparse/dataset.h"

#include <stdlib.h>

#include "hdf/ids.h"
#include "sparse/filter.h"

/* Exactly one filter, in chunks, of which each passes it (sparse fact sheet §2.5). */
static stoa_status format_of(hid_t dcpl, hid_t type, stoa_sparse_format *format, stoa_error *err)
{
    unsigned options = 0;
    int n = 0;
    stoa_status status = STOA_OK;

    if (H5Pget_layout(dcpl) != H5D_CHUNKED) {
        STOA_FAIL(err, STOA_ELAYOUT, "no dataset of structured chunks");
    }
    status = stoa_sparse_format_of_list(dcpl, format, err);
    if (status == STOA_ENOTFOUND && err != NULL) {
        err->status = STOA_ELAYOUT;
    }
    STOA_TRY(status == STOA_ENOTFOUND ? STOA_ELAYOUT : status);
    STOA_HDF(err, n = H5Pget_nfilters(dcpl), "count filters");
    STOA_HDF(err, H5Pget_chunk_opts(dcpl, &options), "look up how chunks are stored");
    if (n != 1 || (options & H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS) != 0) {
        STOA_FAIL(err, STOA_ELAYOUT,
                  "structured chunks that pass other filters, too, or are stored without");
    }
    if (!format->is_bound || format->element_size != H5Tget_size(type)) {
        STOA_FAIL(err, STOA_EDATA, "the parameters of filter %d are not those of the dataset",
                  STOA_SPARSE_FILTER);
    }

done:
    return status;
}

static stoa_status shape_of(hid_t dcpl, hid_t space, stoa_shape *shape, stoa_error *err)
{
    hsize_t extent[H5S_MAX_RANK];
    hsize_t chunk[H5S_MAX_RANK];
    int rank = 0;
    stoa_status status = STOA_OK;

    STOA_HDF(err, rank = H5Sget_simple_extent_dims(space, extent, NULL), "look up the extent");
    STOA_HDF(err, H5Pget_chunk(dcpl, H5S_MAX_RANK, chunk), "look up the shape of chunks");
    STOA_TRY(stoa_shape_make((unsigned)rank, extent, chunk, shape, err));

done:
    return status;
}

/* The fill value, where the format's parameters are too short for it. */
static stoa_status long_fill(hid_t dcpl, hid_t type, size_t size, uint8_t **fill, stoa_error *err)
{
    stoa_status status = STOA_OK;

    *fill = stoa_alloc_zero(1, size);
    if (*fill == NULL) {
        STOA_TRY(stoa_fail_memory(err));
    }
    STOA_HDF(err, H5Pget_fill_value(dcpl, type, *fill), "read the fill value");

done:
    return status;
}

stoa_status stoa_store_of(const stoa_chunk_io *io, hid_t dcpl, hid_t type, hid_t space,
                          const stoa_heap_measure *heap, size_t cache_bytes, stoa_store **store,
                          stoa_error *err)
{
    stoa_sparse_format format;
    stoa_store_setup setup = {.io = *io, .format = &format, .cache_bytes = cache_bytes};
    uint8_t *fill = NULL;
    stoa_status status = STOA_OK;

    *store = NULL;
    STOA_TRY(format_of(dcpl, type, &format, err));
    STOA_TRY(shape_of(dcpl, space, &setup.shape, err));
    if (format.fill_is_elsewhere) {
        STOA_TRY(long_fill(dcpl, type, format.element_size, &fill, err));
        setup.fill = fill;
    }
    if (heap != NULL) {
        setup.heap = *heap;
    } else if (format.has_heap) {
        STOA_FAIL(err, STOA_ETYPE,
                  "elements of variable length are read and written by H5Dread() and H5Dwrite() "
                  "under Stoa's connector");
    }
    STOA_TRY(stoa_store_open(&setup, store, err));

done:
    free(fill);
    return status;
}

stoa_status stoa_store_of_dataset(hid_t *dataset, size_t cache_bytes, stoa_store **store,
                                  stoa_error *err)
{
    const stoa_chunk_io io = stoa_chunk_io_of(dataset);
    hid_t dcpl = H5I_INVALID_HID;
    hid_t type = H5I_INVALID_HID;
    hid_t space = H5I_INVALID_HID;
    stoa_status status = STOA_OK;

    *store = NULL;
    STOA_HDF(err, dcpl = H5Dget_create_plist(*dataset), "look up how a dataset was made");
    STOA_HDF(err, type = H5Dget_type(*dataset), "look up the type of elements");
    STOA_HDF(err, space = H5Dget_space(*dataset), "look up the extent");
    STOA_TRY(stoa_store_of(&io, dcpl, type, space, NULL, cache_bytes, store, err));

done:
    status = stoa_hdf_close(&space, status, err);
    status = stoa_hdf_close(&type, status, err);
    return stoa_hdf_close(&dcpl, status, err);
}
