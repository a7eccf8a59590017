#include "sparse/store/chunk_io.h"

#include "hdf/chunk/chunk_checks.h"
#include "hdf/chunk/chunk_list.h"
#include "hdf/hdf5.h"
#include "hdf/ids.h"
#include "sparse/format/library.h"

static stoa_status read_chunk(void *context, const hsize_t *offset, stoa_buffer *bytes,
                              uint32_t *mask, stoa_error *err)
{
    const hid_t dataset = *(const hid_t *)context;
    hsize_t n = 0;

    bytes->size = 0;
    *mask = 0;
    /* Query the size each time: the dataset may have been written to, and the chunk must fit the
     * buffer. */
    STOA_RETURN_HDF_ERROR(err, H5Dget_chunk_storage_size(dataset, offset, &n),
                          "look up the size of a chunk");
    if (n == 0) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(stoa_buffer_reserve(bytes, (size_t)n, err));
    STOA_RETURN_HDF_ERROR(err, stoa_raw_chunk_read(dataset, offset, (size_t)n, bytes->data, mask),
                          "read a chunk");
    bytes->size = (size_t)n;
    return STOA_OK;
}

static stoa_status write_chunk(void *context, const hsize_t *offset, const void *bytes,
                               size_t n_bytes, stoa_error *err)
{
    STOA_RETURN_HDF_ERROR(
        err, H5Dwrite_chunk(*(const hid_t *)context, H5P_DEFAULT, 0, offset, n_bytes, bytes),
        "write a chunk");
    return STOA_OK;
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

    STOA_RETURN_NOT_OK(stoa_chunks_list(*(const hid_t *)context, stoa_chunk_walk_step, &w, err));
    return w.status;
}

static stoa_status set_extent(void *context, const hsize_t *extent, stoa_error *err)
{
    return stoa_dataset_resize(*(const hid_t *)context, extent, err);
}

stoa_status stoa_box_spaces(hid_t extent, const hsize_t *offset, const hsize_t *count,
                            hid_t *memory, stoa_error *err)
{
    int rank = 0;

    STOA_RETURN_HDF_ERROR(err, rank = H5Sget_simple_extent_ndims(extent), "look at a dataspace");
    STOA_RETURN_HDF_ERROR(err,
                          H5Sselect_hyperslab(extent, H5S_SELECT_SET, offset, NULL, count, NULL),
                          "select a chunk");
    STOA_RETURN_HDF_ERROR(err, *memory = H5Screate_simple(rank, count, NULL), "make a dataspace");
    return STOA_OK;
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

/* --- the global heap ------------------------------------------------------------------------- */

stoa_status stoa_blob_put(void *file, hid_t connector, const void *bytes, size_t n_bytes,
                          uint8_t *id, stoa_error *err)
{
    STOA_RETURN_HDF_ERROR(err, H5VLblob_put(file, connector, bytes, n_bytes, id, NULL),
                          "write %zu bytes into the file's global heap", n_bytes);
    return STOA_OK;
}

stoa_status stoa_blob_get(void *file, hid_t connector, const uint8_t *id, void *bytes,
                          size_t n_bytes, stoa_error *err)
{
    STOA_RETURN_HDF_ERROR(err, H5VLblob_get(file, connector, id, bytes, n_bytes, NULL),
                          "read %zu bytes of the file's global heap", n_bytes);
    return STOA_OK;
}

void stoa_blob_drop(void *file, hid_t connector, uint8_t *id)
{
    H5VL_blob_specific_args_t args = {.op_type = H5VL_BLOB_DELETE};
    const stoa_quiet quiet = stoa_quiet_begin();

    (void)H5VLblob_specific(file, connector, id, &args);
    stoa_quiet_drop(&quiet);
}

/* The file object of a dataset, for its connector. */
typedef struct blob_place {
    hid_t id;
    hid_t connector;
    void *file;
} blob_place;

static stoa_status place_open(hid_t dataset, blob_place *place, stoa_error *err)
{
    *place = (blob_place){.id = H5I_INVALID_HID, .connector = H5I_INVALID_HID};
    STOA_RETURN_HDF_ERROR(err, place->id = H5Iget_file_id(dataset), "find the file");
    STOA_RETURN_HDF_ERROR(err, place->connector = H5VLget_connector_id(place->id),
                          "find the connector");
    STOA_RETURN_HDF_ERROR(err, (place->file = H5VLobject(place->id)) != NULL ? 0 : -1,
                          "find the file");
    return STOA_OK;
}

static stoa_status place_close(blob_place *place, stoa_status status, stoa_error *err)
{
    if (place->connector >= 0) {
        (void)H5VLclose(place->connector);
    }
    return stoa_hdf_close(&place->id, status, err);
}

static stoa_status put_blob(void *context, const void *bytes, size_t n_bytes, uint8_t *id,
                            stoa_error *err)
{
    blob_place place;
    stoa_library_state state;
    stoa_status status = place_open(*(const hid_t *)context, &place, err);

    STOA_TRY(status);
    STOA_HDF(err, stoa_library_enter(&state), "enter libhdf5");
    status = stoa_blob_put(place.file, place.connector, bytes, n_bytes, id, err);
    stoa_library_leave(state);

done:
    return place_close(&place, status, err);
}

static stoa_status get_blob(void *context, const uint8_t *id, void *bytes, size_t n_bytes,
                            stoa_error *err)
{
    blob_place place;
    stoa_library_state state;
    stoa_status status = place_open(*(const hid_t *)context, &place, err);

    STOA_TRY(status);
    STOA_HDF(err, stoa_library_enter(&state), "enter libhdf5");
    status = stoa_blob_get(place.file, place.connector, id, bytes, n_bytes, err);
    stoa_library_leave(state);

done:
    return place_close(&place, status, err);
}

static void drop_blob(void *context, uint8_t *id)
{
    blob_place place;
    stoa_library_state state;

    if (place_open(*(const hid_t *)context, &place, NULL) == STOA_OK &&
        stoa_library_enter(&state) >= 0) {
        stoa_blob_drop(place.file, place.connector, id);
        stoa_library_leave(state);
    }
    (void)place_close(&place, STOA_OK, NULL);
}

stoa_chunk_io stoa_chunk_io_of(hid_t *dataset)
{
    return (stoa_chunk_io){.context = dataset,
                           .read = read_chunk,
                           .write = write_chunk,
                           .iterate = iterate,
                           .set_extent = set_extent,
                           .follow = follow,
                           .put_blob = put_blob,
                           .get_blob = get_blob,
                           .drop_blob = drop_blob};
}
