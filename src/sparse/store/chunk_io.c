/* The chunks of a dataset, by the object that its connector has of it (sparse fact sheet §4). Calls
 * may come from outside of libhdf5, so each call sets up the library state that libhdf5 requires.
 */
#include "sparse/store/chunk_io.h"

#include "hdf/chunk/chunk_checks.h"
#include "hdf/chunk/chunk_list.h"
#include "hdf/ids.h"

/* --- calls below ----------------------------------------------------------------------------- */

stoa_status stoa_object_get(void *object, hid_t connector, H5VL_dataset_get_t what, hid_t *id,
                            stoa_error *err)
{
    H5VL_dataset_get_args_t args = {.op_type = what};

    *id = H5I_INVALID_HID;
    args.args.get_dcpl.dcpl_id = H5I_INVALID_HID; /* all of them have their id in the same place */
    STOA_RETURN_HDF_ERROR(
        err, H5VLdataset_get(object, connector, &args, H5P_DATASET_XFER_DEFAULT, NULL), "%s",
        what == H5VL_DATASET_GET_SPACE ? "look up the extent" : "look at a dataset");
    *id = args.args.get_dcpl.dcpl_id;
    return STOA_OK;
}

stoa_status stoa_chunk_call_leave(stoa_chunk_call *in, stoa_status status, stoa_error *err)
{
    stoa_library_leave(in->state);
    status = stoa_hdf_close(&in->file_id, status, err);
    if (in->dataset->id >= 0) {
        (void)H5VLclose(in->connector);
    }
    stoa_hdf5_unlock();
    return status;
}

/* After success, stoa_chunk_call_leave() must follow. The lock is held until then: libhdf5 has one
 * stack of states, and another thread would leave ours. */
static stoa_status enter(const void *context, stoa_chunk_call *in, stoa_error *err)
{
    const stoa_chunk_dataset *d = context;
    stoa_status status = STOA_OK;

    *in = (stoa_chunk_call){
        .dataset = d, .object = d->object, .connector = d->connector, .file_id = H5I_INVALID_HID};
    stoa_hdf5_lock();
    if (d->id >= 0) {
        in->connector = H5I_INVALID_HID;
        STOA_HDF(err, in->connector = H5VLget_connector_id(d->id), "find the connector");
        in->object = H5VLobject(d->id);
    }
    STOA_HDF(err, stoa_library_enter(&in->state), "enter libhdf5");

done:
    if (status != STOA_OK) {
        if (d->id >= 0 && in->connector >= 0) {
            (void)H5VLclose(in->connector);
        }
        stoa_hdf5_unlock();
    }
    return status;
}

/* A native operation on the object. Also allows the operations that Stoa's connector refuses
 * (sparse RFC §2.2.7). */
static stoa_status native(const stoa_chunk_call *in, int op,
                          H5VL_native_dataset_optional_args_t *args, const char *what,
                          stoa_error *err)
{
    H5VL_optional_args_t call = {.op_type = op, .args = args};

    STOA_RETURN_HDF_ERROR(
        err, H5VLdataset_optional(in->object, in->connector, &call, H5P_DATASET_XFER_DEFAULT, NULL),
        "%s", what);
    return STOA_OK;
}

/* --- chunks ---------------------------------------------------------------------------------- */

static stoa_status read_chunk(void *context, const hsize_t *offset, stoa_buffer *bytes,
                              uint32_t *mask, stoa_error *err)
{
    H5VL_native_dataset_optional_args_t args;
    stoa_chunk_call in;
    stoa_status status = STOA_OK;
    hsize_t n = 0;

    bytes->size = 0;
    *mask = 0;
    STOA_RETURN_NOT_OK(enter(context, &in, err));
    /* Query the size each time: the dataset may have been written to, and the chunk must fit the
     * buffer. */
    args.get_chunk_storage_size.offset = offset;
    args.get_chunk_storage_size.size = &n;
    STOA_TRY(native(&in, H5VL_NATIVE_DATASET_GET_CHUNK_STORAGE_SIZE, &args,
                    "look up the size of a chunk", err));
    if (n == 0) {
        goto done;
    }
    STOA_TRY(stoa_buffer_reserve(bytes, (size_t)n, err));
    args.chunk_read.offset = offset;
    args.chunk_read.filters = 0;
    args.chunk_read.buf = bytes->data;
#if H5_VERSION_GE(2, 0, 0)
    size_t room = (size_t)n;
    args.chunk_read.buf_size = &room;
#endif
    STOA_TRY(native(&in, H5VL_NATIVE_DATASET_CHUNK_READ, &args, "read a chunk", err));
#if H5_VERSION_GE(2, 0, 0)
    if (room != n) {
        STOA_FAIL(err, STOA_EHDF5, "a chunk changed its size while it was read");
    }
#endif
    *mask = args.chunk_read.filters;
    bytes->size = (size_t)n;

done:
    return stoa_chunk_call_leave(&in, status, err);
}

