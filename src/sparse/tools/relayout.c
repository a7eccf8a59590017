/* Select the datasets that get another storage, and edit their creation properties. */
#include "sparse/tools/relayout.h"

#include <stdlib.h>
#include <string.h>

#include "hdf/copy/groups.h"
#include "hdf/metadata/libhdf5_checks.h"
#include "hdf/metadata/other_files.h"
#include "sparse/array/array.h"
#include "sparse/format/filter.h"
#include "sparse/format/filter_list.h"
#include "sparse/store/dataset.h"
#include "sparse/tools/relayout_parts.h"
#include "sparse/tools/storage.h"

/* --- filters --------------------------------------------------------------------------------- */

/* The filters of the sections: those of the source, replaced by the requested ones. Filters of
 * ordinary chunks are used for values and their variable-length data. Positions are packed anyway,
 * and have a checksum. */
static stoa_status sections_of(const stoa_relayout *one, hid_t creation, bool is_variable,
                               stoa_sparse_format *format, stoa_error *err)
{
    memset(format, 0, sizeof *format);
    if (stoa_list_is_structured(creation)) {
        STOA_RETURN_NOT_OK(stoa_sparse_format_of_list(creation, format, err));
    } else if (H5Pget_layout(creation) == H5D_CHUNKED) {
        STOA_RETURN_NOT_OK(
            stoa_sparse_filters_of_list(creation, &format->sections[STOA_SECTION_VALUES], err));
        if (is_variable) {
            format->sections[STOA_SECTION_HEAP] = format->sections[STOA_SECTION_VALUES];
        }
    }
    for (unsigned i = 0; i < STOA_MAX_SECTIONS; i++) {
        if (one->has_filters[i]) {
            format->sections[i] = one->filters[i];
        }
    }
    return STOA_OK;
}

/* --- creation properties --------------------------------------------------------------------- */

/* Excluded elements will read as the fill value. If a dense dataset defines none, the excluded
 * value becomes the fill value, so that reads do not change. An empty value needs no fill value,
 * because HDF5 fills with empty elements by default. */
static stoa_status set_fill(const stoa_relayouts *all, hid_t creation, hid_t type, stoa_error *err)
{
    stoa_one_value value = STOA_ONE_VALUE_INIT;
    H5D_fill_value_t defined = H5D_FILL_VALUE_UNDEFINED;
    hid_t native = H5I_INVALID_HID;
    stoa_status status = STOA_OK;

    STOA_HDF(err, H5Pfill_value_defined(creation, &defined), "ask for the fill value");
    if (defined != H5D_FILL_VALUE_USER_DEFINED) {
        STOA_TRY(stoa_one_value_of(all->exclude, type, &value, err));
        /* libhdf5 does not convert an integer to an enumeration */
        const bool is_enum = value.element.class == STOA_ELEMENT_ENUM;
        STOA_HDF(err,
                 native = is_enum ? H5Tget_native_type(type, H5T_DIR_ASCEND)
                                  : H5Tcopy(value.element.mem_type),
                 "look up the type of the value");
        if (!stoa_one_value_is_empty(&value)) {
            STOA_HDF(err, H5Pset_fill_value(creation, native, value.bytes), "set the fill value");
        }
    }

done:
    stoa_one_value_clear(&value);
    return stoa_hdf_close(&native, status, err);
}

/* Always set the chunk shape, even an unchanged one, because that resets the chunk index. A fixed
 * array would have an entry for every chunk of the maximal extent. */
