/* Copies of sparse arrays, with all that is defined (<stoa/sparse.h>). */
#include "hdf/ids.h"
#include "sparse/array.h"
#include "sparse/connector_op.h"
#include "sparse/storage.h"

static stoa_status check_source(hid_t from, const char *path, stoa_error *err)
{
    hid_t object = stoa_object_open(from, path);
    hid_t type = H5I_INVALID_HID;
    stoa_connected connected;
    stoa_status status = STOA_OK;

    if (object < 0) {
        STOA_FAIL(err, STOA_ENOTFOUND, "no such object");
    }
    if (H5Iget_type(object) != H5I_DATASET || !stoa_is_structured(object)) {
        STOA_FAIL(err, STOA_ELAYOUT, "no sparse array");
    }
    STOA_HDF(err, type = H5Dget_type(object), "look up the type of elements");
    if (stoa_vlen_is_in(type) && stoa_connected_dataset(object, &connected, NULL) != STOA_OK) {
        STOA_FAIL(err, STOA_ETYPE,
                  "libhdf5 alone does not copy strings and sequences; open the files by "
                  "stoa_sparse_file_open()");
    }

done:
    status = stoa_hdf_close(&type, status, err);
    return stoa_hdf_close(&object, status, err);
}

stoa_status stoa_sparse_copy(hid_t from, const char *path, hid_t to, const char *new_path,
                             stoa_error *err)
{
    hid_t lcpl = H5I_INVALID_HID;
    stoa_status status = check_source(from, path, err);

    STOA_TRY(stoa_at(err, status, "%s", path));
    status = stoa_sparse_path_is_free(to, new_path, err);
    STOA_TRY(stoa_at(err, status, "%s", new_path));
    STOA_HDF(err, lcpl = H5Pcreate(H5P_LINK_CREATE), "make a list");
    STOA_HDF(err, H5Pset_create_intermediate_group(lcpl, 1), "make groups on the way");
    STOA_HDF(err, H5Ocopy(from, path, to, new_path, H5P_DEFAULT, lcpl), "copy '%s'", path);

done:
    return stoa_hdf_close(&lcpl, status, err);
}