static stoa_status write_chunk(void *context, const hsize_t *offset, const void *bytes,
                               size_t n_bytes, stoa_error *err)
{
    H5VL_native_dataset_optional_args_t args;
    stoa_chunk_call in;

    if (n_bytes > UINT32_MAX) {
        return stoa_fail(err, STOA_ERANGE, "a chunk takes up 4 GiB or more; make chunks smaller");
    }
    args.chunk_write.offset = offset;
    args.chunk_write.filters = 0;
    args.chunk_write.size = (uint32_t)n_bytes;
    args.chunk_write.buf = bytes;
    STOA_RETURN_NOT_OK(enter(context, &in, err));
    const stoa_status status =
        native(&in, H5VL_NATIVE_DATASET_CHUNK_WRITE, &args, "write a chunk", err);
    return stoa_chunk_call_leave(&in, status, err);
}

int stoa_chunk_walk_step(const hsize_t *offset, unsigned mask, haddr_t address, hsize_t n_bytes,
                         void *context)
{
    stoa_chunk_walk *walk = context;
    const stoa_stored_chunk chunk = {offset, address, n_bytes, mask};

    walk->status = walk->visit(walk->visitor, &chunk, walk->err);
    return walk->status == STOA_OK ? H5_ITER_CONT : H5_ITER_STOP;
}

/* List the chunks of an object as stoa_chunks_list() does those of an id. */
static stoa_status list_object(const void *context, stoa_chunk_walk *walk, stoa_error *err)
{
    stoa_chunk_turn turn = {.visit = stoa_chunk_walk_step, .context = walk};
    H5VL_native_dataset_optional_args_t args;
    H5D_chunk_index_t index = H5D_CHUNK_IDX_BTREE;
    hid_t space = H5I_INVALID_HID;
    hid_t dcpl = H5I_INVALID_HID;
    stoa_chunk_call in;
    stoa_status status = STOA_OK;

    STOA_RETURN_NOT_OK(enter(context, &in, err));
    STOA_TRY(stoa_object_get(in.object, in.connector, H5VL_DATASET_GET_SPACE, &space, err));
    STOA_TRY(stoa_object_get(in.object, in.connector, H5VL_DATASET_GET_DCPL, &dcpl, err));
    args.get_chunk_idx_type.idx_type = &index;
    STOA_TRY(native(&in, H5VL_NATIVE_DATASET_GET_CHUNK_INDEX_TYPE, &args,
                    "look at the index of chunks", err));
    STOA_TRY(stoa_chunk_turn_find(space, dcpl, index, &turn, err));
    args.chunk_iter.op = stoa_chunk_turn_step;
    args.chunk_iter.op_data = &turn;
    STOA_TRY(native(&in, H5VL_NATIVE_DATASET_CHUNK_ITER, &args, "list the chunks", err));

done:
    status = stoa_chunk_call_leave(&in, status, err);
    status = stoa_hdf_close(&dcpl, status, err);
    return stoa_hdf_close(&space, status, err);
}

static stoa_status iterate(void *context, stoa_chunk_visit visit, void *visitor, stoa_error *err)
{
    const stoa_chunk_dataset *d = context;
    stoa_chunk_walk w = {.visit = visit, .visitor = visitor, .status = STOA_OK, .err = err};

    STOA_RETURN_NOT_OK(d->id >= 0 ? stoa_chunks_list(d->id, stoa_chunk_walk_step, &w, err)
                                  : list_object(context, &w, err));
    return w.status;
}

static stoa_status set_extent(void *context, const hsize_t *extent, stoa_error *err)
{
    const stoa_chunk_dataset *d = context;
    H5VL_dataset_specific_args_t args = {.op_type = H5VL_DATASET_SET_EXTENT};
    stoa_chunk_call in;
    stoa_status status = STOA_OK;

    if (d->id >= 0) {
        return stoa_dataset_resize(d->id, extent, err);
    }
    args.args.set_extent.size = extent;
    STOA_RETURN_NOT_OK(enter(context, &in, err));
    STOA_HDF(err,
             H5VLdataset_specific(in.object, in.connector, &args, H5P_DATASET_XFER_DEFAULT, NULL),
             "change the extent");

done:
    return stoa_chunk_call_leave(&in, status, err);
}

