/* Growing datasets, groups and text attributes of LH5 objects (LH5 notes §3, §5.1). */
#include <stdlib.h>
#include <string.h>

#include "hdf/chunk/chunk_checks.h"
#include "hdf/metadata/attributes.h"
#include "layout/lh5/write/writer.h"

enum { CHUNK_BYTES = 256 << 10, MIN_ROWS = 1024 };

const char *const stoa_lh5_own[] = {"datatype", "codec", "codec_shift", NULL};

stoa_status stoa_lh5_write_text(hid_t object, const char *name, const char *value, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t type = H5I_INVALID_HID;

    STOA_HDF(err, type = H5Tcopy(H5T_C_S1), "make a datatype");
    STOA_HDF(err, H5Tset_size(type, H5T_VARIABLE), "make a datatype");
    STOA_HDF(err, H5Tset_cset(type, H5T_CSET_UTF8), "make a datatype");
    STOA_TRY(stoa_attribute_write_scalar(object, name, type, type, &value, err));

done:
    return stoa_hdf_close(&type, status, err);
}

stoa_status stoa_lh5_say_datatype(hid_t object, const stoa_lh5_datatype *type, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *text = NULL;

    STOA_TRY(stoa_lh5_datatype_compose(type, &text, err));
    STOA_TRY(stoa_lh5_write_text(object, "datatype", text, err));

done:
    free(text);
    return status;
}

stoa_status stoa_lh5_make_group(hid_t parent, const char *name, hid_t *group, stoa_error *err)
{
    STOA_RETURN_HDF_ERROR(
        err,
        *group = name == NULL ? H5Gcreate_anon(parent, H5P_DEFAULT, H5P_DEFAULT)
                              : H5Gcreate2(parent, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
        "make group '%s'", name != NULL ? name : "");
    return STOA_OK;
}

static stoa_status create(hid_t parent, const char *name, hid_t type, hid_t space, hid_t dcpl,
                          hid_t *dataset, stoa_error *err)
{
    STOA_RETURN_HDF_ERROR(
        err,
        *dataset = name == NULL
                       ? H5Dcreate_anon(parent, type, space, dcpl, H5P_DEFAULT)
                       : H5Dcreate2(parent, name, type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT),
        "make dataset '%s'", name != NULL ? name : "");
    return STOA_OK;
}

/* Rows in a chunk: about 256 KiB, or all rows if fewer are expected. */
static hsize_t rows_of_chunk(const stoa_lh5_storage *storage, size_t row_bytes)
{
    hsize_t n = CHUNK_BYTES / (row_bytes > 0 ? row_bytes : 1);

    if (storage->chunk_rows != 0) {
        return storage->chunk_rows;
    }
    if (storage->most_rows < n) {
        n = storage->most_rows < MIN_ROWS && row_bytes < CHUNK_BYTES / MIN_ROWS
                ? MIN_ROWS
                : storage->most_rows;
    }
    return n > 0 ? n : 1;
}

static stoa_status make_properties(const stoa_lh5_rows *rows, size_t item_size,
                                   const stoa_lh5_storage *storage, hid_t *dcpl, stoa_error *err)
{
    hsize_t chunk[H5S_MAX_RANK];
    size_t row_bytes = item_size;

    for (int i = 1; i < rows->rank; i++) {
        chunk[i] = rows->extent[i] > 0 ? rows->extent[i] : 1;
        row_bytes *= (size_t)chunk[i];
    }
    chunk[0] = rows_of_chunk(storage, row_bytes);
    STOA_RETURN_HDF_ERROR(err, *dcpl = H5Pcreate(H5P_DATASET_CREATE), "make a property list");
    if (rows->rank == 0) {
        return STOA_OK;
    }
    STOA_RETURN_HDF_ERROR(err, H5Pset_chunk(*dcpl, rows->rank, chunk), "set the chunks");
    if (storage->shuffle) {
        STOA_RETURN_HDF_ERROR(err, H5Pset_shuffle(*dcpl), "set a filter");
    }
    if (storage->level > 0) {
        STOA_RETURN_HDF_ERROR(err, H5Pset_deflate(*dcpl, (unsigned)storage->level), "set a filter");
    }
    return STOA_OK;
}

stoa_status stoa_lh5_rows_make(hid_t parent, const char *name, hid_t type, int rank,
                               const hsize_t *shape, const char *datatype,
                               const stoa_lh5_storage *storage, stoa_lh5_rows *rows,
                               stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t space = H5I_INVALID_HID;
    hid_t dcpl = H5I_INVALID_HID;
    hsize_t most[H5S_MAX_RANK] = {H5S_UNLIMITED};

    rows->rank = rank;
    rows->extent[0] = 0;
    for (int i = 1; i < rank; i++) {
        rows->extent[i] = most[i] = shape[i - 1];
    }
    STOA_TRY(make_properties(rows, H5Tget_size(type), storage, &dcpl, err));
    STOA_HDF(err,
             space = rank == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(rank, rows->extent, most),
             "make a dataspace");
    STOA_TRY(create(parent, name, type, space, dcpl, &rows->dataset, err));
    STOA_TRY(stoa_lh5_write_text(rows->dataset, "datatype", datatype, err));

done:
    status = stoa_hdf_close(&dcpl, status, err);
    return stoa_hdf_close(&space, status, err);
}

stoa_status stoa_lh5_rows_put(stoa_lh5_rows *rows, hid_t mem_type, uint64_t n, const void *items,
                              stoa_error *err)
{
    hsize_t start[H5S_MAX_RANK] = {rows->extent[0]};
    hsize_t count[H5S_MAX_RANK];

    if (n == 0) {
        return STOA_OK;
    }
    if (rows->rank == 0) {
        STOA_RETURN_HDF_ERROR(
            err, H5Dwrite(rows->dataset, mem_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, items),
            "write a value");
        return STOA_OK;
    }
    memcpy(count, rows->extent, sizeof count);
    count[0] = n;
    rows->extent[0] += n;
    STOA_RETURN_NOT_OK(stoa_dataset_resize(rows->dataset, rows->extent, err));
    return stoa_dataset_write(rows->dataset, mem_type, start, count, items, "rows", err);
}

stoa_status stoa_lh5_scalar_put(hid_t parent, const char *name, hid_t type, hid_t mem_type,
                                const void *value, const char *datatype, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_lh5_rows one = {.dataset = H5I_INVALID_HID};

    STOA_TRY(stoa_lh5_rows_make(parent, name, type, 0, NULL, datatype, &(stoa_lh5_storage){0}, &one,
                                err));
    STOA_TRY(stoa_lh5_rows_put(&one, mem_type, 1, value, err));

done:
    return stoa_hdf_close(&one.dataset, status, err);
}
