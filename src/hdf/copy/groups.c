#include "hdf/copy/groups.h"

#include <stdlib.h>

#include "core/memory.h"
#include "hdf/copy/object_storage.h"
#include "hdf/metadata/libhdf5_checks.h"

stoa_status stoa_creation_list(hid_t object, hid_t *list, stoa_error *err)
{
    const H5I_type_t type = H5Iget_type(object);

    STOA_RETURN_HDF_ERROR(err,
                          *list = type == H5I_DATASET    ? stoa_dataset_properties(object)
                                  : type == H5I_DATATYPE ? H5Tget_create_plist(object)
                                                         : H5Gget_create_plist(object),
                          "get the creation properties");
    return STOA_OK;
}

stoa_status stoa_group_inherit(hid_t group, hid_t list, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t old = H5I_INVALID_HID;
    unsigned order = 0;
    unsigned many = 0;
    unsigned few = 0;
    hbool_t times = false;

    STOA_TRY(stoa_creation_list(group, &old, err));
    STOA_HDF(err, H5Pget_link_creation_order(old, &order), "get the order of links");
    STOA_HDF(err, H5Pset_link_creation_order(list, order), "set the order of links");
    STOA_HDF(err, H5Pget_attr_creation_order(old, &order), "get the order of attributes");
    STOA_HDF(err, H5Pset_attr_creation_order(list, order), "set the order of attributes");
    STOA_HDF(err, H5Pget_link_phase_change(old, &many, &few), "get how links are stored");
    STOA_HDF(err, H5Pset_link_phase_change(list, many, few), "set how links are stored");
    STOA_HDF(err, H5Pget_attr_phase_change(old, &many, &few), "get how attributes are stored");
    STOA_HDF(err, H5Pset_attr_phase_change(list, many, few), "set how attributes are stored");
    STOA_HDF(err, H5Pget_obj_track_times(old, &times), "get whether times are stored");
    STOA_HDF(err, H5Pset_obj_track_times(list, times), "set whether times are stored");

done:
    return stoa_hdf_close(&old, status, err);
}

stoa_status stoa_group_creation(hid_t group, hid_t *list, stoa_error *err)
{
    STOA_RETURN_HDF_ERROR(err, *list = H5Pcreate(H5P_GROUP_CREATE), "make creation properties");
    return stoa_group_inherit(group, *list, err);
}

stoa_status stoa_comment_copy(hid_t from, hid_t to, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *comment = NULL;
    ssize_t length = 0;

    STOA_HDF(err, length = H5Oget_comment(from, NULL, 0), "get the comment");
    if (length > 0) {
        comment = stoa_alloc_zero((size_t)length + 1, 1);
        STOA_TRY(comment != NULL ? STOA_OK : stoa_fail_memory(err));
        STOA_HDF(err, H5Oget_comment(from, comment, (size_t)length + 1), "get the comment");
        STOA_HDF(err, H5Oset_comment(to, comment), "set the comment");
    }

done:
    free(comment);
    return status;
}

/* Delete it by name, so that its object can be checked. */
static stoa_status unlink_last(hid_t group, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *name = NULL;
    ssize_t n = 0;

    STOA_HDF(
        err,
        n = H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_DEC, 0, NULL, 0, H5P_DEFAULT),
        "look at a link");
    name = stoa_alloc_zero((size_t)n + 1, 1);
    STOA_TRY(name != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_HDF(err,
             H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_DEC, 0, name, (size_t)n + 1,
                                H5P_DEFAULT),
             "look at a link");
    STOA_HDF(err, stoa_unlink(group, name), "delete the link '%s'", name);

done:
    free(name);
    return status;
}

stoa_status stoa_group_empty(hid_t group, stoa_error *err)
{
    H5G_info_t links;
    H5O_info2_t object;

    STOA_RETURN_HDF_ERROR(err, H5Oget_info3(group, &object, H5O_INFO_NUM_ATTRS),
                          "count the attributes");
    for (; object.num_attrs > 0; object.num_attrs--) {
        STOA_RETURN_HDF_ERROR(
            err, H5Adelete_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_DEC, 0, H5P_DEFAULT),
            "delete an attribute");
    }
    STOA_RETURN_HDF_ERROR(err, H5Gget_info(group, &links), "count the links");
    for (; links.nlinks > 0; links.nlinks--) {
        STOA_RETURN_NOT_OK(unlink_last(group, err));
    }
    return STOA_OK;
}

void stoa_group_unlink_all(hid_t group)
{
    const stoa_error_stack errors = stoa_error_stack_begin();

    while (H5Ldelete_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, 0, H5P_DEFAULT) >= 0) {
    }
    stoa_error_stack_discard(&errors);
}