/* Select a box in a dataspace. `memory` receives a dataspace of the box's shape. */
static stoa_status box_spaces(hid_t extent, const hsize_t *offset, const hsize_t *count,
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
    const stoa_chunk_dataset *d = context;
    hid_t type = d->type;
    hid_t own = H5I_INVALID_HID;
    hid_t space = H5I_INVALID_HID;
    hid_t memory = H5I_INVALID_HID;
    stoa_chunk_call in;
    stoa_status status = STOA_OK;

    STOA_RETURN_NOT_OK(enter(context, &in, err));
    if (d->id >= 0) {
        STOA_HDF(err, own = H5Dget_type(d->id), "look up the type of elements");
        type = own;
    }
    STOA_TRY(stoa_object_get(in.object, in.connector, H5VL_DATASET_GET_SPACE, &space, err));
    STOA_TRY(box_spaces(space, offset, count, &memory, err));
    STOA_HDF(err,
             H5VLdataset_read(1, &in.object, in.connector, &type, &memory, &space,
                              H5P_DATASET_XFER_DEFAULT, &elements, NULL),
             "read a chunk");

done:
    status = stoa_chunk_call_leave(&in, status, err);
    status = stoa_hdf_close(&memory, status, err);
    status = stoa_hdf_close(&space, status, err);
    return stoa_hdf_close(&own, status, err);
}

/* --- the global heap ------------------------------------------------------------------------- */

/* Find the file of an object. */
static stoa_status find_file(stoa_chunk_call *in, stoa_error *err)
{
    const H5VL_loc_params_t self = {.type = H5VL_OBJECT_BY_SELF, .obj_type = H5I_DATASET};
    H5VL_object_get_args_t where = {.op_type = H5VL_OBJECT_GET_FILE};

    where.args.get_file.file = &in->file;
    STOA_RETURN_HDF_ERROR(
        err,
        H5VLobject_get(in->object, &self, in->connector, &where, H5P_DATASET_XFER_DEFAULT, NULL),
        "look up a file");
    return STOA_OK;
}

/* An id tells the file as its connector has wrapped it, but only outside of libhdf5. */
stoa_status stoa_chunk_call_enter(const stoa_chunk_dataset *dataset, stoa_chunk_call *in,
                                  stoa_error *err)
{
    hid_t file = H5I_INVALID_HID;
    stoa_status status = STOA_OK;

    if (dataset->id >= 0) {
        STOA_HDF(err, file = H5Iget_file_id(dataset->id), "find the file");
    }
    STOA_TRY(enter(dataset, in, err));
    in->file_id = file;
    file = H5I_INVALID_HID;
    if (dataset->id >= 0) {
        in->file = H5VLobject(in->file_id);
    } else {
        status = find_file(in, err);
    }
    if (status != STOA_OK) {
        status = stoa_chunk_call_leave(in, status, err);
    }

done:
    return stoa_hdf_close(&file, status, err);
}

static stoa_status put_blob(void *context, const void *bytes, size_t n_bytes, uint8_t *id,
                            stoa_error *err)
{
    stoa_chunk_call in;
    stoa_status status = STOA_OK;

    STOA_RETURN_NOT_OK(stoa_chunk_call_enter(context, &in, err));
    STOA_HDF(err, H5VLblob_put(in.file, in.connector, bytes, n_bytes, id, NULL),
             "write %zu bytes into the file's global heap", n_bytes);

done:
    return stoa_chunk_call_leave(&in, status, err);
}

static stoa_status get_blob(void *context, const uint8_t *id, void *bytes, size_t n_bytes,
                            stoa_error *err)
{
    stoa_chunk_call in;
    stoa_status status = STOA_OK;

    STOA_RETURN_NOT_OK(stoa_chunk_call_enter(context, &in, err));
    STOA_HDF(err, H5VLblob_get(in.file, in.connector, id, bytes, n_bytes, NULL),
             "read %zu bytes of the file's global heap", n_bytes);

done:
    return stoa_chunk_call_leave(&in, status, err);
}

static void drop_blob(void *context, uint8_t *id)
{
    H5VL_blob_specific_args_t args = {.op_type = H5VL_BLOB_DELETE};
    stoa_chunk_call in;

    if (stoa_chunk_call_enter(context, &in, NULL) == STOA_OK) {
        const stoa_error_stack errors = stoa_error_stack_begin();
        (void)H5VLblob_specific(in.file, in.connector, id, &args);
        stoa_error_stack_discard(&errors);
        (void)!stoa_chunk_call_leave(&in, STOA_OK, NULL);
    }
}

stoa_chunk_io stoa_chunk_io_of(stoa_chunk_dataset *dataset)
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
