/* Copy, move and remove sparse arrays, with all that is defined (<stoa/sparse.h>). */
#include "hdf/copy/object_storage.h"
#include "hdf/ids.h"
#include "hdf/metadata/libhdf5_checks.h"
#include "hdf/metadata/links.h"
#include "hdf/metadata/other_files.h"
#include "sparse/array/array.h"
#include "sparse/connector/connector_copy.h"
#include "sparse/store/connector_op.h"
#include "sparse/tools/storage.h"

static stoa_status find(hid_t loc, const char *path, hid_t *object, stoa_error *err)
{
    *object = stoa_object_open(loc, path);
    if (*object < 0) {
        STOA_RETURN_NOT_OK(stoa_object_not_found(loc, path, "no such object", NULL, err));
    }
    if (H5Iget_type(*object) != H5I_DATASET || !stoa_is_structured(*object)) {
        return stoa_fail(err, STOA_ELAYOUT, "no sparse array");
    }
    return STOA_OK;
}

/* Check that the array exists and that its link is a hard link, which may be removed. */
static stoa_status check_movable(hid_t loc, const char *path, stoa_error *err)
{
    hid_t object = H5I_INVALID_HID;
    stoa_status status = STOA_OK;

    STOA_TRY(find(loc, path, &object, err));
    STOA_TRY(stoa_link_must_be_hard(loc, path, "array", err));

done:
    return stoa_hdf_close(&object, status, err);
}

/* Check the chunks when there is no connector that does it. */
static stoa_status check_chunks(hid_t dataset, hid_t type, stoa_error *err)
{
    stoa_chunk_dataset own = {.id = dataset};
    const stoa_chunk_io io = stoa_chunk_io_of(&own);
    hid_t file = H5I_INVALID_HID;
    hid_t dcpl = H5I_INVALID_HID;
    hid_t space = H5I_INVALID_HID;
    hsize_t n_file = 0;
    stoa_status status = STOA_OK;

    STOA_HDF(err, file = H5Iget_file_id(dataset), "find the file");
    STOA_HDF(err, H5Fget_filesize(file, &n_file), "look up the size of the file");
    STOA_HDF(err, dcpl = stoa_dataset_properties(dataset), "look up how a dataset was made");
    STOA_HDF(err, space = H5Dget_space(dataset), "look up the extent");
    STOA_TRY(stoa_copy_check_chunks(&io, dcpl, type, space, n_file, sizeof(haddr_t), err));

done:
    status = stoa_hdf_close(&space, status, err);
    status = stoa_hdf_close(&dcpl, status, err);
    return stoa_hdf_close(&file, status, err);
}

static stoa_status check_source(hid_t from, const char *path, stoa_error *err)
{
    hid_t object = H5I_INVALID_HID;
    hid_t type = H5I_INVALID_HID;
    stoa_connected connected;
    stoa_status status = STOA_OK;

    STOA_TRY(find(from, path, &object, err));
    STOA_HDF(err, type = H5Dget_type(object), "look up the type of elements");
    if (stoa_connected_dataset(object, &connected, NULL) == STOA_OK) {
        goto done; /* the connector does its own check */
    }
    if (stoa_vlen_is_in(type)) {
        STOA_FAIL(err, STOA_ETYPE,
                  "libhdf5 alone does not copy strings and sequences; open the files by "
                  "stoa_sparse_file_open()");
    }
    STOA_TRY(check_chunks(object, type, err));

done:
    status = stoa_hdf_close(&type, status, err);
    return stoa_hdf_close(&object, status, err);
}

/* A link creation property list for a free path, which creates intermediate groups. */
static stoa_status target_list(hid_t to, const char *path, hid_t *lcpl, stoa_error *err)
{
    stoa_status status = stoa_sparse_path_is_free(to, path, err);

    STOA_RETURN_NOT_OK(stoa_at(err, status, "%s", path));
    STOA_RETURN_HDF_ERROR(err, *lcpl = H5Pcreate(H5P_LINK_CREATE), "make a list");
    STOA_RETURN_HDF_ERROR(err, H5Pset_create_intermediate_group(*lcpl, 1),
                          "make groups on the way");
    return status;
}

stoa_status stoa_sparse_copy(hid_t from, const char *path, hid_t to, const char *new_path,
                             stoa_error *err)
{
    hid_t lcpl = H5I_INVALID_HID;
    stoa_status status = check_source(from, path, err);

    STOA_TRY(stoa_at(err, status, "%s", path));
    STOA_TRY(target_list(to, new_path, &lcpl, err));
    STOA_HDF(err, H5Ocopy(from, path, to, new_path, H5P_DEFAULT, lcpl), "copy '%s'", path);

done:
    return stoa_hdf_close(&lcpl, status, err);
}

stoa_status stoa_sparse_move(hid_t loc, const char *path, const char *new_path, stoa_error *err)
{
    hid_t lcpl = H5I_INVALID_HID;
    stoa_status status = check_movable(loc, path, err);

    STOA_TRY(stoa_at(err, status, "%s", path));
    STOA_TRY(target_list(loc, new_path, &lcpl, err));
    STOA_HDF(err, H5Lmove(loc, path, loc, new_path, lcpl, H5P_DEFAULT), "move '%s' to '%s'", path,
             new_path);

done:
    return stoa_hdf_close(&lcpl, status, err);
}

stoa_status stoa_sparse_remove(hid_t loc, const char *path, stoa_error *err)
{
    stoa_status status = check_movable(loc, path, err);

    STOA_RETURN_NOT_OK(stoa_at(err, status, "%s", path));
    STOA_RETURN_HDF_ERROR(err, stoa_unlink(loc, path), "unlink '%s'", path);
    return status;
}
