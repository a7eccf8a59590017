#include "sparse/store/dataset.h"

#include <stdlib.h>

#include "hdf/ids.h"
#include "hdf/metadata/libhdf5_checks.h"
#include "sparse/format/filter.h"
#include "sparse/store/store_parts.h"

bool stoa_is_structured(hid_t dataset)
{
    const stoa_error_stack errors = stoa_error_stack_begin();
    hid_t dcpl = stoa_dataset_properties(dataset);
    const bool is = dcpl >= 0 && stoa_list_is_structured(dcpl);

    stoa_error_stack_discard(&errors);
    (void)stoa_hdf_close(&dcpl, STOA_OK, NULL);
    return is;
}

stoa_status stoa_sparse_format_of(hid_t dcpl, hid_t type, stoa_sparse_format *format,
                                  stoa_error *err)
{
    unsigned options = 0;
    int n = 0;
    stoa_status status = STOA_OK;

    if (H5Pget_layout(dcpl) != H5D_CHUNKED) {
        return stoa_fail(err, STOA_ELAYOUT, "no dataset of structured chunks");
    }
    status = stoa_sparse_format_of_list(dcpl, format, err);
    if (status == STOA_ENOTFOUND && err != NULL) {
        err->status = STOA_ELAYOUT;
    }
    STOA_RETURN_NOT_OK(status == STOA_ENOTFOUND ? STOA_ELAYOUT : status);
    STOA_RETURN_HDF_ERROR(err, n = H5Pget_nfilters(dcpl), "count filters");
    STOA_RETURN_HDF_ERROR(err, H5Pget_chunk_opts(dcpl, &options), "look up how chunks are stored");
    if (n != 1 || (options & H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS) != 0) {
        return stoa_fail(err, STOA_ELAYOUT,
                         "structured chunks that pass other filters, too, or are stored without");
    }
    const bool is_variable = format->has_heap || format->has_references;
    if (!format->is_bound || (!is_variable && format->element_size != H5Tget_size(type))) {
        return stoa_fail(err, STOA_EDATA,
                         "the parameters of filter %d are not those of the dataset",
                         STOA_SPARSE_FILTER);
    }
    return status;
}

stoa_status stoa_sparse_shape_of(hid_t dcpl, hid_t space, stoa_shape *shape, stoa_error *err)
{
    hsize_t extent[H5S_MAX_RANK];
    hsize_t chunk[H5S_MAX_RANK];
    int rank = 0;

    STOA_RETURN_HDF_ERROR(err, rank = H5Sget_simple_extent_dims(space, extent, NULL),
                          "look up the extent");
    STOA_RETURN_HDF_ERROR(err, H5Pget_chunk(dcpl, H5S_MAX_RANK, chunk),
                          "look up the shape of chunks");
    return stoa_shape_make((unsigned)rank, extent, chunk, shape, err);
}

/* Size in bytes of an address in the file of `loc`. */
static stoa_status address_size(hid_t loc, size_t *n, stoa_error *err)
{
    size_t n_length = 0;
    hid_t file = H5I_INVALID_HID;
    hid_t fcpl = H5I_INVALID_HID;
    stoa_status status = STOA_OK;

    STOA_HDF(err, file = H5Iget_file_id(loc), "find the file");
    STOA_HDF(err, fcpl = H5Fget_create_plist(file), "look up how a file was made");
    STOA_HDF(err, H5Pget_sizes(fcpl, n, &n_length), "look up the size of addresses");

done:
    status = stoa_hdf_close(&fcpl, status, err);
    return stoa_hdf_close(&file, status, err);
}

stoa_status stoa_sparse_bind_variable(hid_t loc, hid_t dcpl, hid_t type, stoa_sparse_format *format,
                                      stoa_error *err)
{
    stoa_vlen_layout *layout = NULL;
    hid_t memory = H5I_INVALID_HID;
    size_t n_address = 0;
    stoa_status status = STOA_OK;

    STOA_HDF(err, memory = H5Tcopy(type), "copy a datatype");
    STOA_TRY(stoa_vlen_layout_of(memory, H5I_INVALID_HID, &layout, err));
    STOA_TRY(address_size(loc, &n_address, err));
    STOA_TRY(stoa_sparse_format_bind(format, dcpl, memory, n_address + 8, err));

done:
    stoa_vlen_layout_free(layout);
    return stoa_hdf_close(&memory, status, err);
}

