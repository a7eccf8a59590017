/* The files that are joined, and the datasets of the result (concat.h). */
#include "hdf/metadata/libhdf5_checks.h"
#include "layout/anndata/concat/concat.h"
#include "layout/common/writer.h"

/* --- files ----------------------------------------------------------------------------------- */

stoa_status stoa_concat_open_apart(const stoa_concat *c, size_t i, stoa_file **file,
                                   stoa_error *err)
{
    return stoa_file_open(c->files[i], STOA_FILE_READ, file, err);
}

stoa_status stoa_concat_open(stoa_concat *c, size_t i, hid_t *file, stoa_error *err)
{
    if (i == 0) {
        *file = stoa_file_id(c->first);
        return STOA_OK;
    }
    if (c->other == NULL || c->at != i) {
        stoa_file_close(c->other);
        c->other = NULL;
        STOA_RETURN_NOT_OK(stoa_concat_open_apart(c, i, &c->other, err));
        c->at = i;
    }
    *file = stoa_file_id(c->other);
    return STOA_OK;
}

/* --- datasets -------------------------------------------------------------------------------- */

static bool is_number(hid_t type)
{
    return H5Tget_class(type) == H5T_INTEGER || H5Tget_class(type) == H5T_FLOAT;
}

static stoa_status add_type(hid_t found, hid_t *type, bool *is_same, stoa_error *err)
{
    stoa_status status = STOA_OK;

    if (*type < 0) {
        STOA_RETURN_HDF_ERROR(err, *type = H5Tcopy(found), "copy a type");
        return STOA_OK;
    }
    if (*is_same && H5Tequal(found, *type) > 0) {
        return STOA_OK;
    }
    if (!is_number(found) || !is_number(*type)) {
        return stoa_fail(err, STOA_ETYPE, "has another type than in the first file");
    }
    *is_same = false;
    const bool are_integers =
        H5Tget_class(found) == H5T_INTEGER && H5Tget_class(*type) == H5T_INTEGER;
    STOA_RETURN_NOT_OK(stoa_hdf_close(type, status, err));
    STOA_RETURN_HDF_ERROR(err, *type = H5Tcopy(are_integers ? H5T_NATIVE_INT64 : H5T_NATIVE_DOUBLE),
                          "copy a type");
    return STOA_OK;
}

static stoa_status see_dataset(hid_t file, const char *path, hid_t *type, hid_t *creation,
                               bool *is_same, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t dataset = stoa_object_open(file, path);
    hid_t found = H5I_INVALID_HID;

    if (dataset < 0 || H5Iget_type(dataset) != H5I_DATASET) {
        STOA_FAIL(err, STOA_EDATA, "is no dataset");
    }
    STOA_HDF(err, found = H5Dget_type(dataset), "get the type");
    STOA_TRY(add_type(found, type, is_same, err));
    if (*creation < 0) {
        STOA_HDF(err, *creation = stoa_dataset_properties(dataset), "get the properties");
    }

done:
    status = stoa_hdf_close(&found, status, err);
    status = stoa_hdf_close(&dataset, status, err);
    return stoa_layout_error_at(file, path, status, err);
}

stoa_status stoa_concat_type(stoa_concat *c, const char *dataset, hid_t *type, hid_t *creation,
                             bool *is_same, stoa_error *err)
{
    hid_t file = H5I_INVALID_HID;

    *type = *creation = H5I_INVALID_HID;
    *is_same = true;
    for (size_t i = 0; i < c->n; i++) {
        STOA_RETURN_NOT_OK(stoa_concat_open(c, i, &file, err));
        STOA_RETURN_NOT_OK(see_dataset(file, dataset, type, creation, is_same, err));
    }
    return STOA_OK;
}

/* Chunks of the first file, or of our own if the dataset can shrink. */
static stoa_status fit_chunks(hid_t creation, int rank, const hsize_t *extent, bool can_shrink,
                              stoa_error *err)
{
    hsize_t chunk[H5S_MAX_RANK] = {(hsize_t)1 << 17};

    if (H5Pget_layout(creation) == H5D_CHUNKED) {
        STOA_RETURN_HDF_ERROR(err, H5Pget_chunk(creation, rank, chunk), "get a chunk's shape");
    } else if (!can_shrink) {
        STOA_RETURN_HDF_ERROR(err, H5Pset_layout(creation, H5D_CONTIGUOUS), "set a layout");
        return STOA_OK;
    }
    for (int i = 0; i < rank; i++) {
        chunk[i] = chunk[i] <= extent[i] || extent[i] == 0 ? chunk[i] : extent[i];
    }
    STOA_RETURN_HDF_ERROR(err, H5Pset_chunk(creation, rank, chunk), "set a chunk's shape");
    return STOA_OK;
}

stoa_status stoa_concat_make(hid_t loc, const char *path, hid_t type, hid_t creation, int rank,
                             const hsize_t *extent, bool can_shrink, hid_t *dataset,
                             stoa_error *err)
{
    stoa_status status = STOA_OK;
    hsize_t most[H5S_MAX_RANK];
    hid_t own = H5I_INVALID_HID;
    hid_t links = H5I_INVALID_HID;
    hid_t space = H5I_INVALID_HID;

    STOA_HDF(err, own = H5Pcopy(creation), "copy properties");
    STOA_TRY(fit_chunks(own, rank, extent, can_shrink, err));
    const bool can_grow = H5Pget_layout(own) == H5D_CHUNKED;
    for (int i = 0; i < rank; i++) {
        most[i] = can_grow ? H5S_UNLIMITED : extent[i];
    }
    STOA_HDF(err, space = H5Screate_simple(rank, extent, most), "make a dataspace");
    STOA_HDF(err, links = H5Pcreate(H5P_LINK_CREATE), "make a list");
    STOA_HDF(err, H5Pset_create_intermediate_group(links, 1), "make groups on the way");
    STOA_HDF(err, *dataset = H5Dcreate2(loc, path, type, space, links, own, H5P_DEFAULT),
             "make '%s'", path);

done:
    status = stoa_hdf_close(&space, status, err);
    status = stoa_hdf_close(&links, status, err);
    return stoa_hdf_close(&own, status, err);
}
