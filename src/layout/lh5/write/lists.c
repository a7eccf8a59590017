/* The field lists of the groups that contain LH5 objects (LH5 notes §2.2). Each list is read and
 * written once for all new objects in its group. */
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/string_set.h"
#include "hdf/metadata/attributes.h"
#include "hdf/metadata/links.h"
#include "layout/lh5/read/lh5.h"
#include "layout/lh5/write/writer.h"

/* The field names of a group: the listed ones and the new ones. */
typedef struct listing {
    stoa_string_set names;
    stoa_status status;
    stoa_error *err;
} listing;

static stoa_status add_name(listing *l, const char *name, stoa_error *err)
{
    uint32_t number = 0;

    return stoa_string_set_add(&l->names, name, strlen(name), &number, err);
}

/* Add a name, if a list can hold it. */
static stoa_status list_name(listing *l, const char *name, stoa_error *err)
{
    return stoa_lh5_check_name(name, "", NULL) == STOA_OK ? add_name(l, name, err) : STOA_OK;
}

/* Add a member that has a datatype. */
static herr_t list_member(hid_t group, const char *name, const H5L_info2_t *info, void *context)
{
    listing *const l = context;
    hid_t member = stoa_object_open(group, name);
    const bool is_object = member >= 0 && stoa_attribute_exists(member, "datatype");

    (void)info;
    (void)stoa_hdf_close(&member, STOA_OK, NULL);
    if (is_object) {
        l->status = list_name(l, name, l->err);
    }
    return l->status == STOA_OK ? 0 : -1;
}

static stoa_status list_members(hid_t group, listing *l, stoa_error *err)
{
    l->err = err;
    const stoa_status status = stoa_links_visit(group, list_member, l, err);

    return l->status != STOA_OK ? l->status : status;
}

static stoa_status write_list(hid_t group, const listing *l, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_lh5_datatype type = {.kind = STOA_LH5_STRUCT};
    stoa_buffer names = {0};

    type.names = stoa_alloc(l->names.count, sizeof *type.names);
    STOA_TRY(type.names != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_buffer_reserve(&names, l->names.bytes.size + l->names.count, err));
    for (uint32_t i = 0; i < l->names.count; i++) {
        size_t length = 0;
        const char *const name = stoa_string_set_get(&l->names, i, &length);
        type.names[type.n_names++] = (char *)names.data + names.size;
        STOA_TRY(stoa_buffer_append(&names, name, length, err));
        STOA_TRY(stoa_buffer_append(&names, "", 1, err));
    }
    STOA_TRY(stoa_lh5_say_datatype(group, &type, err));

done:
    free(type.names);
    stoa_buffer_clear(&names);
    return status;
}

stoa_status stoa_lh5_list_in(hid_t group, const char *const *names, size_t n, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_lh5_datatype type = {0};
    listing l = {.status = STOA_OK};
    char *text = NULL;

    if (stoa_attribute_exists(group, "datatype")) {
        STOA_TRY(stoa_lh5_type_if_valid(group, &type, &text, err));
        if (type.kind != STOA_LH5_STRUCT) {
            goto done;
        }
        for (size_t i = 0; i < type.n_names; i++) {
            STOA_TRY(add_name(&l, type.names[i], err));
        }
    } else {
        STOA_TRY(list_members(group, &l, err));
    }
    const uint32_t n_said = text != NULL ? l.names.count : UINT32_MAX;
    for (size_t i = 0; i < n; i++) {
        STOA_TRY(list_name(&l, names[i], err));
    }
    if (l.names.count != n_said) {
        STOA_TRY(write_list(group, &l, err));
    }

done:
    stoa_lh5_datatype_clear(&type);
    stoa_string_set_clear(&l.names);
    free(text);
    return status;
}

void stoa_lh5_drop_absent(hid_t group, stoa_lh5_datatype *type)
{
    size_t n = 0;

    for (size_t i = 0; i < type->n_names; i++) {
        if (stoa_object_exists(group, type->names[i])) {
            type->names[n++] = type->names[i];
        }
    }
    type->n_names = n;
}

/* --- many objects ----------------------------------------------------------------------------- */

/* A link on the way to an object. The path of its group is the part before the name. */
typedef struct step {
    const char *path;
    size_t before; /* bytes of `path` before the name */
    size_t length; /* bytes of the name */
} step;

static int by_group(const void *a, const void *b)
{
    const step *const left = a;
    const step *const right = b;

    return stoa_compare_bytes(left->path, left->before, right->path, right->before);
}

static stoa_status find_steps(const char *const *paths, size_t n, stoa_buffer *steps,
                              stoa_error *err)
{
    for (size_t i = 0; i < n; i++) {
        size_t at = strspn(paths[i], "/");
        while (paths[i][at] != '\0') {
            const step one = {paths[i], at, strcspn(paths[i] + at, "/")};
            STOA_RETURN_NOT_OK(stoa_buffer_append(steps, &one, sizeof one, err));
            at += one.length;
            at += strspn(paths[i] + at, "/");
        }
    }
    return STOA_OK;
}

/* List n steps that share a group. */
static stoa_status list_steps(hid_t loc, const step *steps, size_t n, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t group = H5I_INVALID_HID;
    char **const names = stoa_alloc_zero(n, sizeof *names);
    char *const path =
        steps->before > 0 ? stoa_strndup(steps->path, steps->before) : stoa_strdup(".");

    STOA_TRY(names != NULL && path != NULL ? STOA_OK : stoa_fail_memory(err));
    for (size_t i = 0; i < n; i++) {
        names[i] = stoa_strndup(steps[i].path + steps[i].before, steps[i].length);
        STOA_TRY(names[i] != NULL ? STOA_OK : stoa_fail_memory(err));
    }
    STOA_HDF(err, group = H5Gopen2(loc, path, H5P_DEFAULT), "open '%s'", path);
    STOA_TRY(stoa_lh5_list_in(group, (const char *const *)names, n, err));

done:
    for (size_t i = 0; names != NULL && i < n; i++) {
        free(names[i]);
    }
    free((void *)names);
    free(path);
    return stoa_hdf_close(&group, status, err);
}

stoa_status stoa_lh5_list_all(hid_t loc, const char *const *paths, size_t n, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_buffer found = {0};

    STOA_TRY(find_steps(paths, n, &found, err));
    step *const steps = (step *)(void *)found.data;
    const size_t n_steps = found.size / sizeof *steps;
    if (n_steps > 0) {
        qsort(steps, n_steps, sizeof *steps, by_group);
    }
    for (size_t first = 0, end = 0; first < n_steps; first = end) {
        while (end < n_steps && by_group(&steps[first], &steps[end]) == 0) {
            end++;
        }
        STOA_TRY(list_steps(loc, steps + first, end - first, err));
    }

done:
    stoa_buffer_clear(&found);
    return status;
}
