/* Helpers for building indexes: free names, extensible datasets and their lengths. */
#include <stdlib.h>

#include "column/type/codec.h"
#include "core/text.h"
#include "hdf/ids.h"
#include "index/common/kind.h"

/* An index has a dozen attributes at most. They stay in its object header, so that its tokens are
 * written at once. By default libhdf5 keeps 8 there. */
enum { MOST_ATTRIBUTES = 32 };

stoa_status stoa_index_free_name(hid_t indexes, const char *stem, char **name, stoa_error *err)
{
    stoa_status status = STOA_OK;
    htri_t taken = 1;
    char *text = NULL;

    for (unsigned i = 1; taken > 0; i++) {
        free(text);
        text = i == 1 ? stoa_strdup(stem) : stoa_format("%s_%u", stem, i);
        STOA_TRY(text != NULL ? STOA_OK : stoa_fail_memory(err));
        STOA_HDF(err, taken = H5Lexists(indexes, text, H5P_DEFAULT), "look for '%s'", text);
    }
    *name = text;
    text = NULL;

done:
    free(text);
    return status;
}

stoa_status stoa_index_properties(int rank, const hsize_t *chunk, hid_t *creation, stoa_error *err)
{
    STOA_RETURN_HDF_ERROR(err, *creation = H5Pcreate(H5P_DATASET_CREATE), "make a property list");
    STOA_RETURN_HDF_ERROR(err, H5Pset_chunk(*creation, rank, chunk), "set a chunk");
    STOA_RETURN_HDF_ERROR(err, H5Pset_obj_track_times(*creation, false), "set a property");
    STOA_RETURN_HDF_ERROR(err, H5Pset_attr_phase_change(*creation, MOST_ATTRIBUTES, 0),
                          "set a property");
    return STOA_OK;
}

stoa_status stoa_index_dataset(hid_t indexes, const char *name, hid_t type, uint64_t chunk,
                               bool is_packed, hid_t *dataset, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t space = H5I_INVALID_HID;
    hid_t creation = H5I_INVALID_HID;

    STOA_HDF(err, space = H5Screate_simple(1, &(hsize_t){0}, &(hsize_t){H5S_UNLIMITED}),
             "make a dataspace");
    STOA_TRY(stoa_index_properties(1, &(hsize_t){chunk}, &creation, err));
    if (is_packed) {
        STOA_TRY(stoa_codec_pack_integers(creation, err));
    }
    if (name != NULL) {
        STOA_HDF(err,
                 *dataset =
                     H5Dcreate2(indexes, name, type, space, H5P_DEFAULT, creation, H5P_DEFAULT),
                 "create search index '%s'", name);
    } else {
        STOA_HDF(err, *dataset = H5Dcreate_anon(indexes, type, space, creation, H5P_DEFAULT),
                 "create a search index");
    }

done:
    status = stoa_hdf_close(&creation, status, err);
    return stoa_hdf_close(&space, status, err);
}

stoa_status stoa_index_length(hid_t dataset, const char *what, const char *section,
                              uint64_t *length, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t space = H5I_INVALID_HID;
    hsize_t extent = 0;

    STOA_HDF(err, space = H5Dget_space(dataset), "get the shape of %s", what);
    if (H5Sget_simple_extent_type(space) != H5S_SIMPLE || H5Sget_simple_extent_ndims(space) != 1) {
        STOA_FAIL(err, STOA_EDATA, "%s is not one-dimensional (%s)", what, section);
    }
    STOA_HDF(err, H5Sget_simple_extent_dims(space, &extent, NULL), "get the shape of %s", what);
    *length = extent;

done:
    return stoa_hdf_close(&space, status, err);
}
