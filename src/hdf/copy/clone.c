/*
 * Copies a group. Groups are recreated. Datasets are copied one by one: with H5Ocopy(), which keeps
 * their storage, chunk by chunk if that is not safe, or element by element if the storage cannot
 * stay. Links are created in their order.
 *
 * One H5Ocopy() of the whole group would be shorter. But it puts links in the order of their names
 * and loses references (see remap_references.c). It also merges equal committed datatypes, or
 * copies them for each dataset. So committed datatypes are copied first, into a group of the target
 * that exists only during the copy, since H5Ocopy() accepts them only by path.
 */
#include "hdf/copy/clone.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/progress.h"
#include "hdf/chunk/chunk_checks.h"
#include "hdf/copy/clone_values.h"
#include "hdf/copy/groups.h"
#include "hdf/copy/object_storage.h"
#include "hdf/metadata/libhdf5_checks.h"
#include "hdf/metadata/links.h"
#include "hdf/metadata/other_files.h"

/* State of one copy. */
typedef struct cloner {
    stoa_object_map map;
    hid_t types; /* the group of committed datatypes; invalid until needed */
    char types_path[64];
    hid_t as_is; /* object copy properties: without attributes */
    const stoa_other_storage *other;
    const stoa_listener *listener;
    uint64_t n_bytes;
    uint64_t total_bytes;
    stoa_error *err;
    stoa_status status;
} cloner;

/* ---- Committed datatypes -------------------------------------------------------------------- */

