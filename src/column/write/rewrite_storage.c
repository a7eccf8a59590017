/* Rewrite a column's rows in another storage, bit for bit (HEP001 §8.4). */
#include <stdlib.h>

#include "column/type/codec.h"
#include "column/type/create_column.h"
#include "column/type/dataset.h"
#include "core/memory.h"
#include "core/progress.h"
#include "hdf/chunk/chunk_checks.h"
#include "hdf/metadata/attributes.h"
#include "hdf/metadata/libhdf5_checks.h"

/* Rows copied at once, and used as the sample for codecs. */
#define COPY_ROWS UINT64_C(65536)

/* Set the filters of a codec for this column's values. */
static stoa_status set_filters(stoa_column *column, uint64_t n_rows, const stoa_storage *storage,
                               hid_t dcpl, stoa_error *err)
{
    stoa_status status = STOA_OK;
    void *sample = NULL;
    const uint64_t n = n_rows < COPY_ROWS ? n_rows : COPY_ROWS;

    STOA_TRY(stoa_column_read_elements(column, 0, n, &sample, err));
    STOA_HDF(err, H5Premove_filter(dcpl, H5Z_FILTER_ALL), "remove the old filters");
    STOA_TRY(stoa_codec_apply(
        dcpl, storage->codec, &column->element, storage->chunk_rows,
        &(stoa_sample){.elements = sample, .n = (size_t)n, .fill = column->fill}, err));

done:
    stoa_element_reclaim(&column->element, sample, sample != NULL ? (size_t)n : 0);
    free(sample);
    return status;
}

/* Make the column's own creation properties, with its fill, but another layout and other
 * filters. */
static stoa_status make_plist(stoa_column *column, uint64_t n_rows, const stoa_storage *storage,
                              hid_t *dcpl, stoa_error *err)
{
    STOA_RETURN_HDF_ERROR(err, *dcpl = stoa_dataset_properties(column->dataset),
                          "get the creation properties");
    if (H5Pget_external_count(*dcpl) != 0) {
        return stoa_fail(err, STOA_EINVAL,
                         "the values of '%s' lie outside of the file, which Stoa leaves as it is",
                         column->name);
    }
    if (storage->chunk_rows == 0) {
        STOA_RETURN_HDF_ERROR(err, H5Premove_filter(*dcpl, H5Z_FILTER_ALL),
                              "remove the old filters");
        STOA_RETURN_HDF_ERROR(err, H5Pset_layout(*dcpl, H5D_CONTIGUOUS), "set the layout");
    } else {
        STOA_RETURN_NOT_OK(stoa_chunk_rows_set(*dcpl, storage->chunk_rows, err));
        if (storage->codec != NULL) {
            STOA_RETURN_NOT_OK(set_filters(column, n_rows, storage, *dcpl, err));
        }
    }
    STOA_RETURN_HDF_ERROR(err, H5Pset_alloc_time(*dcpl, H5D_ALLOC_TIME_DEFAULT),
                          "set the time of allocation");
    return STOA_OK;
}

/* Copy rows in the stored type itself, so that nothing is converted. */
static stoa_status copy_rows(stoa_checked_reader *reader, stoa_chunk_writer *to, hid_t type,
                             uint64_t first, uint64_t count, void *block, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t space = H5I_INVALID_HID;
    bool is_read = false;

    STOA_HDF(err, space = H5Screate_simple(1, &(hsize_t){count}, NULL), "make a dataspace");
    STOA_TRY(stoa_checked_reader_read(reader, first, count, NULL, NULL, block, err));
    is_read = true;
    STOA_TRY(stoa_chunk_writer_write(to, first, count, block, err));

done:
    if (is_read) {
        (void)H5Treclaim(type, space, H5P_DEFAULT, block); /* a no-op without pointers */
    }
    return stoa_hdf_close(&space, status, err);
}

static stoa_status copy_all(stoa_column *column, uint64_t n_rows, hid_t to, hid_t type,
                            const stoa_listener *listener, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const uint64_t n_block = n_rows < COPY_ROWS ? n_rows : COPY_ROWS;
    void *block = stoa_alloc_zero((size_t)n_block, H5Tget_size(type));
    stoa_checked_reader reader = STOA_CHECKED_READER_INIT;
    stoa_chunk_writer writer = STOA_CHUNK_WRITER_INIT;

    STOA_TRY(block != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_checked_reader_open(&reader, column->dataset, type, NULL, err));
    STOA_TRY(stoa_chunk_writer_open(&writer, to, type, err));
    for (uint64_t first = 0; first < n_rows; first += COPY_ROWS) {
        const uint64_t count = n_rows - first < COPY_ROWS ? n_rows - first : COPY_ROWS;
        STOA_TRY(copy_rows(&reader, &writer, type, first, count, block, err));
        STOA_TRY(stoa_report_progress(
            listener,
            &(stoa_progress){.stage = "rewriting", .rows = first + count, .total_rows = n_rows},
            err));
    }
    STOA_TRY(stoa_chunk_writer_flush(&writer, err));

done:
    stoa_chunk_writer_close(&writer);
    stoa_checked_reader_close(&reader);
    free(block);
    return status;
}

stoa_status stoa_column_rewrite_storage(stoa_column *column, uint64_t n_rows,
                                        const stoa_storage *storage, const stoa_listener *listener,
                                        hid_t *dataset, stoa_error *err)
{
    static const char *const none[] = {NULL};
    stoa_status status = STOA_OK;
    hid_t type = H5I_INVALID_HID;
    hid_t space = H5I_INVALID_HID;
    hid_t dcpl = H5I_INVALID_HID;

    *dataset = H5I_INVALID_HID;
    STOA_HDF(err, type = H5Dget_type(column->dataset), "get the datatype");
    STOA_TRY(make_plist(column, n_rows, storage, &dcpl, err));
    STOA_HDF(err,
             space = H5Screate_simple(1, &(hsize_t){storage->extent},
                                      storage->chunk_rows != 0 ? &(hsize_t){H5S_UNLIMITED} : NULL),
             "make a dataspace");
    STOA_HDF(err, *dataset = H5Dcreate_anon(column->dataset, type, space, dcpl, H5P_DEFAULT),
             "create a dataset of %s", column->element.text);
    STOA_TRY(copy_all(column, n_rows, *dataset, type, listener, err));
    STOA_TRY(stoa_attributes_copy(column->dataset, *dataset, none, err));

done:
    status = stoa_hdf_close(&dcpl, status, err);
    status = stoa_hdf_close(&space, status, err);
    status = stoa_hdf_close(&type, status, err);
    if (status != STOA_OK) {
        (void)stoa_hdf_close(dataset, status, NULL);
    }
    return stoa_at(err, status, "%s", column->name);
}