/* The fill value if it is too long for the format's parameters. */
static stoa_status long_fill(hid_t dcpl, hid_t type, size_t size, uint8_t **fill, stoa_error *err)
{
    *fill = stoa_alloc_zero(1, size);
    STOA_RETURN_NO_MEMORY(err, *fill);
    STOA_RETURN_HDF_ERROR(err, H5Pget_fill_value(dcpl, type, *fill), "read the fill value");
    return STOA_OK;
}

/* Whether the format's description of elements matches their type. */
static bool is_of_type(const stoa_sparse_format *format, const stoa_vlen_layout *layout)
{
    if (format->has_heap) {
        return stoa_vlen_fits(layout, format);
    }
    const size_t plain = layout->packed_size - layout->n_slots * sizeof(uint32_t);
    return layout->n_slots > 0 && format->element_size > plain &&
           (format->element_size - plain) % layout->n_slots == 0 &&
           (format->element_size - plain) / layout->n_slots > sizeof(uint32_t);
}

/* Set the layout of variable-length elements and their fill value. */
static stoa_status set_up_variable(hid_t dcpl, hid_t type, stoa_store_setup *setup,
                                   stoa_vlen_fill *fill, stoa_error *err)
{
    hid_t memory = H5I_INVALID_HID;
    stoa_status status = STOA_OK;

    STOA_HDF(err, memory = H5Tcopy(type), "copy a datatype");
    STOA_TRY(stoa_vlen_layout_of(memory, H5I_INVALID_HID, &setup->vlen, err));
    if (!is_of_type(setup->format, setup->vlen)) {
        STOA_FAIL(err, STOA_EDATA, "the parameters of filter %d are not those of the dataset",
                  STOA_SPARSE_FILTER);
    }
    if (setup->format->has_heap) {
        STOA_TRY(stoa_vlen_fill_of(dcpl, memory, setup->vlen, fill, err));
        setup->fill_value = fill->value;
        setup->fill_heap = fill->heap.data;
        setup->n_fill_heap = fill->heap.size;
    }

done:
    return stoa_hdf_close(&memory, status, err);
}

stoa_status stoa_store_of(const stoa_chunk_io *io, hid_t dcpl, hid_t type, hid_t space,
                          size_t cache_bytes, stoa_store **store, stoa_error *err)
{
    stoa_sparse_format format;
    stoa_store_setup setup = {.io = *io, .format = &format, .cache_bytes = cache_bytes};
    stoa_vlen_fill variable = {.value = NULL};
    uint8_t *fill = NULL;
    stoa_status status = STOA_OK;

    *store = NULL;
    STOA_TRY(stoa_sparse_format_of(dcpl, type, &format, err));
    STOA_TRY(stoa_sparse_shape_of(dcpl, space, &setup.shape, err));
    if (format.has_heap || format.has_references) {
        STOA_TRY(set_up_variable(dcpl, type, &setup, &variable, err));
    } else if (format.fill_is_elsewhere) {
        STOA_TRY(long_fill(dcpl, type, format.element_size, &fill, err));
        setup.fill = fill;
    }
    STOA_TRY(stoa_store_open(&setup, store, err));
    setup.vlen = NULL; /* owned by the store */

done:
    stoa_vlen_layout_free(setup.vlen);
    stoa_vlen_fill_clear(&variable);
    free(fill);
    return status;
}

stoa_status stoa_store_of_dataset(hid_t dataset, size_t cache_bytes, stoa_store **store,
                                  stoa_error *err)
{
    stoa_chunk_dataset *own = stoa_alloc_zero(1, sizeof *own);
    stoa_store *made = NULL;
    hid_t dcpl = H5I_INVALID_HID;
    hid_t type = H5I_INVALID_HID;
    hid_t space = H5I_INVALID_HID;
    stoa_status status = STOA_OK;

    *store = NULL;
    STOA_RETURN_NO_MEMORY(err, own);
    own->id = dataset;
    const stoa_chunk_io io = stoa_chunk_io_of(own);
    STOA_HDF(err, dcpl = stoa_dataset_properties(dataset), "look up how a dataset was made");
    STOA_HDF(err, type = H5Dget_type(dataset), "look up the type of elements");
    STOA_HDF(err, space = H5Dget_space(dataset), "look up the extent");
    STOA_TRY(stoa_store_of(&io, dcpl, type, space, cache_bytes, &made, err));
    made->own = own;
    own = NULL;
    STOA_TRY(stoa_store_read_past(made, dataset, err));
    *store = made;
    made = NULL;

done:
    free(own);
    stoa_store_close(made);
    status = stoa_hdf_close(&space, status, err);
    status = stoa_hdf_close(&type, status, err);
    return stoa_hdf_close(&dcpl, status, err);
}
