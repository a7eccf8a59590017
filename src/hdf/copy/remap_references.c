/* H5Ocopy() does not remap references. It zeroes those that are elements themselves. Within
 * compounds and sequences it keeps their bytes, which then refer to whatever is at the old
 * address. */
#include "hdf/copy/remap_references.h"

#include <stdlib.h>
#include <string.h>

stoa_status stoa_object_map_begin(stoa_object_map *map, hid_t from, hid_t to, stoa_error *err)
{
    H5O_info2_t source;
    H5O_info2_t target;

    *map = (stoa_object_map){.from = from, .to = to};
    STOA_RETURN_HDF_ERROR(err, H5Oget_info3(from, &source, H5O_INFO_BASIC),
                          "look at the object to copy");
    STOA_RETURN_HDF_ERROR(err, H5Oget_info3(to, &target, H5O_INFO_BASIC),
                          "look at the place to copy to");
    map->is_same_file = source.fileno == target.fileno;
    return STOA_OK;
}

stoa_status stoa_object_map_add(stoa_object_map *map, const H5O_token_t *source,
                                const H5O_token_t *copy, stoa_error *err)
{
    uint32_t number = 0;

    STOA_RETURN_NOT_OK(stoa_buffer_reserve(&map->copies, sizeof *copy, err));
    STOA_RETURN_NOT_OK(stoa_string_set_add(&map->tokens, source, sizeof *source, &number, err));
    if (number == map->copies.size / sizeof *copy) {
        STOA_RETURN_NOT_OK(stoa_buffer_append(&map->copies, copy, sizeof *copy, err));
    }
    return STOA_OK;
}

bool stoa_object_map_at(const stoa_object_map *map, size_t i, H5O_token_t *source,
                        H5O_token_t *copy)
{
    size_t length = 0;

    if (i >= map->copies.size / sizeof *copy) {
        return false;
    }
    memcpy(source, stoa_string_set_get(&map->tokens, (uint32_t)i, &length), sizeof *source);
    memcpy(copy, map->copies.data + i * sizeof *copy, sizeof *copy);
    return true;
}

bool stoa_object_map_find(const stoa_object_map *map, const H5O_token_t *source, H5O_token_t *copy)
{
    uint32_t number = 0;
    H5O_token_t unused;

    return stoa_string_set_find(&map->tokens, source, sizeof *source, &number) &&
           stoa_object_map_at(map, number, &unused, copy);
}

void stoa_object_map_clear(stoa_object_map *map)
{
    stoa_string_set_clear(&map->tokens);
    stoa_buffer_clear(&map->copies);
}

/* ---- One reference -------------------------------------------------------------------------- */

/* What to do with a reference. */
typedef enum fate { KEEP, CLEAR, REMAKE } fate;

/* `target` is what the reference refers to, or negative; it is closed here. For REMAKE, *copy is
 * opened. */
static stoa_status decide(const stoa_object_map *map, hid_t target, fate *what, hid_t *copy,
                          stoa_error *err)
{
    stoa_status status = STOA_OK;
    H5O_info2_t info;
    H5O_info2_t source;
    H5O_token_t token;
    char *name = NULL;

    *what = map->is_same_file ? KEEP : CLEAR;
    *copy = H5I_INVALID_HID;
    if (target < 0) {
        return STOA_OK;
    }
    STOA_HDF(err, H5Oget_info3(target, &info, H5O_INFO_BASIC), "look at a referenced object");
    STOA_HDF(err, H5Oget_info3(map->from, &source, H5O_INFO_BASIC), "look at the copied object");
    const bool is_inside = info.fileno == source.fileno;
    if (is_inside && stoa_object_map_find(map, &info.token, &token)) {
        *what = REMAKE;
        STOA_HDF(err, *copy = H5Oopen_by_token(map->to, token), "open the copy of an object");
    } else if (!map->is_same_file || !is_inside) {
        name = stoa_hdf_name(target, H5Iget_name);
        STOA_FAIL(err, STOA_ELOSS,
                  "holds a reference to '%s', which %s, so that the copy would have none",
                  name != NULL && name[0] != '\0' ? name : "an object without a name",
                  is_inside ? "is not copied along" : "lies in another file");
    }

done:
    free(name);
    return stoa_hdf_close(&target, status, err);
}