static stoa_status open_types(cloner *clone, stoa_error *err)
{
    htri_t taken = 1;

    for (unsigned i = 0; clone->types < 0 && taken > 0; i++) {
        (void)snprintf(clone->types_path, sizeof clone->types_path, "/.stoa-types-%u", i);
        STOA_RETURN_HDF_ERROR(err, taken = H5Lexists(clone->map.to, clone->types_path, H5P_DEFAULT),
                              "look for '%s'", clone->types_path);
    }
    if (clone->types < 0) {
        STOA_RETURN_HDF_ERROR(err,
                              clone->types = H5Gcreate2(clone->map.to, clone->types_path,
                                                        H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                              "create a group for datatypes");
    }
    return STOA_OK;
}

static stoa_status close_types(cloner *clone, stoa_status status, stoa_error *err)
{
    if (clone->types >= 0) {
        status = stoa_hdf_close(&clone->types, status, err);
        const stoa_error_stack errors = stoa_error_stack_begin();
        const herr_t gone = H5Ldelete(clone->map.to, clone->types_path, H5P_DEFAULT);
        if (gone < 0 && status == STOA_OK) {
            status = stoa_hdf_fail(err, "remove the group for datatypes");
        }
        stoa_error_stack_discard(&errors);
    }
    return status;
}

/* Get the name of a committed datatype in clone->types; it is copied there on first use. In the
 * same file, the datatype itself is linked there. */
static stoa_status place_type(cloner *clone, hid_t type, char name[24], stoa_error *err)
{
    H5O_info2_t info;
    uint32_t number = 0;

    STOA_RETURN_HDF_ERROR(err, H5Oget_info3(type, &info, H5O_INFO_BASIC),
                          "look at a committed datatype");
    if (stoa_string_set_find(&clone->map.tokens, &info.token, sizeof info.token, &number)) {
        (void)snprintf(name, 24, "%u", (unsigned)number);
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(open_types(clone, err));
    (void)snprintf(name, 24, "%u", (unsigned)clone->map.tokens.count);
    const H5O_token_t source = info.token;
    if (clone->map.is_same_file) {
        STOA_RETURN_HDF_ERROR(err, H5Olink(type, clone->types, name, H5P_DEFAULT, H5P_DEFAULT),
                              "link a committed datatype");
    } else {
        STOA_RETURN_HDF_ERROR(
            err, stoa_object_copy(type, ".", clone->types, name, clone->as_is, H5P_DEFAULT),
            "copy a committed datatype");
        STOA_RETURN_HDF_ERROR(
            err, H5Oget_info_by_name3(clone->types, name, &info, H5O_INFO_BASIC, H5P_DEFAULT),
            "look at a committed datatype");
    }
    return stoa_object_map_add(&clone->map, &source, &info.token, err);
}

/* A stoa_type_copier. */
static stoa_status copy_type(void *context, hid_t type, hid_t *copy, stoa_error *err)
{
    cloner *clone = context;
    char name[24] = "";

    if (H5Tcommitted(type) > 0) {
        STOA_RETURN_NOT_OK(place_type(clone, type, name, err));
        STOA_RETURN_HDF_ERROR(err, *copy = H5Topen2(clone->types, name, H5P_DEFAULT),
                              "open a committed datatype");
    } else {
        STOA_RETURN_HDF_ERROR(err, *copy = H5Tcopy(type), "copy a datatype");
    }
    return STOA_OK;
}

/* ---- Objects -------------------------------------------------------------------------------- */

uint64_t stoa_stored_bytes(hid_t dataset)
{
    const stoa_error_stack errors = stoa_error_stack_begin();
    const uint64_t n = H5Dget_storage_size(dataset);

    stoa_error_stack_discard(&errors);
    return n;
}

/* Copy a dataset by H5Ocopy(): storage, filters and header, byte for byte. */
static stoa_status copy_plain(cloner *clone, hid_t source, hid_t type, hid_t group,
                              const char *name, hid_t lcpl, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t how = H5I_INVALID_HID;
    char type_name[24] = "";
    char path[sizeof clone->types_path + sizeof type_name];

    if (H5Tcommitted(type) > 0) {
        STOA_TRY(place_type(clone, type, type_name, err));
        (void)snprintf(path, sizeof path, "%s/%s", clone->types_path, type_name);
        STOA_HDF(err, how = H5Pcopy(clone->as_is), "make copy properties");
        STOA_HDF(err,
                 H5Pset_copy_object(how, H5O_COPY_WITHOUT_ATTR_FLAG |
                                             H5O_COPY_MERGE_COMMITTED_DTYPE_FLAG),
                 "set copy properties");
        STOA_HDF(err, H5Padd_merge_committed_dtype_path(how, path), "set copy properties");
    }
    STOA_HDF(err, stoa_object_copy(source, ".", group, name, how >= 0 ? how : clone->as_is, lcpl),
             "copy it");

done:
    return stoa_hdf_close(&how, status, err);
}

static bool has_variable_length(hid_t type)
{
    bool has = H5Tdetect_class(type, H5T_VLEN) > 0 || H5Tis_variable_str(type) > 0;
    const H5T_class_t class = H5Tget_class(type);
    const int n = class == H5T_COMPOUND ? H5Tget_nmembers(type) : class == H5T_ARRAY ? 1 : 0;

    for (int i = 0; i < n && !has; i++) {
        const hid_t part =
            class == H5T_ARRAY ? H5Tget_super(type) : H5Tget_member_type(type, (unsigned)i);
        has = part >= 0 && has_variable_length(part);
        (void)H5Tclose(part);
    }
    return has;
}

/* How a dataset is copied. */
typedef enum dataset_way {
    AS_IT_LIES, /* by H5Ocopy() */
    BY_CHUNK,   /* storage unchanged, too */
    BY_ELEMENT,
    BY_OTHER, /* by clone->other, in the same storage */
    OTHERWISE /* by clone->other, in another storage */
} dataset_way;

static bool has_own(const stoa_other_storage *other, hid_t dataset)
{
    return other != NULL && other->has_own != NULL && dataset >= 0 &&
           other->has_own(other->context, dataset);
}

/* For a dataset whose values are in other files or datasets. References among these cannot be
 * found, and so cannot be remapped. */
static stoa_status way_of_elsewhere(const cloner *clone, hid_t type, dataset_way *way,
                                    stoa_error *err)
{
    const bool stays =
        clone->map.is_same_file || (clone->other != NULL && clone->other->keeps_elsewhere);

    *way = stays ? AS_IT_LIES : BY_ELEMENT;
    return stays && !clone->map.is_same_file && H5Tdetect_class(type, H5T_REFERENCE) > 0
               ? stoa_fail(err, STOA_ELOSS,
                           "its references lie in other files or datasets, where they cannot be "
                           "changed with this file")
               : STOA_OK;
}

/*
 * Elements that refer to a location depend on the file, so they are copied by element, unless
 * `other` does it. `copy` is invalid if it does not exist yet.
 *
 * H5Ocopy() could also copy variable-length values, and chunks that are larger than their elements.
 * But libhdf5 1.14.5 frees its buffer twice if something fails after the buffer was reallocated, in
 * a filter or when it grows. An unfiltered chunk that is too large is damaged; reading its elements
 * reports that.
 */
static stoa_status way_of(const cloner *clone, hid_t dataset, hid_t copy, hid_t type,
                          bool *is_other, dataset_way *way, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t creation = H5I_INVALID_HID;
    bool outgrow = false;

    *is_other = false;
    if (stoa_dataset_is_elsewhere(dataset)) {
        return way_of_elsewhere(clone, type, way, err);
    }
    if (clone->other != NULL && clone->other->choose != NULL) {
        STOA_TRY(
            clone->other->choose(clone->other->context, dataset, H5I_INVALID_HID, is_other, err));
    }
    if (H5Tdetect_class(type, H5T_REFERENCE) > 0 || has_variable_length(type)) {
        const bool is_own = has_own(clone->other, dataset) || has_own(clone->other, copy);
        *way = !is_own ? BY_ELEMENT : *is_other ? OTHERWISE : BY_OTHER;
    } else if (*is_other) {
        *way = OTHERWISE;
    } else {
        STOA_TRY(stoa_chunks_outgrow(dataset, &outgrow, err));
        STOA_HDF(err, creation = stoa_dataset_properties(dataset), "get the creation properties");
        *way = !outgrow ? AS_IT_LIES : H5Pget_nfilters(creation) > 0 ? BY_CHUNK : BY_ELEMENT;
    }

done:
    return stoa_hdf_close(&creation, status, err);
}

/* Storage that is not chunked cannot grow. */
static stoa_status bound_extent(hid_t creation, hid_t space, stoa_error *err)
{
    hsize_t extent[H5S_MAX_RANK];
    int rank = 0;

    if (H5Pget_layout(creation) != H5D_CHUNKED && H5Sis_simple(space) > 0) {
        STOA_RETURN_HDF_ERROR(err, rank = H5Sget_simple_extent_dims(space, extent, NULL),
                              "get the shape");
        STOA_RETURN_HDF_ERROR(err, H5Sset_extent_simple(space, rank, extent, NULL),
                              "set the shape");
    }
    return STOA_OK;
}

/* Create an empty copy of such a dataset. Its elements follow when every object has its copy. */
static stoa_status make_alike(cloner *clone, hid_t source, hid_t type, bool is_other, hid_t group,
                              const char *name, hid_t lcpl, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t creation = H5I_INVALID_HID;
    hid_t space = H5I_INVALID_HID;
    hid_t own_type = H5I_INVALID_HID;
    hid_t copy = H5I_INVALID_HID;

    STOA_TRY(copy_type(clone, type, &own_type, err));
    STOA_HDF(err, creation = stoa_dataset_properties(source), "get the creation properties");
    if (stoa_values_are_elsewhere(creation)) {
        STOA_TRY(stoa_values_may_be_read(source, creation, err));
        STOA_TRY(stoa_creation_here(&creation, type, err));
    }
    STOA_HDF(err, space = H5Dget_space(source), "get the shape");
    if (is_other) {
        STOA_TRY(clone->other->choose(clone->other->context, source, creation, &is_other, err));
    }
    if (is_other && clone->other->retype != NULL) {
        STOA_TRY(clone->other->retype(clone->other->context, source, own_type, err));
    }
    if (is_other && clone->other->reshape != NULL) {
        STOA_TRY(clone->other->reshape(clone->other->context, source, space, err));
    }
    if (is_other || H5Pget_layout(creation) != H5D_CHUNKED) {
        STOA_TRY(bound_extent(creation, space, err));
    }
    STOA_HDF(err, copy = H5Dcreate2(group, name, own_type, space, lcpl, creation, H5P_DEFAULT),
             "create a copy of it");

done:
    status = stoa_hdf_close(&copy, status, err);
    status = stoa_hdf_close(&own_type, status, err);
    status = stoa_hdf_close(&space, status, err);
    return stoa_hdf_close(&creation, status, err);
}

static stoa_status copy_dataset(cloner *clone, hid_t from, hid_t group, const char *name,
                                hid_t lcpl, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t source = H5I_INVALID_HID;
    hid_t type = H5I_INVALID_HID;
    dataset_way way = AS_IT_LIES;
    bool is_other = false;

    STOA_HDF(err, source = H5Dopen2(from, name, H5P_DEFAULT), "open it");
    STOA_HDF(err, type = H5Dget_type(source), "get its datatype");
    STOA_TRY(way_of(clone, source, H5I_INVALID_HID, type, &is_other, &way, err));
    if (way == AS_IT_LIES) {
        STOA_TRY(copy_plain(clone, source, type, group, name, lcpl, err));
    } else {
        STOA_TRY(make_alike(clone, source, type, is_other, group, name, lcpl, err));
    }
    clone->n_bytes += stoa_stored_bytes(source);
    STOA_TRY(stoa_report_progress(clone->listener,
                                  &(stoa_progress){.stage = "copying",
                                                   .bytes = clone->n_bytes,
                                                   .total_bytes = clone->total_bytes},
                                  err));

done:
    status = stoa_hdf_close(&type, status, err);
    return stoa_hdf_close(&source, status, err);
}

static stoa_status make_group(hid_t from, hid_t group, const char *name, hid_t lcpl,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t source = H5I_INVALID_HID;
    hid_t creation = H5I_INVALID_HID;
    hid_t copy = H5I_INVALID_HID;

    STOA_HDF(err, source = H5Gopen2(from, name, H5P_DEFAULT), "open it");
    STOA_TRY(stoa_group_creation(source, &creation, err));
    STOA_HDF(err, copy = H5Gcreate2(group, name, lcpl, creation, H5P_DEFAULT),
             "create a copy of it");

done:
    status = stoa_hdf_close(&copy, status, err);
    status = stoa_hdf_close(&creation, status, err);
    return stoa_hdf_close(&source, status, err);
}

/* Link an object that is copied already. */
static stoa_status link_copy(const cloner *clone, const H5O_token_t *copy, hid_t group,
                             const char *name, hid_t lcpl, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t object = H5I_INVALID_HID;

    STOA_HDF(err, object = H5Oopen_by_token(clone->map.to, *copy), "open its copy");
    STOA_HDF(err, H5Olink(object, group, name, lcpl, H5P_DEFAULT), "link its copy");

done:
    return stoa_hdf_close(&object, status, err);
}

static stoa_status copy_committed(cloner *clone, hid_t from, hid_t group, const char *name,
                                  hid_t lcpl, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t type = H5I_INVALID_HID;
    hid_t copy = H5I_INVALID_HID;

    STOA_HDF(err, type = H5Topen2(from, name, H5P_DEFAULT), "open it");
    STOA_TRY(copy_type(clone, type, &copy, err));
    STOA_HDF(err, H5Olink(copy, group, name, lcpl, H5P_DEFAULT), "link its copy");

done:
    status = stoa_hdf_close(&copy, status, err);
    return stoa_hdf_close(&type, status, err);
}

static stoa_status copy_hard_link(cloner *clone, hid_t from, hid_t group, const char *name,
                                  hid_t lcpl, stoa_error *err)
{
    H5L_info2_t link;
    H5O_info2_t source;
    H5O_info2_t info;
    H5O_token_t copy;

    /* The link says which object it is, also of one that cannot be opened. */
    STOA_RETURN_HDF_ERROR(err, H5Lget_info2(from, name, &link, H5P_DEFAULT), "look at its link");
    if (clone->other != NULL && clone->other->is_left != NULL &&
        clone->other->is_left(clone->other->left, &link.u.token)) {
        return STOA_OK;
    }
    STOA_RETURN_HDF_ERROR(
        err, H5Oget_info_by_name3(from, name, &source, H5O_INFO_BASIC, H5P_DEFAULT), "look at it");
    if (stoa_object_map_find(&clone->map, &source.token, &copy)) {
        return link_copy(clone, &copy, group, name, lcpl, err);
    }
    switch (source.type) {
    case H5O_TYPE_GROUP:
        STOA_RETURN_NOT_OK(make_group(from, group, name, lcpl, err));
        break;
    case H5O_TYPE_DATASET:
        STOA_RETURN_NOT_OK(copy_dataset(clone, from, group, name, lcpl, err));
        break;
    case H5O_TYPE_NAMED_DATATYPE:
        return copy_committed(clone, from, group, name, lcpl, err);
    default:
        return stoa_fail(err, STOA_ELOSS, "is of a kind that cannot be copied");
    }
    STOA_RETURN_HDF_ERROR(err,
                          H5Oget_info_by_name3(group, name, &info, H5O_INFO_BASIC, H5P_DEFAULT),
                          "look at its copy");
    return stoa_object_map_add(&clone->map, &source.token, &info.token, err);
}

/* ---- Links ---------------------------------------------------------------------------------- */

static char *path_below(hid_t group, const char *name)
{
    char *path = stoa_hdf_name(group, H5Iget_name);
    char *whole = path == NULL ? NULL
                               : stoa_format("%s%s%s", strcmp(path, "/") == 0 ? "" : path,
                                             name[0] != '\0' ? "/" : "", name);

    free(path);
    return whole;
}

/* Add the object's path to the message, which is known only here. */
static stoa_status tell_where(hid_t group, const char *name, stoa_status status,
                              const stoa_error *failed, stoa_error *err)
{
    char *path = path_below(group, name);

    (void)stoa_fail(err, status, "'%s': %s", path != NULL ? path : name, failed->message);
    free(path);
    return status;
}

/* The copy of the group that is being read. */
typedef struct link_walk {
    cloner *clone;
    hid_t group;
} link_walk;

static stoa_status copy_link(const link_walk *walk, hid_t from, const char *name,
                             const H5L_info2_t *info, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t lcpl = H5I_INVALID_HID;

    STOA_HDF(err, lcpl = H5Pcreate(H5P_LINK_CREATE), "make link properties");
    STOA_HDF(err, H5Pset_char_encoding(lcpl, info->cset), "set link properties");
    if (info->type >= H5L_TYPE_UD_MIN && H5Lis_registered(info->type) <= 0) {
        STOA_FAIL(err, STOA_ELOSS, "is a link of class %d, which is not registered here",
                  (int)info->type);
    }
    if (info->type == H5L_TYPE_HARD) {
        STOA_TRY(copy_hard_link(walk->clone, from, walk->group, name, lcpl, err));
    } else {
        STOA_HDF(err, H5Lcopy(from, name, walk->group, name, lcpl, H5P_DEFAULT), "copy the link");
    }

done:
    return stoa_hdf_close(&lcpl, status, err);
}

static herr_t visit_link(hid_t from, const char *name, const H5L_info2_t *info, void *context)
{
    link_walk *walk = context;
    stoa_error failed = STOA_ERROR_INIT;
    const stoa_status status = copy_link(walk, from, name, info, &failed);

    if (status != STOA_OK) {
        walk->clone->status = tell_where(from, name, status, &failed, walk->clone->err);
        return -1;
    }
    return 0;
}

static stoa_status copy_links(cloner *clone, hid_t from, hid_t group, stoa_error *err)
{
    link_walk walk = {clone, group};
    const stoa_status status = stoa_links_visit_as_made(from, visit_link, &walk, err);

    return clone->status != STOA_OK ? clone->status : status;
}

/* ---- The whole ------------------------------------------------------------------------------ */

/* A step for one object and its copy. */
typedef stoa_status (*step)(cloner *clone, hid_t source, hid_t copy, stoa_error *err);

static stoa_status links_step(cloner *clone, hid_t source, hid_t copy, stoa_error *err)
{
    if (H5Iget_type(source) == H5I_GROUP) {
        STOA_RETURN_NOT_OK(copy_links(clone, source, copy, err));
        STOA_RETURN_NOT_OK(stoa_comment_copy(source, copy, err));
    }
    return STOA_OK;
}

static stoa_status elements_step(cloner *clone, hid_t source, hid_t copy, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t type = H5I_INVALID_HID;
    dataset_way way = AS_IT_LIES;
    bool is_other = false;

    if (H5Iget_type(source) != H5I_DATASET) {
        return STOA_OK;
    }
    STOA_HDF(err, type = H5Dget_type(source), "get the datatype");
    STOA_TRY(way_of(clone, source, copy, type, &is_other, &way, err));
    if (way == BY_ELEMENT) {
        STOA_TRY(stoa_clone_elements(&clone->map, source, copy, err));
    } else if (way == BY_CHUNK) {
        STOA_TRY(stoa_clone_chunks(source, copy, err));
    } else if (way == BY_OTHER) {
        STOA_TRY(clone->other->copy(clone->other->context, source, copy, err));
    } else if (way == OTHERWISE) {
        STOA_TRY(clone->other->fill(clone->other->context, source, copy, err));
    }

done:
    return stoa_hdf_close(&type, status, err);
}

static stoa_status attributes_step(cloner *clone, hid_t source, hid_t copy, stoa_error *err)
{
    return stoa_clone_attributes(&clone->map, source, copy, copy_type, clone, err);
}

static stoa_status take_step(cloner *clone, size_t i, step take, bool *is_there, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_error failed = STOA_ERROR_INIT;
    hid_t source = H5I_INVALID_HID;
    hid_t copy = H5I_INVALID_HID;
    H5O_token_t from;
    H5O_token_t to;

    *is_there = stoa_object_map_at(&clone->map, i, &from, &to);
    if (!*is_there || (clone->map.is_same_file && memcmp(&from, &to, sizeof from) == 0)) {
        return STOA_OK; /* a datatype that is shared */
    }
    STOA_HDF(err, source = H5Oopen_by_token(clone->map.from, from), "open an object");
    STOA_HDF(err, copy = H5Oopen_by_token(clone->map.to, to), "open a copy");
    status = take(clone, source, copy, &failed);
    if (status != STOA_OK && clone->status == STOA_OK) {
        (void)tell_where(source, "", status, &failed, err);
    }

done:
    status = stoa_hdf_close(&copy, status, err);
    return stoa_hdf_close(&source, status, err);
}

static stoa_status for_each(cloner *clone, size_t first, step take, stoa_error *err)
{
    bool is_there = true;

    /* The map grows during the loop. */
    for (size_t i = first; is_there; i++) {
        const stoa_status status = take_step(clone, i, take, &is_there, err);
        if (status != STOA_OK) {
            return status;
        }
    }
    return STOA_OK;
}

stoa_status stoa_clone_group(hid_t from, hid_t to, const stoa_other_storage *other,
                             const stoa_listener *listener, uint64_t total_bytes, stoa_error *err)
{
    stoa_status status = STOA_OK;
    cloner clone = {.types = H5I_INVALID_HID,
                    .as_is = H5I_INVALID_HID,
                    .other = other,
                    .listener = listener,
                    .total_bytes = total_bytes,
                    .err = err};
    H5O_info2_t source;
    H5O_info2_t target;
    bool unused;

    STOA_TRY(stoa_object_map_begin(&clone.map, from, to, err));
    STOA_HDF(err, H5Oget_info3(from, &source, H5O_INFO_BASIC), "look at the group");
    STOA_HDF(err, H5Oget_info3(to, &target, H5O_INFO_BASIC), "look at the copy");
    STOA_TRY(stoa_object_map_add(&clone.map, &source.token, &target.token, err));
    STOA_HDF(err, clone.as_is = H5Pcreate(H5P_OBJECT_COPY), "make copy properties");
    STOA_HDF(err, H5Pset_copy_object(clone.as_is, H5O_COPY_WITHOUT_ATTR_FLAG),
             "set copy properties");
    STOA_TRY(for_each(&clone, 0, links_step, err));
    STOA_TRY(for_each(&clone, 1, attributes_step, err));
    STOA_TRY(for_each(&clone, 0, elements_step, err));
    STOA_HDF(err, stoa_flush(to), "flush the copy");
    const size_t n_objects = clone.map.tokens.count;
    STOA_TRY(take_step(&clone, 0, attributes_step, &unused, err));
    STOA_TRY(for_each(&clone, n_objects, attributes_step, err)); /* types that only these have */

done:
    status = close_types(&clone, status, err);
    status = stoa_hdf_close(&clone.as_is, status, err);
    stoa_object_map_clear(&clone.map);
    return status;
}
