#include "index/common/byte_matrix.h"

#include "column/type/codec.h"
#include "hdf/chunk/chunk_checks.h"
#include "hdf/read/checked_reader.h"

stoa_status stoa_byte_matrix_create(hid_t indexes, const char *name, uint64_t chunk_rows,
                                    uint64_t chunk_bytes, const char *codec, hid_t *dataset,
                                    stoa_error *err)
{
    static const stoa_element byte = {.class = STOA_ELEMENT_INTEGER, .size = 1};
    stoa_status status = STOA_OK;
    hid_t space = H5I_INVALID_HID;
    hid_t creation = H5I_INVALID_HID;
    const hsize_t none[] = {0, 0};
    const hsize_t unlimited[] = {H5S_UNLIMITED, H5S_UNLIMITED};
    const hsize_t chunk[] = {chunk_rows, chunk_bytes};

    STOA_HDF(err, space = H5Screate_simple(2, none, unlimited), "make a dataspace");
    STOA_TRY(stoa_index_properties(2, chunk, &creation, err));
    STOA_TRY(stoa_codec_apply(creation, codec, &byte, chunk_rows * chunk_bytes, NULL, err));
    STOA_HDF(err,
             *dataset =
                 H5Dcreate2(indexes, name, H5T_STD_U8LE, space, H5P_DEFAULT, creation, H5P_DEFAULT),
             "create search index '%s'", name);

done:
    status = stoa_hdf_close(&creation, status, err);
    return stoa_hdf_close(&space, status, err);
}

stoa_status stoa_byte_matrix_check(const char *name, const char *section, hid_t dataset,
                                   stoa_byte_matrix_part *all, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t type = H5I_INVALID_HID;
    hid_t space = H5I_INVALID_HID;
    hsize_t dims[2] = {0, 0};

    STOA_HDF(err, type = H5Dget_type(dataset), "get the type of a %s index", name);
    STOA_HDF(err, space = H5Dget_space(dataset), "get the shape of a %s index", name);
    if (H5Tget_class(type) != H5T_INTEGER || H5Tget_size(type) != 1 ||
        H5Tget_sign(type) != H5T_SGN_NONE || H5Tget_precision(type) != 8) {
        STOA_FAIL(err, STOA_EDATA, "a %s index is not of datatype uint8 (%s)", name, section);
    }
    if (H5Sget_simple_extent_type(space) != H5S_SIMPLE || H5Sget_simple_extent_ndims(space) != 2) {
        STOA_FAIL(err, STOA_EDATA, "a %s index is not two-dimensional (%s)", name, section);
    }
    STOA_HDF(err, H5Sget_simple_extent_dims(space, dims, NULL), "get the shape of a %s index",
             name);
    *all = (stoa_byte_matrix_part){.n_rows = dims[0], .n_bytes = dims[1]};

done:
    status = stoa_hdf_close(&space, status, err);
    return stoa_hdf_close(&type, status, err);
}

stoa_status stoa_byte_matrix_resize(hid_t dataset, uint64_t n_rows, uint64_t n_bytes,
                                    stoa_error *err)
{
    return stoa_dataset_resize(dataset, (const hsize_t[]){n_rows, n_bytes}, err);
}

stoa_status stoa_byte_matrix_read(hid_t dataset, const stoa_byte_matrix_part *window, uint8_t *out,
                                  stoa_error *err)
{
    const hsize_t start[] = {window->row, window->byte};
    const hsize_t count[] = {window->n_rows, window->n_bytes};

    return window->n_rows == 0 || window->n_bytes == 0
               ? STOA_OK
               : stoa_chunks_read(dataset, true, H5T_NATIVE_UINT8, start, count, H5P_DEFAULT, out,
                                  err);
}

stoa_status stoa_byte_matrix_write(hid_t dataset, const stoa_byte_matrix_part *window,
                                   const uint8_t *bytes, stoa_error *err)
{
    const hsize_t start[] = {window->row, window->byte};
    const hsize_t count[] = {window->n_rows, window->n_bytes};

    return window->n_rows == 0 || window->n_bytes == 0
               ? STOA_OK
               : stoa_dataset_write(dataset, H5T_NATIVE_UINT8, start, count, bytes,
                                    "a search index", err);
}