/* An open that may fail: null and dangling references are valid data. */
#define OPEN_QUIETLY(id, call)                                                                     \
    do {                                                                                           \
        const stoa_error_stack quiet_ = stoa_error_stack_begin();                                  \
        (id) = (call);                                                                             \
        stoa_error_stack_discard(&quiet_);                                                         \
    } while (0)

/* Create a reference of H5T_STD_REF: to an object, a region of a dataset, or an attribute. */
static stoa_status remake(H5R_ref_t *old, H5R_type_t type, hid_t copy, H5R_ref_t *made,
                          stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t region = H5I_INVALID_HID;
    char *name = NULL;
    ssize_t length = 0;

    switch (type) {
    case H5R_OBJECT2:
        STOA_HDF(err, H5Rcreate_object(copy, ".", H5P_DEFAULT, made), "make a reference");
        break;
    case H5R_DATASET_REGION2:
        STOA_HDF(err, region = H5Ropen_region(old, H5P_DEFAULT, H5P_DEFAULT),
                 "read a region reference");
        STOA_HDF(err, H5Rcreate_region(copy, ".", region, H5P_DEFAULT, made),
                 "make a region reference");
        break;
    default:
        STOA_HDF(err, length = H5Rget_attr_name(old, NULL, 0), "read an attribute reference");
        name = stoa_alloc_zero((size_t)length + 1, 1);
        STOA_TRY(name != NULL ? STOA_OK : stoa_fail_memory(err));
        STOA_HDF(err, H5Rget_attr_name(old, name, (size_t)length + 1),
                 "read an attribute reference");
        STOA_HDF(err, H5Rcreate_attr(copy, ".", name, H5P_DEFAULT, made),
                 "make an attribute reference");
        break;
    }

done:
    free(name);
    return stoa_hdf_close(&region, status, err);
}

/* A reference into another file contains its name; libhdf5 1.14 cannot write it again. */
static stoa_status check_file(const stoa_object_map *map, const H5R_ref_t *reference,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *own = stoa_hdf_name(map->from, H5Fget_name);
    char *named = NULL;
    ssize_t length = 0;

    OPEN_QUIETLY(length, H5Rget_file_name(reference, NULL, 0));
    named = stoa_alloc_zero(length > 0 ? (size_t)length + 1 : 1, 1);
    STOA_TRY(own != NULL && named != NULL ? STOA_OK : stoa_fail_memory(err));
    OPEN_QUIETLY(length, length > 0 ? H5Rget_file_name(reference, named, (size_t)length + 1) : 0);
    if (length > 0 && strcmp(own, named) != 0) {
        STOA_FAIL(err, STOA_ELOSS,
                  "holds a reference to an object in another file, '%s', which libhdf5 cannot copy",
                  named);
    }

done:
    free(named);
    free(own);
    return status;
}

static stoa_status remap_standard(const stoa_object_map *map, void *element, stoa_error *err)
{
    stoa_status status = STOA_OK;
    H5R_ref_t old;
    H5R_ref_t made;
    hid_t target = H5I_INVALID_HID;
    hid_t copy = H5I_INVALID_HID;
    H5R_type_t type;
    fate what = KEEP;

    memcpy(&old, element, sizeof old);
    OPEN_QUIETLY(type, H5Rget_type(&old));
    if (type != H5R_OBJECT2 && type != H5R_DATASET_REGION2 && type != H5R_ATTR) {
        return STOA_OK; /* null */
    }
    STOA_TRY(check_file(map, &old, err));
    OPEN_QUIETLY(target, H5Ropen_object(&old, H5P_DEFAULT, H5P_DEFAULT));
    STOA_TRY(decide(map, target, &what, &copy, err));
    if (what == KEEP) {
        goto done;
    }
    memset(&made, 0, sizeof made);
    if (what == REMAKE) {
        STOA_TRY(remake(&old, type, copy, &made, err));
    }
    (void)H5Rdestroy(&old);
    memcpy(element, &made, sizeof made);

done:
    return stoa_hdf_close(&copy, status, err);
}

/* The two reference types from before HDF5 1.12: an address, or the location of a selection in a
 * heap. */