static stoa_status set_layout(const stoa_relayout *one, stoa_new_layout layout, hid_t creation,
                              stoa_error *err)
{
    hsize_t chunk[H5S_MAX_RANK];
    int rank = (int)one->rank;

    STOA_RETURN_HDF_ERROR(err, H5Pset_alloc_time(creation, H5D_ALLOC_TIME_DEFAULT),
                          "set when storage is made");
    if (layout == STOA_LAYOUT_CONTIGUOUS || layout == STOA_LAYOUT_COMPACT) {
        STOA_RETURN_HDF_ERROR(
            err,
            H5Pset_layout(creation, layout == STOA_LAYOUT_COMPACT ? H5D_COMPACT : H5D_CONTIGUOUS),
            "set the layout");
    } else {
        if (rank > 0) {
            memcpy(chunk, one->chunk, one->rank * sizeof *chunk);
        } else {
            STOA_RETURN_HDF_ERROR(err, rank = H5Pget_chunk(creation, H5S_MAX_RANK, chunk),
                                  "get the shape of chunks");
        }
        STOA_RETURN_HDF_ERROR(err, H5Pset_chunk(creation, rank, chunk), "set the shape of chunks");
    }
    return STOA_OK;
}

/* The requested layout, or the source's. A compact source becomes contiguous. */
static stoa_new_layout layout_of(const stoa_relayout *one, hid_t creation)
{
    if (one->layout != STOA_LAYOUT_AS_IS) {
        return one->layout;
    }
    return stoa_list_is_structured(creation)        ? STOA_LAYOUT_SPARSE
           : H5Pget_layout(creation) == H5D_CHUNKED ? STOA_LAYOUT_CHUNKED
                                                    : STOA_LAYOUT_CONTIGUOUS;
}

/* Change the creation properties of `source` to those of its copy. */
static stoa_status edit_list(const stoa_relayouts *all, const stoa_relayout *one, hid_t source,
                             hid_t creation, stoa_error *err)
{
    const stoa_new_layout layout = layout_of(one, creation);
    const bool was_sparse = stoa_list_is_structured(creation);
    stoa_sparse_format format;
    hid_t type = H5I_INVALID_HID;
    stoa_status status = STOA_OK;

    STOA_HDF(err, type = H5Dget_type(source), "look up the type of elements");
    const bool is_variable = stoa_vlen_is_in(type);
    STOA_TRY(sections_of(one, creation, is_variable, &format, err));
    STOA_HDF(err, H5Premove_filter(creation, H5Z_FILTER_ALL), "remove filters");
    STOA_TRY(set_layout(one, layout, creation, err));
    if (layout == STOA_LAYOUT_SPARSE) {
        if (all->exclude != NULL && !was_sparse) {
            STOA_TRY(set_fill(all, creation, type, err));
        }
        format.is_sparse = true;
        format.is_bound = false;
        if (is_variable) { /* a new file has addresses of the same size */
            format.has_heap = !format.has_references;
            STOA_TRY(stoa_sparse_bind_variable(source, creation, type, &format, err));
        }
        STOA_TRY(stoa_sparse_format_to_list(creation, &format, err));
    } else if (layout == STOA_LAYOUT_CHUNKED) {
        STOA_TRY(stoa_sparse_filters_to_list(creation, &format.sections[STOA_SECTION_VALUES], err));
    }

done:
    return stoa_hdf_close(&type, status, err);
}

/* --- validation ------------------------------------------------------------------------------ */

static bool asks_for_filters(const stoa_relayout *one, stoa_section section)
{
    return one->has_filters[section] && one->filters[section].n > 0;
}

static stoa_status check_layout(const stoa_relayout *one, hid_t creation, int rank, stoa_error *err)
{
    const stoa_new_layout layout = layout_of(one, creation);
    const bool is_chunked = layout == STOA_LAYOUT_SPARSE || layout == STOA_LAYOUT_CHUNKED;

    if (H5Pget_external_count(creation) > 0) {
        return stoa_fail(err, STOA_EINVAL, "its elements lie in other files");
    }
    if (one->rank > 0 && one->rank != (unsigned)rank) {
        return stoa_fail(err, STOA_EINVAL, "chunks of %u dimensions for an array of %d dimensions",
                         one->rank, rank);
    }
    if (!is_chunked && asks_for_filters(one, STOA_SECTION_VALUES)) {
        return stoa_fail(err, STOA_EINVAL,
                         "only chunks pass filters; give it CHUNK or SPARSECHUNK with -l, too");
    }
    if (layout != STOA_LAYOUT_SPARSE && asks_for_filters(one, STOA_SECTION_POSITIONS) !=
                                            asks_for_filters(one, STOA_SECTION_VALUES)) {
        return stoa_fail(err, STOA_EINVAL, "only structured chunks have sections");
    }
    return STOA_OK;
}

