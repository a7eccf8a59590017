/* Opens objects by path, and explains why there is none: see ids.h and other_files.h. */
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "hdf/metadata/other_files.h"

hid_t stoa_open_here(hid_t loc, const char *path)
{
    const hid_t access = stoa_access_here(loc);
    const hid_t object = access < 0 ? H5I_INVALID_HID : stoa_open_with(loc, path, access);

    stoa_access_close(access);
    return object;
}

herr_t stoa_info_here(hid_t loc, const char *path, H5O_info2_t *info)
{
    const hid_t access = stoa_access_here(loc);
    const herr_t found =
        access < 0 ? -1 : H5Oget_info_by_name3(loc, path, info, H5O_INFO_BASIC, access);

    stoa_access_close(access);
    return found;
}

hid_t stoa_object_open(hid_t loc, const char *path)
{
    const stoa_error_stack errors = stoa_error_stack_begin();
    const hid_t object = stoa_open_here(loc, path);

    stoa_error_stack_discard(&errors);
    return object < 0 ? H5I_INVALID_HID : object;
}

bool stoa_object_exists(hid_t loc, const char *path)
{
    H5O_info2_t info;
    const stoa_error_stack errors = stoa_error_stack_begin();
    const bool found = stoa_info_here(loc, path, &info) >= 0;

    stoa_error_stack_discard(&errors);
    return found;
}

bool stoa_object_is_at(hid_t object, const char *path)
{
    const stoa_error_stack errors = stoa_error_stack_begin();
    H5O_info2_t own;
    H5O_info2_t there;
    const bool is = H5Oget_info3(object, &own, H5O_INFO_BASIC) >= 0 &&
                    H5Oget_info_by_name3(object, path, &there, H5O_INFO_BASIC, H5P_DEFAULT) >= 0 &&
                    own.fileno == there.fileno &&
                    memcmp(&own.token, &there.token, sizeof own.token) == 0;

    stoa_error_stack_discard(&errors);
    return is;
}

/* --- objects that are not found -------------------------------------------------------------- */

/* More soft links than libhdf5 follows. */
enum { MAX_SOFT_LINKS = 32 };

static char *link_value(hid_t loc, const char *name, const H5L_info2_t *info)
{
    char *const value = stoa_alloc_zero(info->u.val_size + 1, 1);

    if (value != NULL && H5Lget_val(loc, name, value, info->u.val_size, H5P_DEFAULT) < 0) {
        free(value);
        return NULL;
    }
    return value;
}

/* The file that an external link refers to. */
static char *other_file(hid_t loc, const char *name, const H5L_info2_t *info)
{
    char *const value = link_value(loc, name, info);
    const char *file = NULL;
    const char *path = NULL;
    unsigned flags = 0;
    char *found = NULL;

    if (info->type == H5L_TYPE_EXTERNAL && value != NULL &&
        H5Lunpack_elink_val(value, info->u.val_size, &flags, &file, &path) >= 0) {
        found = stoa_strdup(file);
    }
    free(value);
    return found;
}

/* Follow one link of the path. If the link is soft, *rest becomes a new string: its target,
 * followed by the rest. */
static char *follow_link(hid_t *at, const char *name, char **rest, bool *goes_on)
{
    H5L_info2_t info;
    char *target = NULL;
    char *joined = NULL;

    *goes_on = false;
    if (H5Lget_info2(*at, name, &info, H5P_DEFAULT) < 0) {
        return NULL;
    }
    if (info.type == H5L_TYPE_HARD) {
        const hid_t next = **rest != '\0' ? H5Gopen2(*at, name, H5P_DEFAULT) : H5I_INVALID_HID;
        (void)stoa_hdf_close(at, STOA_OK, NULL);
        *at = next;
        *goes_on = next >= 0;
        return NULL;
    }
    if (info.type != H5L_TYPE_SOFT) {
        return other_file(*at, name, &info);
    }
    target = link_value(*at, name, &info);
    joined = target != NULL ? stoa_format("%s/%s", target, *rest) : NULL;
    *goes_on = joined != NULL;
    free(target);
    *rest = joined;
    return NULL;
}