static stoa_status remap_old(const stoa_object_map *map, H5R_type_t type, void *element,
                             stoa_error *err)
{
    static const uint8_t null[sizeof(hdset_reg_ref_t) + sizeof(hobj_ref_t)];
    const size_t size = type == H5R_OBJECT1 ? sizeof(hobj_ref_t) : sizeof(hdset_reg_ref_t);
    union {
        hobj_ref_t object;
        hdset_reg_ref_t region;
    } reference = {0};
    stoa_status status = STOA_OK;
    hid_t target = H5I_INVALID_HID;
    hid_t copy = H5I_INVALID_HID;
    hid_t region = H5I_INVALID_HID;
    fate what = KEEP;

    memcpy(&reference, element, size);
    if (memcmp(&reference, null, size) == 0) {
        return STOA_OK;
    }
    OPEN_QUIETLY(target, H5Rdereference2(map->from, H5P_DEFAULT, type, &reference));
    STOA_TRY(decide(map, target, &what, &copy, err));
    if (what == REMAKE) {
        if (type == H5R_DATASET_REGION1) {
            STOA_HDF(err, region = H5Rget_region(map->from, type, &reference),
                     "read a region reference");
        }
        STOA_HDF(err, H5Rcreate(&reference, copy, ".", type, region), "make a reference");
        memcpy(element, &reference, size);
    } else if (what == CLEAR) {
        memset(element, 0, size);
    }

done:
    status = stoa_hdf_close(&region, status, err);
    return stoa_hdf_close(&copy, status, err);
}

static stoa_status remap_references(const stoa_object_map *map, hid_t type, uint8_t *elements,
                                    size_t n, size_t stride, stoa_error *err)
{
    const bool is_standard = H5Tequal(type, H5T_STD_REF) > 0;
    const H5R_type_t old =
        H5Tequal(type, H5T_STD_REF_DSETREG) > 0 ? H5R_DATASET_REGION1 : H5R_OBJECT1;

    for (size_t i = 0; i < n; i++) {
        void *element = elements + i * stride;
        const stoa_status status =
            is_standard ? remap_standard(map, element, err) : remap_old(map, old, element, err);
        if (status != STOA_OK) {
            return status;
        }
    }
    return STOA_OK;
}

/* ---- Elements of any type ------------------------------------------------------------------- */

static stoa_status remap_members(const stoa_object_map *map, hid_t type, uint8_t *elements,
                                 size_t n, size_t stride, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const int n_members = H5Tget_nmembers(type);
    hid_t member = H5I_INVALID_HID;

    for (int i = 0; i < n_members; i++) {
        STOA_HDF(err, member = H5Tget_member_type(type, (unsigned)i), "look at a compound");
        STOA_TRY(stoa_remap_elements(
            map, member, elements + H5Tget_member_offset(type, (unsigned)i), n, stride, err));
        STOA_TRY(stoa_hdf_close(&member, STOA_OK, err));
    }

done:
    return stoa_hdf_close(&member, status, err);
}

/* Arrays are stored in the element, sequences behind a pointer. */
static stoa_status remap_lists(const stoa_object_map *map, hid_t type, uint8_t *elements, size_t n,
                               size_t stride, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const bool is_array = H5Tget_class(type) == H5T_ARRAY;
    hid_t base = H5I_INVALID_HID;

    STOA_HDF(err, base = H5Tget_super(type), "look at an array");
    const size_t size = H5Tget_size(base);
    for (size_t i = 0; i < n; i++) {
        uint8_t *element = elements + i * stride;
        hvl_t list = {size == 0 ? 0 : H5Tget_size(type) / size, element};
        if (!is_array) {
            memcpy(&list, element, sizeof list);
        }
        if (list.len != 0) {
            STOA_TRY(stoa_remap_elements(map, base, list.p, list.len, size, err));
        }
    }

done:
    return stoa_hdf_close(&base, status, err);
}

stoa_status stoa_remap_elements(const stoa_object_map *map, hid_t type, void *elements, size_t n,
                                size_t stride, stoa_error *err)
{
    if (H5Tdetect_class(type, H5T_REFERENCE) <= 0) {
        return STOA_OK;
    }
    switch (H5Tget_class(type)) {
    case H5T_REFERENCE:
        return remap_references(map, type, elements, n, stride, err);
    case H5T_COMPOUND:
        return remap_members(map, type, elements, n, stride, err);
    case H5T_ARRAY:
    case H5T_VLEN:
        return remap_lists(map, type, elements, n, stride, err);
    default:
        return stoa_fail(err, STOA_ELOSS, "holds references in a type that cannot be looked into");
    }
}