/* Reject elements that refer to a place in the file, because they would have to be rewritten.
 * Strings and sequences can be taken apart. */
static stoa_status check_type(hid_t type, stoa_error *err)
{
    stoa_vlen_layout *layout = NULL;
    stoa_status status = STOA_OK;

    if (H5Tdetect_class(type, H5T_REFERENCE) > 0) {
        STOA_FAIL(err, STOA_ETYPE, "references cannot be put into other chunks");
    }
    if (stoa_vlen_is_in(type)) {
        STOA_TRY(stoa_vlen_layout_of(type, H5I_INVALID_HID, &layout, err));
    }

done:
    stoa_vlen_layout_free(layout);
    return status;
}

/* Check that a dataset can have structured chunks: its element type, the excluded value and the
 * list of regions. */
static stoa_status check_sparse(const stoa_relayouts *all, const stoa_relayout *one, hid_t type,
                                hid_t space, stoa_error *err)
{
    stoa_one_value value = STOA_ONE_VALUE_INIT;
    hsize_t extent[H5S_MAX_RANK];
    int rank = 0;
    stoa_status status = STOA_OK;

    STOA_TRY(check_type(type, err));
    STOA_HDF(err, rank = H5Sget_simple_extent_dims(space, extent, NULL), "look up the extent");
    if (all->exclude != NULL) {
        STOA_TRY(stoa_one_value_of(all->exclude, type, &value, err));
    }
    if (all->defined != NULL) {
        const stoa_region_list *const list = stoa_regions_of(all->defined, one->path);
        if (list == NULL) {
            STOA_FAIL(err, STOA_EINVAL, "the defined elements name other datasets only");
        }
        STOA_TRY(stoa_region_list_check(list, (unsigned)rank, extent, err));
    }

done:
    stoa_one_value_clear(&value);
    return status;
}

static stoa_status check_one(const stoa_relayouts *all, const stoa_relayout *one, hid_t dataset,
                             stoa_error *err)
{
    hid_t creation = H5I_INVALID_HID;
    hid_t type = H5I_INVALID_HID;
    hid_t space = H5I_INVALID_HID;
    stoa_sparse_format format;
    stoa_status status = STOA_OK;

    STOA_HDF(err, creation = stoa_dataset_properties(dataset), "look up how it was made");
    STOA_HDF(err, type = H5Dget_type(dataset), "look up the type of elements");
    STOA_HDF(err, space = H5Dget_space(dataset), "look up the extent");
    if (H5Sget_simple_extent_type(space) != H5S_SIMPLE && one->rank > 0) {
        STOA_FAIL(err, STOA_EINVAL, "it has no dimensions that chunks could have");
    }
    const bool is_sparse = stoa_list_is_structured(creation);
    STOA_TRY(check_layout(one, creation, H5Sget_simple_extent_ndims(space), err));
    if (is_sparse) {
        STOA_TRY(stoa_sparse_format_of(creation, type, &format, err));
    }
    if (is_sparse || layout_of(one, creation) == STOA_LAYOUT_SPARSE) {
        STOA_TRY(check_sparse(all, one, type, space, err));
    } else if (all->defined != NULL || all->exclude != NULL) {
        STOA_FAIL(err, STOA_EINVAL,
                  "every element of a dense array is defined; give it "
                  "SPARSECHUNK with -l");
    }

done:
    status = stoa_hdf_close(&space, status, err);
    status = stoa_hdf_close(&type, status, err);
    return stoa_hdf_close(&creation, status, err);
}

