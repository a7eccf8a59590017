/* The chunks of a dataset below the connector (sparse fact sheet §4). Calls may come from outside
 * of libhdf5, so each call sets up the library state that libhdf5 requires. */

#include "hdf/chunk/chunk_list.h"
#include "hdf/hdf5.h"
#include "sparse/connector/connector_dataset.h"
#include "sparse/format/library.h"
#include "sparse/store/connector_op.h"

/* --- calls below ----------------------------------------------------------------------------- */

herr_t stoa_native_below(void *object, hid_t below, int op, void *args)
{
    H5VL_optional_args_t call = {.op_type = op, .args = args};
    stoa_library_state state;

    if (stoa_library_enter(&state) < 0) {
        return -1;
    }
    const herr_t result =
        H5VLdataset_optional(object, below, &call, H5P_DATASET_XFER_DEFAULT, NULL);
    stoa_library_leave(state);
    return result;
}

/* The dataspace and the properties that determine how a dataset's chunks are listed. */
static stoa_status look_below(const stoa_link *link, hid_t *space, hid_t *dcpl, stoa_error *err)
{
    stoa_library_state state;
    stoa_status status = STOA_OK;

    STOA_RETURN_HDF_ERROR(err, stoa_library_enter(&state), "enter libhdf5");
    status = stoa_below_space(link, space, err);
    if (status == STOA_OK) {
        status = stoa_below_get(link, H5VL_DATASET_GET_DCPL, dcpl, err);
    }
    stoa_library_leave(state);
    return status;
}

stoa_status stoa_native_list(void *object, hid_t below, H5D_chunk_iter_op_t visit, void *context,
                             stoa_error *err)
{
    const stoa_link link = {.object = object, .below = below};
    stoa_chunk_turn turn = {.visit = visit, .context = context};
    H5VL_native_dataset_optional_args_t args;
    H5D_chunk_index_t index = H5D_CHUNK_IDX_BTREE;
    hid_t space = H5I_INVALID_HID;
    hid_t dcpl = H5I_INVALID_HID;
    stoa_status status = STOA_OK;

    STOA_TRY(look_below(&link, &space, &dcpl, err));
    args.get_chunk_idx_type.idx_type = &index;
    STOA_HDF(err, stoa_native_below(object, below, H5VL_NATIVE_DATASET_GET_CHUNK_INDEX_TYPE, &args),
             "look at the index of chunks");
    STOA_TRY(stoa_chunk_turn_find(space, dcpl, index, &turn, err));
    args.chunk_iter.op = stoa_chunk_turn_step;
    args.chunk_iter.op_data = &turn;
    STOA_HDF(err, stoa_native_below(object, below, H5VL_NATIVE_DATASET_CHUNK_ITER, &args),
             "list the chunks");

done:
    status = stoa_hdf_close(&dcpl, status, err);
    return stoa_hdf_close(&space, status, err);
}

/* --- the store's chunks ---------------------------------------------------------------------- */

static const stoa_link *link_of(void *context)
{
    return ((const stoa_linked_dataset *)context)->links;
}

static herr_t native(void *context, int op, H5VL_native_dataset_optional_args_t *args)
{
    const stoa_link *link = link_of(context);

    return stoa_native_below(link->object, link->below, op, args);
}

static stoa_status read_chunk(void *context, const hsize_t *offset, stoa_buffer *bytes,
                              uint32_t *mask, stoa_error *err)
{
    H5VL_native_dataset_optional_args_t args;
    hsize_t n = 0;

    bytes->size = 0;
    *mask = 0;
    args.get_chunk_storage_size.offset = offset;
    args.get_chunk_storage_size.size = &n;
    STOA_RETURN_HDF_ERROR(err, native(context, H5VL_NATIVE_DATASET_GET_CHUNK_STORAGE_SIZE, &args),
                          "look up the size of a chunk");
    if (n == 0) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(stoa_buffer_reserve(bytes, (size_t)n, err));
    args.chunk_read.offset = offset;
    args.chunk_read.filters = 0;
    args.chunk_read.buf = bytes->data;
#if H5_VERSION_GE(2, 0, 0)
    size_t room = (size_t)n;
    args.chunk_read.buf_size = &room;
#endif
    STOA_RETURN_HDF_ERROR(err, native(context, H5VL_NATIVE_DATASET_CHUNK_READ, &args),
                          "read a chunk");
    *mask = args.chunk_read.filters;
    bytes->size = (size_t)n;
    return STOA_OK;
}

static stoa_status write_chunk(void *context, const hsize_t *offset, const void *bytes,
                               size_t n_bytes, stoa_error *err)
{
    H5VL_native_dataset_optional_args_t args;

    if (n_bytes > UINT32_MAX) {
        return stoa_fail(err, STOA_ERANGE, "a chunk takes up 4 GiB or more; make chunks smaller");
    }
    args.chunk_write.offset = offset;
    args.chunk_write.filters = 0;
    args.chunk_write.size = (uint32_t)n_bytes;
    args.chunk_write.buf = bytes;
    STOA_RETURN_HDF_ERROR(err, native(context, H5VL_NATIVE_DATASET_CHUNK_WRITE, &args),
                          "write a chunk");
    return STOA_OK;
}

