#include "sparse/chunk_io.h"

#include "hdf/chunk_list.h"
#include "hdf/raw_chunk.h"

static stoa_status read_chunk(void *context, const hsize_t *offset, stoa_buffer *bytes,
                              uint32_t *mask, stoa_error *err)
{
    const hid_t dataset = *(const hid_t *)context;
    hsize_t n = 0;
    stoa_status status = STOA_OK;

    bytes->size = 0;
    *mask = 0;
    /* Asked each time: whoever wrote to the dataset meanwhile, a chunk fits its room. */
    STOA_HDF(err, H5Dget_chunk_storage_size(dataset, offset, &n), "look up the size of a chunk");
    if (n == 0) {
        goto done;
    }
    STOA_TRY(stoa_buffer_reserve(bytes, (size_t)n, err));
    STOA_HDF(err, stoa_raw_chunk_read(dataset, offset, (size_t)n, bytes->data, mask),
             "read a chunk");
    bytes->size = (size_t)n;

done:
    return status;
}

static stoa_status write_chunk(void *context, const hsize_t *offset, const void *bytes,
                               size_t n_bytes, stoa_error *err)
{
    stoa_status status = STOA_OK;

    STOA_HDF(err, H5Dwrite_chunk(*(const hid_t *)context, H5P_DEFAULT, 0, offset, n_bytes, bytes),
             "write a chunk");

done:
    return status;
}

int stoa_chunk_walk_step(const hsize_t *offset, unsigned mask, haddr_t address, hsize_t n_bytes,
                         void *context)
{
    stoa_chunk_walk *walk = context;
    const stoa_stored_chunk chunk = {offset, address, n_bytes, mask};

    walk->status = walk->visit(walk->visitor, &chunk, walk->err);
    return walk->status == STOA_OK ? H5_ITER_CONT : H5_ITER_STOP;
}

static stoa_status iterate(void *context, stoa_chunk_visit visit, void *visitor, stoa_error *err)
{
    stoa_chunk_walk w = {.visit = visit, .visitor = visitor, .status = STOA_OK, .err = err};
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_chunks_list(*(const hid_t *)context, stoa_chunk_walk_step, &w, err));
    status = w.status;

done:
    return status;
}

static stoa_status set_extent(void *context, const hsize_t *extent, stoa_error *err)
{
    stoa_status status = STOA_OK;

    STOA_HDF(err, H5Dset_extent(*(const hid_t *)context, extent), "change the extent");

done:
    return status;
}

stoa_status stoa_box_spaces(hid_t extent, const hsize_t *offset, const hsize_t *count,
                            hid_t *memory, stoa_error *err)
{
    int rank = 0;
    stoa_status status = STOA_OK;

    STOA_HDF(err, rank = H5Sget_simple_extent_ndims(extent), "look at a dataspace");
    STOA_HDF(err, H5Sselect_hyperslab(extent, H5S_SELECT_SET, offset, NULL, count, NULL),
             "select a chunk");
    STOA_HDF(err, *memory = H5Screate_simple(rank, count, NULL), "make a dataspace");

done:
    return status;
}

static stoa_status follow(void *context, const hsize_t *offset, const hsize_t *count,
                          void *elements, stoa_error *err)
{
    const hid_t dataset = *(const hid_t *)context;
    hid_t type = H5I_INVALID_HID;
    hid_t space = H5I_INVALID_HID;
    hid_t memory = H5I_INVALID_HID;
    stoa_status status = STOA_OK;

    STOA_HDF(err, type = H5Dget_type(dataset), "look up the type of elements");
    STOA_HDF(err, space = H5Dget_space(dataset), "look up the extent");
    STOA_TRY(stoa_box_spaces(space, offset, count, &memory, err));
    STOA_HDF(err, H5Dread(dataset, type, memory, space, H5P_DEFAULT, elements), "read a chunk");

done:
    status = stoa_hdf_close(&memory, status, err);
    status = stoa_hdf_close(&space, status, err);
    return stoa_hdf_close(&type, status, err);
}

stoa_chunk_io stoa_chunk_io_of(hid_t *dataset)
{
    return (stoa_chunk_io){.context = dataset,
                           .read = read_chunk,
                           .write = write_chunk,
                           .iterate = iterate,
                           .set_extent = set_extent,
                           .follow = follow};
}
