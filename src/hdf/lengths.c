/* See lengths.h. */
#include "hdf/lengths.h"

#include "hdf/filters.h"
#include "hdf/guard.h"
#include "hdf/unpack.h"

/* An element in the file: its length, which are its first bytes, and a reference. */
enum { STORED_BYTES = 16 };
/* Larger chunks are not unpacked here. */
#define MAX_CHUNK_BYTES ((uint64_t)64 << 20)

typedef struct lists {
    hid_t dataset;
    hid_t dcpl;
    hsize_t chunk_rows; /* 0: not to be looked into */
    uint64_t most;      /* items that an element can have */
    stoa_pipeline pipeline;
    stoa_scratch scratch;
} lists;

/* Bytes in the file of an item; 0: the type is none of lists or texts. */
static size_t item_bytes(hid_t type)
{
    size_t n = 0;

    if (H5Tis_variable_str(type) > 0) {
        return 1;
    }
    if (H5Tget_class(type) == H5T_VLEN) {
        hid_t item = H5Tget_super(type);
        n = item >= 0 ? stoa_stored_size(item) : 0;
        n = n > 0 ? n : 1;
        (void)stoa_hdf_close(&item, STOA_OK, NULL);
    }
    return n;
}

static stoa_status find_file_size(hid_t dataset, uint64_t *n, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t file = H5I_INVALID_HID;
    hsize_t size = 0;

    STOA_HDF(err, file = H5Iget_file_id(dataset), "get the file");
    STOA_HDF(err, H5Fget_filesize(file, &size), "get the file's size");
    *n = size;

done:
    return stoa_hdf_close(&file, status, err);
}

static stoa_status open_lists(lists *in, hid_t dataset, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t type = H5I_INVALID_HID;
    hsize_t chunk[H5S_MAX_RANK];
    uint64_t n_bytes = 0;

    *in = (lists){.dataset = dataset, .dcpl = H5I_INVALID_HID};
    STOA_HDF(err, type = H5Dget_type(dataset), "get the datatype");
    const size_t size = item_bytes(type);
    if (size == 0) {
        goto done;
    }
    STOA_HDF(err, in->dcpl = stoa_dataset_properties(dataset), "get the creation properties");
    if (H5Pget_layout(in->dcpl) != H5D_CHUNKED ||
        H5Pget_chunk(in->dcpl, H5S_MAX_RANK, chunk) != 1 ||
        stoa_stored_size(type) != STORED_BYTES || chunk[0] > MAX_CHUNK_BYTES / STORED_BYTES ||
        !stoa_pipeline_of(in->dcpl, STORED_BYTES, chunk[0], &in->pipeline)) {
        goto done;
    }
    STOA_TRY(find_file_size(dataset, &n_bytes, err));
    in->most = n_bytes / size;
    in->chunk_rows = chunk[0];

done:
    return stoa_hdf_close(&type, status, err);
}

/* Rows of one chunk. */
static stoa_status check_chunk(lists *in, uint64_t first, uint64_t count, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const uint8_t *bytes = NULL;
    const hsize_t offset = first - first % in->chunk_rows;

    STOA_TRY(stoa_chunk_decode(in->dataset, in->dcpl, &offset, &in->pipeline, &in->scratch, NULL,
                               &bytes, err));
    for (uint64_t i = first; bytes != NULL && i < first + count; i++) {
        const uint8_t *const at = bytes + (i - offset) * STORED_BYTES;
        const uint32_t length =
            at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
        if (length > in->most) {
            STOA_FAIL(err, STOA_EDATA, "row %llu is damaged: %lu items are more than the file has",
                      (unsigned long long)i, (unsigned long)length);
        }
    }

done:
    return status;
}

stoa_status stoa_lengths_check(hid_t dataset, uint64_t first, uint64_t count, stoa_error *err)
{
    stoa_status status = STOA_OK;
    lists in;

    STOA_TRY(open_lists(&in, dataset, err));
    while (in.chunk_rows > 0 && count > 0) {
        const uint64_t left = in.chunk_rows - first % in.chunk_rows;
        const uint64_t n = count < left ? count : left;
        STOA_TRY(check_chunk(&in, first, n, err));
        first += n;
        count -= n;
    }

done:
    stoa_scratch_clear(&in.scratch);
    return stoa_hdf_close(&in.dcpl, status, err);
}