static stoa_status iterate(void *context, stoa_chunk_visit visit, void *visitor, stoa_error *err)
{
    stoa_chunk_walk w = {.visit = visit, .visitor = visitor, .status = STOA_OK, .err = err};
    const stoa_link *link = link_of(context);

    STOA_RETURN_NOT_OK(stoa_native_list(link->object, link->below, stoa_chunk_walk_step, &w, err));
    return w.status;
}

static stoa_status set_extent(void *context, const hsize_t *extent, stoa_error *err)
{
    const stoa_link *link = link_of(context);
    H5VL_dataset_specific_args_t args = {.op_type = H5VL_DATASET_SET_EXTENT};
    stoa_library_state state;

    args.args.set_extent.size = extent;
    STOA_RETURN_HDF_ERROR(err, stoa_library_enter(&state), "enter libhdf5");
    const stoa_quiet quiet = stoa_quiet_begin();
    const herr_t set =
        H5VLdataset_specific(link->object, link->below, &args, H5P_DATASET_XFER_DEFAULT, NULL);
    stoa_quiet_end(&quiet);
    stoa_library_leave(state);
    STOA_RETURN_HDF_ERROR(err, set, "change the extent");
    return STOA_OK;
}

static stoa_status follow(void *context, const hsize_t *offset, const hsize_t *count,
                          void *elements, stoa_error *err)
{
    const stoa_link *link = link_of(context);
    void *object = link->object;
    hid_t type = ((const stoa_linked_dataset *)context)->type;
    hid_t space = H5I_INVALID_HID;
    hid_t memory = H5I_INVALID_HID;
    stoa_library_state state;
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_below_space(link, &space, err));
    STOA_TRY(stoa_box_spaces(space, offset, count, &memory, err));
    STOA_HDF(err, stoa_library_enter(&state), "enter libhdf5");
    const stoa_quiet quiet = stoa_quiet_begin();
    const herr_t result = H5VLdataset_read(1, &object, link->below, &type, &memory, &space,
                                           H5P_DATASET_XFER_DEFAULT, &elements, NULL);
    stoa_quiet_end(&quiet);
    stoa_library_leave(state);
    STOA_HDF(err, result, "read a chunk");

done:
    status = stoa_hdf_close(&memory, status, err);
    return stoa_hdf_close(&space, status, err);
}

/* Enter libhdf5 and find the dataset's file. Leave libhdf5 after success. */
static stoa_status enter_file(const stoa_link *link, void **file, stoa_library_state *state,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;

    STOA_RETURN_HDF_ERROR(err, stoa_library_enter(state), "enter libhdf5");
    status = stoa_below_file(link, H5I_DATASET, file, err);
    if (status != STOA_OK) {
        stoa_library_leave(*state);
    }
    return status;
}

static stoa_status put_blob(void *context, const void *bytes, size_t n_bytes, uint8_t *id,
                            stoa_error *err)
{
    const stoa_link *link = link_of(context);
    void *file = NULL;
    stoa_library_state state;
    stoa_status status = enter_file(link, &file, &state, err);

    if (status == STOA_OK) {
        status = stoa_blob_put(file, link->below, bytes, n_bytes, id, err);
        stoa_library_leave(state);
    }
    return status;
}

static stoa_status get_blob(void *context, const uint8_t *id, void *bytes, size_t n_bytes,
                            stoa_error *err)
{
    const stoa_link *link = link_of(context);
    void *file = NULL;
    stoa_library_state state;
    stoa_status status = enter_file(link, &file, &state, err);

    if (status == STOA_OK) {
        status = stoa_blob_get(file, link->below, id, bytes, n_bytes, err);
        stoa_library_leave(state);
    }
    return status;
}

static void drop_blob(void *context, uint8_t *id)
{
    const stoa_link *link = link_of(context);
    void *file = NULL;
    stoa_library_state state;

    if (enter_file(link, &file, &state, NULL) == STOA_OK) {
        stoa_blob_drop(file, link->below, id);
        stoa_library_leave(state);
    }
}

stoa_chunk_io stoa_chunk_io_below(stoa_linked_dataset *dataset)
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

stoa_status stoa_below_space(const stoa_link *link, hid_t *space, stoa_error *err)
{
    H5VL_dataset_get_args_t args = {.op_type = H5VL_DATASET_GET_SPACE};
    stoa_status status = STOA_OK;

    args.args.get_space.space_id = H5I_INVALID_HID;
    STOA_HDF(err, H5VLdataset_get(link->object, link->below, &args, H5P_DATASET_XFER_DEFAULT, NULL),
             "look up the extent");

done:
    *space = args.args.get_space.space_id;
    return status;
}

stoa_status stoa_below_get(const stoa_link *link, H5VL_dataset_get_t what, hid_t *id,
                           stoa_error *err)
{
    H5VL_dataset_get_args_t args = {.op_type = what};

    *id = H5I_INVALID_HID;
    args.args.get_dcpl.dcpl_id = H5I_INVALID_HID; /* get_type has its id in the same place */
    STOA_RETURN_HDF_ERROR(
        err, H5VLdataset_get(link->object, link->below, &args, H5P_DATASET_XFER_DEFAULT, NULL),
        "look at a dataset");
    *id = what == H5VL_DATASET_GET_TYPE ? args.args.get_type.type_id : args.args.get_dcpl.dcpl_id;
    return STOA_OK;
}