static stoa_status resolve_one(const stoa_relayouts *all, stoa_relayout *one, hid_t file,
                               stoa_error *err)
{
    hid_t object = H5I_INVALID_HID;
    H5O_info2_t info;
    stoa_status status = STOA_OK;

    object = stoa_object_open(file, one->path);
    if (object < 0) {
        STOA_TRY(stoa_object_not_found(file, one->path, "no such object", NULL, err));
    }
    if (H5Iget_type(object) != H5I_DATASET) {
        STOA_FAIL(err, STOA_ELAYOUT, "no dataset");
    }
    STOA_HDF(err, H5Oget_info3(object, &info, H5O_INFO_BASIC), "look at it");
    one->token = info.token;
    STOA_TRY(check_one(all, one, object, err));

done:
    return stoa_hdf_close(&object, status, err);
}

stoa_status stoa_relayout_resolve(stoa_relayouts *all, hid_t file, stoa_error *err)
{
    stoa_status status = stoa_sparse_filter_register(err);

    for (size_t i = 0; i < all->n && status == STOA_OK; i++) {
        status = resolve_one(all, &all->items[i], file, err);
        status = stoa_at(err, status, "%s:%s", all->file, all->items[i].path);
    }
    return status;
}

/* --- callbacks of the file copy -------------------------------------------------------------- */

static stoa_status find(const stoa_relayouts *all, hid_t source, const stoa_relayout **one,
                        stoa_error *err)
{
    H5O_info2_t info;

    *one = NULL;
    STOA_RETURN_HDF_ERROR(err, H5Oget_info3(source, &info, H5O_INFO_BASIC), "look at a dataset");
    for (size_t i = 0; i < all->n && *one == NULL; i++) {
        *one = memcmp(&all->items[i].token, &info.token, sizeof info.token) == 0 ? &all->items[i]
                                                                                 : NULL;
    }
    return STOA_OK;
}

static stoa_status choose(void *context, hid_t source, hid_t creation, bool *is_other,
                          stoa_error *err)
{
    const stoa_relayouts *const all = context;
    const stoa_relayout *one = NULL;

    STOA_RETURN_NOT_OK(find(all, source, &one, err));
    *is_other = one != NULL;
    if (one != NULL && creation >= 0) {
        STOA_RETURN_NOT_OK(check_one(all, one, source, err));
        STOA_RETURN_NOT_OK(edit_list(all, one, source, creation, err));
    }
    return STOA_OK;
}

static stoa_status fill(void *context, hid_t source, hid_t copy, stoa_error *err)
{
    const stoa_relayouts *const all = context;
    const stoa_relayout *one = NULL;

    STOA_RETURN_NOT_OK(find(all, source, &one, err));
    STOA_RETURN_NOT_OK(one != NULL ? STOA_OK : stoa_fail(err, STOA_EINVAL, "the file has changed"));
    return stoa_relayout_fill(all, one, source, copy, err);
}

/* Whether the dataset has variable-length elements, and the store knows which are defined. libhdf5
 * copies all others. */
static bool has_own(void *context, hid_t dataset)
{
    stoa_store *store = NULL;

    (void)context;
    if (!stoa_is_structured(dataset) ||
        stoa_store_of_dataset(dataset, 0, &store, NULL) != STOA_OK) {
        return false;
    }
    const bool has = stoa_store_vlen(store) != NULL;
    stoa_store_close(store);
    return has;
}

/* Copy the defined elements, including empty ones, and chunks that another program wrote. */
static stoa_status copy_elements(void *context, hid_t source, hid_t copy, stoa_error *err)
{
    stoa_sparse *from = NULL;
    stoa_sparse *to = NULL;
    stoa_status status = STOA_OK;

    (void)context;
    STOA_TRY(stoa_sparse_open_dataset(source, NULL, &from, err));
    STOA_TRY(stoa_sparse_open_dataset(copy, NULL, &to, err));
    STOA_TRY(stoa_sparse_merge(to, from, err));

done:
    stoa_sparse_close(from);
    const stoa_status closed = stoa_sparse_commit(to, status == STOA_OK ? err : NULL);
    return status != STOA_OK ? status : closed;
}

stoa_other_storage stoa_relayout_storage(stoa_relayouts *all)
{
    return (stoa_other_storage){
        .context = all, .choose = choose, .fill = fill, .has_own = has_own, .copy = copy_elements};
}
