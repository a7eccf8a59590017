/* Attributes of LH5 objects that refer to another object of their file. In another file, the text
 * attribute STOA_LH5_REFERENCE "NAME" holds the path of the target until all objects are in place.
 * Then the reference is created. If no object has the path, the text stays and names the missing
 * target. */
#include "layout/lh5/write/reference_attributes.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "hdf/metadata/attributes.h"
#include "hdf/metadata/references.h"
#include "hdf/metadata/walk.h"
#include "layout/layout.h"
#include "layout/lh5/write/writer.h"

/* --- all attributes -------------------------------------------------------------------------- */

typedef struct going {
    stoa_lh5_attribute_visit visit;
    void *context;
} going;

static stoa_status go_through(void *context, hid_t object, const char *path, stoa_error *err)
{
    const going *const g = context;
    stoa_status status = STOA_OK;
    stoa_buffer names = {0};

    STOA_TRY(stoa_attribute_names(object, &names, NULL, err));
    for (size_t at = 0; at < names.size; at += strlen((char *)names.data + at) + 1) {
        STOA_TRY(g->visit(g->context, object, path, (char *)names.data + at, err));
    }

done:
    stoa_buffer_clear(&names);
    return status;
}

static stoa_status enter(void *context, hid_t group, const char *path, bool *visits,
                         stoa_error *err)
{
    *visits = true;
    return go_through(context, group, path, err);
}

stoa_status stoa_lh5_each_attribute(hid_t object, const char *base, stoa_lh5_attribute_visit visit,
                                    void *context, stoa_error *err)
{
    stoa_status status = STOA_OK;
    going g = {visit, context};

    stoa_silence_begin();
    if (object >= 0 && H5Iget_type(object) == H5I_GROUP) {
        status = stoa_datasets_visit_in(object, base, enter, go_through, NULL, &g, err);
    } else if (object >= 0) {
        status = go_through(&g, object, base, err);
    }
    stoa_silence_end();
    return status;
}

/* --- pending references ----------------------------------------------------------------------- */

bool stoa_lh5_refers(hid_t object, const char *name, bool *is_one)
{
    hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    hid_t space = attribute >= 0 ? H5Aget_space(attribute) : H5I_INVALID_HID;
    hid_t type = attribute >= 0 ? H5Aget_type(attribute) : H5I_INVALID_HID;
    const bool does = type >= 0 && H5Tdetect_class(type, H5T_REFERENCE) > 0;

    *is_one = does && space >= 0 && H5Sget_simple_extent_type(space) == H5S_SCALAR &&
              H5Tequal(type, H5T_STD_REF_OBJ) > 0;
    (void)stoa_hdf_close(&type, STOA_OK, NULL);
    (void)stoa_hdf_close(&space, STOA_OK, NULL);
    (void)stoa_hdf_close(&attribute, STOA_OK, NULL);
    return does;
}

stoa_status stoa_lh5_referred(hid_t object, const char *name, char **path, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t target = H5I_INVALID_HID;
    bool is_one = false;

    *path = NULL;
    if (!stoa_lh5_refers(object, name, &is_one) || !is_one ||
        stoa_reference_open_old(object, name, &target, NULL) != STOA_OK) {
        return STOA_OK;
    }
    *path = stoa_hdf_name(target, H5Iget_name);
    status = *path != NULL ? STOA_OK : stoa_fail_memory(err);
    if (status == STOA_OK && (*path)[0] != '/') {
        free(*path);
        *path = NULL;
    }
    return stoa_hdf_close(&target, status, err);
}

/*
 * Create the reference of a pending attribute. If the target does not exist, the attribute stays
 * pending.
 *
 * @param[out] lost  the path of the missing target, freed by the caller; NULL if the reference was
 *                   created
 */
static stoa_status point(hid_t object, const char *waiting, const char *name, char **lost,
                         stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t target = H5I_INVALID_HID;
    hobj_ref_t reference = 0;
    char *path = NULL;

    *lost = NULL;
    STOA_TRY(stoa_attribute_read_note(object, waiting, &path, err));
    target = path != NULL && path[0] == '/' ? stoa_object_open(object, path) : H5I_INVALID_HID;
    if (target < 0) {
        *lost = path;
        path = NULL;
        goto done;
    }
    STOA_HDF(err, H5Rcreate(&reference, target, ".", H5R_OBJECT, H5I_INVALID_HID),
             "make a reference to '%s'", path);
    STOA_TRY(stoa_attribute_write_scalar(object, name, H5T_STD_REF_OBJ, H5T_STD_REF_OBJ, &reference,
                                         err));
    STOA_TRY(stoa_attribute_delete(object, waiting, err));

done:
    free(path);
    return stoa_hdf_close(&target, status, err);
}

/* --- all references of a file ----------------------------------------------------------------- */

/* The name of the reference that an attribute is pending for; NULL if it is not pending. */
static const char *waits_for(const char *name)
{
    static const char *const texts[] = {"", "units", "description", NULL};
    const size_t prefix = strlen(STOA_LH5_REFERENCE);

    return strncmp(name, STOA_LH5_REFERENCE, prefix) == 0 &&
                   !stoa_is_listed(name + prefix, texts) &&
                   !stoa_is_listed(name + prefix, stoa_lh5_own)
               ? name + prefix
               : NULL;
}

/* Callback for missing targets. */
typedef struct pointing {
    stoa_lost_visitor visitor;
    void *context;
} pointing;

static stoa_status point_one(void *context, hid_t object, const char *path, const char *waiting,
                             stoa_error *err)
{
    const pointing *const p = context;
    const char *const name = waits_for(waiting);
    char *lost = NULL;

    if (name == NULL) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(point(object, waiting, name, &lost, err));
    if (lost != NULL && p->visitor != NULL) {
        p->visitor(p->context, path, name, lost);
    }
    free(lost);
    return STOA_OK;
}

stoa_status stoa_lh5_point(hid_t loc, const char *path, stoa_lost_visitor visitor, void *context,
                           stoa_error *err)
{
    pointing p = {visitor, context};
    hid_t start = stoa_object_open(loc, path);
    const stoa_status status = stoa_lh5_each_attribute(start, path, point_one, &p, err);

    return stoa_hdf_close(&start, status, err);
}

/* --- copies ---------------------------------------------------------------------------------- */

/* Make a reference of a copy pending. `context` is the group of the originals; `path` is relative
 * to it. */
static stoa_status refer_one(void *context, hid_t copy, const char *path, const char *name,
                             stoa_error *err)
{
    stoa_status status = STOA_OK;
    const hid_t *const from = context;
    hid_t original = H5I_INVALID_HID;
    char *target = NULL;
    char *waiting = NULL;
    bool is_one = false;

    if (!stoa_lh5_refers(copy, name, &is_one)) {
        return STOA_OK;
    }
    original = stoa_object_open(*from, path[1] != '\0' ? path + 1 : ".");
    if (original < 0) {
        return STOA_OK;
    }
    waiting = stoa_format(STOA_LH5_REFERENCE "%s", name);
    STOA_TRY(waiting != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_lh5_referred(original, name, &target, err));
    STOA_TRY(stoa_attribute_delete(copy, name, err));
    STOA_TRY(target != NULL ? stoa_lh5_say(copy, waiting, target, err) : STOA_OK);

done:
    free(waiting);
    free(target);
    return stoa_hdf_close(&original, status, err);
}

stoa_status stoa_lh5_refer_again(hid_t from, hid_t to, stoa_error *err)
{
    return stoa_lh5_each_attribute(to, "/", refer_one, &from, err);
}