char *stoa_path_leads_to(hid_t loc, const char *path)
{
    const stoa_error_stack errors = stoa_error_stack_begin();
    char *whole = stoa_strdup(path);
    char *rest = whole;
    char *found = NULL;
    bool goes_on = whole != NULL;
    hid_t at = H5Oopen(loc, path[0] == '/' ? "/" : ".", H5P_DEFAULT);

    for (int n_soft = 0; goes_on && at >= 0 && n_soft <= MAX_SOFT_LINKS;) {
        rest += strspn(rest, "/");
        char *const name = rest;
        const size_t length = strcspn(rest, "/");
        rest += length + (rest[length] != '\0');
        name[length] = '\0';
        if (length == 0) {
            break;
        }
        if (strcmp(name, ".") == 0) {
            continue;
        }
        char *next = rest;
        found = follow_link(&at, name, &next, &goes_on);
        if (next != rest) { /* a soft link's target, followed by the rest */
            const bool is_absolute = next != NULL && next[0] == '/';
            free(whole);
            whole = next;
            rest = next;
            n_soft++;
            if (is_absolute) {
                hid_t root = H5Oopen(at, "/", H5P_DEFAULT);
                (void)stoa_hdf_close(&at, STOA_OK, NULL);
                at = root;
            }
        }
    }
    free(whole);
    (void)stoa_hdf_close(&at, STOA_OK, NULL);
    stoa_error_stack_discard(&errors);
    return found;
}

/* Report why the object of a hard link, or the root group, cannot be opened, or that the link is
 * user-defined. STOA_OK if neither applies, or there is no link. */
static stoa_status damage_at(hid_t loc, const char *path, hid_t access, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t object = H5I_INVALID_HID;
    H5L_info2_t link = {.type = H5L_TYPE_ERROR};
    const bool is_start = path[strspn(path, "/.")] == '\0';
    const stoa_error_stack errors = stoa_error_stack_begin();

    if (!is_start) {
        (void)H5Lget_info2(loc, path, &link, access);
    }
    stoa_error_stack_discard(&errors);
    if (link.type >= H5L_TYPE_UD_MIN && link.type != H5L_TYPE_EXTERNAL) {
        STOA_FAIL(err, STOA_ENOTFOUND,
                  "'%s' is a user-defined link (class %d), which is not followed", path,
                  (int)link.type);
    }
    if (is_start || link.type == H5L_TYPE_HARD) {
        STOA_HDF(err, object = H5Oopen(loc, is_start ? "/" : path, access), "open '%s'", path);
    }

done:
    return stoa_hdf_close(&object, status, err);
}

/* The same for every group on the path. */
static stoa_status damage_on_way(hid_t loc, const char *path, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t access = stoa_access_here(loc);
    char *const way = stoa_strdup(path);

    STOA_TRY(way != NULL ? damage_at(loc, "/", access, err) : stoa_fail_memory(err));
    for (size_t end = 1; end <= strlen(path); end++) {
        if (path[end] == '/' || path[end] == '\0') {
            way[end] = '\0';
            STOA_TRY(damage_at(loc, way, access, err));
            way[end] = path[end];
        }
    }

done:
    free(way);
    stoa_access_close(access);
    return status;
}

stoa_status stoa_object_not_found(hid_t loc, const char *path, const char *what, const char *file,
                                  stoa_error *err)
{
    char *const other = stoa_path_leads_to(loc, path);
    stoa_status status = other == NULL ? damage_on_way(loc, path, err) : STOA_OK;

    if (status != STOA_OK) {
        return status;
    }
    status = STOA_ENOTFOUND;
    if (other != NULL) {
        (void)stoa_fail(err, status,
                        "lies in another file, '%s', which is opened only with "
                        "--follow-external, and if it is a regular file below the directory of "
                        "this one",
                        other);
    } else if (file != NULL) {
        (void)stoa_fail(err, status, "%s; 'stoa ls %s' lists what there is", what, file);
    } else {
        (void)stoa_fail(err, status, "%s", what);
    }
    free(other);
    return status;
}
