/* The chunks and the fill value of a dataset, looked at before libhdf5 believes them. */
#include "hdf/chunks.h"

#include "hdf/guard.h"

/* The walk over a dataset's chunks. */
typedef struct chunk_walk {
    hid_t dcpl;
    uint64_t chunk_bytes;
    bool is_sound;
} chunk_walk;

static int look_at_chunk(const hsize_t *offset, unsigned mask, haddr_t address, hsize_t size,
                         void *context)
{
    chunk_walk *walk = context;

    (void)offset;
    (void)address;
    walk->is_sound = stoa_chunk_fits(walk->dcpl, mask, size, walk->chunk_bytes);
    return walk->is_sound ? H5_ITER_CONT : H5_ITER_STOP;
}

stoa_status stoa_chunks_check(hid_t dataset, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t type = H5I_INVALID_HID;
    hsize_t chunk[H5S_MAX_RANK] = {0};
    int rank = 0;
    bool fits = false;
    chunk_walk walk = {.dcpl = H5I_INVALID_HID, .is_sound = true};

    STOA_HDF(err, walk.dcpl = H5Dget_create_plist(dataset), "get the creation properties");
    STOA_HDF(err, type = H5Dget_type(dataset), "get the datatype");
    STOA_TRY(stoa_fill_fits(walk.dcpl, type, &fits, err));
    if (!fits) {
        STOA_FAIL(err, STOA_EDATA,
                  "the fill value is not of the size of an element: the file is damaged");
    }
    if (H5Pget_layout(walk.dcpl) != H5D_CHUNKED) {
        goto done;
    }
    STOA_HDF(err, rank = H5Pget_chunk(walk.dcpl, H5S_MAX_RANK, chunk), "get the chunk shape");
    walk.chunk_bytes = stoa_stored_size(type);
    for (int i = 0; i < rank; i++) {
        walk.chunk_bytes *= chunk[i];
    }
    STOA_HDF(err, H5Dchunk_iter(dataset, H5P_DEFAULT, look_at_chunk, &walk), "list the chunks");
    if (!walk.is_sound) {
        STOA_FAIL(err, STOA_EDATA, "a chunk is shorter than its rows: the file is damaged");
    }

done:
    status = stoa_hdf_close(&type, status, err);
    return stoa_hdf_close(&walk.dcpl, status, err);
}

/* The search for a chunk that is too large. */
typedef struct chunk_sizes {
    uint64_t most;
    bool outgrow;
} chunk_sizes;

static int compare_size(const hsize_t *offset, unsigned mask, haddr_t address, hsize_t size,
                        void *context)
{
    chunk_sizes *sizes = context;

    (void)offset;
    (void)mask;
    (void)address;
    sizes->outgrow = size > sizes->most;
    return sizes->outgrow ? H5_ITER_STOP : H5_ITER_CONT;
}

stoa_status stoa_chunks_outgrow(hid_t dataset, bool *outgrow, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t type = H5I_INVALID_HID;
    hid_t dcpl = H5I_INVALID_HID;
    hsize_t chunk[H5S_MAX_RANK] = {0};
    int rank = 0;
    chunk_sizes sizes = {0};

    *outgrow = false;
    STOA_HDF(err, dcpl = H5Dget_create_plist(dataset), "get the creation properties");
    if (H5Pget_layout(dcpl) != H5D_CHUNKED) {
        goto done;
    }
    STOA_HDF(err, type = H5Dget_type(dataset), "get the datatype");
    STOA_HDF(err, rank = H5Pget_chunk(dcpl, H5S_MAX_RANK, chunk), "get the chunk shape");
    sizes.most = H5Tget_size(type);
    for (int i = 0; i < rank; i++) {
        sizes.most *= chunk[i];
    }
    STOA_HDF(err, H5Dchunk_iter(dataset, H5P_DEFAULT, compare_size, &sizes), "list the chunks");
    *outgrow = sizes.outgrow;

done:
    status = stoa_hdf_close(&type, status, err);
    return stoa_hdf_close(&dcpl, status, err);
}
