/* The files that are joined, and the datasets of the result (concat.h). */
#include "column/type/codec.h"
#include "hdf/metadata/libhdf5_checks.h"
#include "layout/anndata/concat/concat.h"
#include "layout/common/writer.h"

enum { CHUNK_BYTES = 1 << 20, MAX_ROW = 1 << 26 };

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

/* See the type of a file's dataset, and whether the file stores it with filters. */
static stoa_status see_dataset(stoa_concat *c, hid_t file, const char *path, hid_t *type,
                               bool *is_same, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t dataset = stoa_object_open(file, path);
    hid_t found = H5I_INVALID_HID;
    hid_t creation = H5I_INVALID_HID;

    if (dataset < 0 || H5Iget_type(dataset) != H5I_DATASET) {
        STOA_FAIL(err, STOA_EDATA, "is no dataset");
    }
    STOA_HDF(err, found = H5Dget_type(dataset), "get the type");
    STOA_TRY(add_type(found, type, is_same, err));
    STOA_HDF(err, creation = stoa_dataset_properties(dataset), "get the properties");
    c->were_packed = c->were_packed || H5Pget_nfilters(creation) > 0;

done:
    status = stoa_hdf_close(&creation, status, err);
    status = stoa_hdf_close(&found, status, err);
    status = stoa_hdf_close(&dataset, status, err);
    return stoa_layout_error_at(file, path, status, err);
}

stoa_status stoa_concat_type(stoa_concat *c, const char *dataset, hid_t *type, bool *is_same,
                             stoa_error *err)
{
    hid_t file = H5I_INVALID_HID;

    *type = H5I_INVALID_HID;
    *is_same = true;
    for (size_t i = 0; i < c->n; i++) {
        STOA_RETURN_NOT_OK(stoa_concat_open(c, i, &file, err));
        STOA_RETURN_NOT_OK(see_dataset(c, file, dataset, type, is_same, err));
    }
    return STOA_OK;
}

/* Chunks of whole rows. All chunks are about as long, so that little of the last one is empty. */
static stoa_status set_chunks(hid_t creation, size_t size, int rank, const hsize_t *extent,
                              stoa_error *err)
{
    hsize_t chunk[H5S_MAX_RANK];
    uint64_t row = size;

    for (int i = 1; i < rank; i++) {
        chunk[i] = extent[i] > 0 ? extent[i] : 1;
        row *= chunk[i];
    }
    const uint64_t most = row < CHUNK_BYTES ? CHUNK_BYTES / row : 1;
    const uint64_t n_chunks = extent[0] > 0 ? (extent[0] - 1) / most + 1 : 1;
    chunk[0] = extent[0] > 0 ? (extent[0] - 1) / n_chunks + 1 : 1;
    if (rank > 1 && row > MAX_ROW) { /* libhdf5's limit for a chunk is 4 GiB */
        chunk[1] = chunk[1] / (row / MAX_ROW + 1) + 1;
    }
    STOA_RETURN_HDF_ERROR(err, H5Pset_chunk(creation, rank, chunk), "set a chunk's shape");
    return STOA_OK;
}

/* Chunks, if the dataset shall be packed or resized. */
static stoa_status set_storage(const char *codec, hid_t type, int rank, const hsize_t *extent,
                               bool can_resize, hid_t creation, stoa_error *err)
{
    stoa_element element = {.mem_type = H5I_INVALID_HID};
    hsize_t chunk[H5S_MAX_RANK];
    uint64_t n = 1;
    stoa_status status = STOA_OK;

    if (codec == NULL && !can_resize) {
        return STOA_OK;
    }
    STOA_TRY(set_chunks(creation, H5Tget_size(type), rank, extent, err));
    if (codec != NULL) {
        STOA_HDF(err, H5Pget_chunk(creation, rank, chunk), "get a chunk's shape");
        for (int i = 0; i < rank; i++) {
            n *= chunk[i];
        }
        STOA_TRY(stoa_element_of(type, &element, err));
        STOA_TRY(stoa_codec_apply(creation, codec, &element, n, NULL, err));
    }

done:
    stoa_element_clear(&element);
    return status;
}

stoa_status stoa_concat_make(const stoa_concat *c, const char *path, hid_t type, int rank,
                             const hsize_t *extent, bool can_resize, hid_t *dataset,
                             stoa_error *err)
{
    const char *const codec = c->options.codec;
    stoa_status status = STOA_OK;
    hsize_t most[H5S_MAX_RANK];
    hid_t own = H5I_INVALID_HID;
    hid_t links = H5I_INVALID_HID;
    hid_t space = H5I_INVALID_HID;

    STOA_HDF(err, own = H5Pcreate(H5P_DATASET_CREATE), "make a list");
    STOA_TRY(set_storage(codec, type, rank, extent, can_resize, own, err));
    const bool can_grow = H5Pget_layout(own) == H5D_CHUNKED;
    for (int i = 0; i < rank; i++) {
        most[i] = can_grow ? H5S_UNLIMITED : extent[i];
    }
    STOA_HDF(err, space = H5Screate_simple(rank, extent, most), "make a dataspace");
    STOA_HDF(err, links = H5Pcreate(H5P_LINK_CREATE), "make a list");
    STOA_HDF(err, H5Pset_create_intermediate_group(links, 1), "make groups on the way");
    STOA_HDF(err, *dataset = H5Dcreate2(c->to, path, type, space, links, own, H5P_DEFAULT),
             "make '%s'", path);

done:
    status = stoa_hdf_close(&space, status, err);
    status = stoa_hdf_close(&links, status, err);
    return stoa_hdf_close(&own, status, err);
}
