/* Attributes of LH5 files that conversions leave behind (saved_metadata.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "hdf/metadata/attributes.h"
#include "hdf/metadata/saved_attribute.h"
#include "hdf/metadata/walk.h"
#include "layout/lh5/read/lh5.h"
#include "layout/lh5/write/saved_metadata.h"

bool stoa_lh5_is_at(hid_t loc, const char *path)
{
    stoa_lh5_datatype type = {0};
    char *text = NULL;
    hid_t object = stoa_object_open(loc, path);
    const bool is =
        object >= 0 && stoa_lh5_type_of(object, &type, &text, NULL) == STOA_OK && text != NULL;

    stoa_lh5_datatype_clear(&type);
    free(text);
    (void)stoa_hdf_close(&object, STOA_OK, NULL);
    return is;
}

bool stoa_lh5_refers(hid_t object, const char *name)
{
    hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    hid_t type = attribute >= 0 ? H5Aget_type(attribute) : H5I_INVALID_HID;
    const bool does = type >= 0 && H5Tdetect_class(type, H5T_REFERENCE) > 0;

    (void)stoa_hdf_close(&type, STOA_OK, NULL);
    (void)stoa_hdf_close(&attribute, STOA_OK, NULL);
    return does;
}

/* --- all attributes -------------------------------------------------------------------------- */

/* A visit to the attributes of an object and of all below it. It may delete attributes. */
typedef struct visiting {
    stoa_status (*visit)(const struct visiting *v, hid_t object, const char *path, const char *name,
                         stoa_error *err);
    stoa_lh5_unread *unread; /* with `context`, of check() */
    void *context;
    hid_t from; /* of drop() */
} visiting;

static stoa_status visit_attributes(void *context, hid_t object, const char *path, stoa_error *err)
{
    const visiting *const v = context;
    stoa_status status = STOA_OK;
    stoa_buffer names = {0};

    STOA_TRY(stoa_attribute_names(object, &names, NULL, err));
    for (size_t at = 0; at < names.size; at += strlen((char *)names.data + at) + 1) {
        STOA_TRY(v->visit(v, object, path, (char *)names.data + at, err));
    }

done:
    stoa_buffer_clear(&names);
    return status;
}

static stoa_status enter(void *context, hid_t group, const char *path, bool *visits,
                         stoa_error *err)
{
    *visits = true;
    return visit_attributes(context, group, path, err);
}

/* `object` may be H5I_INVALID_HID. Paths begin with `base`. */
static stoa_status visit_all(visiting *v, hid_t object, const char *base, stoa_error *err)
{
    stoa_status status = STOA_OK;

    stoa_error_printing_off();
    if (object >= 0 && H5Iget_type(object) == H5I_GROUP) {
        status = stoa_datasets_visit_in(object, base, enter, visit_attributes, NULL, v, err);
    } else if (object >= 0) {
        status = visit_attributes(v, object, base, err);
    }
    stoa_error_printing_on();
    return status;
}

/* --- what stays behind ------------------------------------------------------------------------ */

static stoa_status check(const visiting *v, hid_t object, const char *path, const char *name,
                         stoa_error *err)
{
    stoa_saved_attribute kept = STOA_SAVED_ATTRIBUTE_INIT;
    stoa_error why = STOA_ERROR_INIT;
    char said[sizeof why.message + sizeof "cannot be read: "];
    const stoa_status status = stoa_attribute_save(object, name, &kept, &why);

    stoa_saved_attribute_clear(&kept);
    if (status == STOA_ENOMEM) {
        return stoa_fail_memory(err);
    }
    if (status != STOA_OK) {
        (void)snprintf(said, sizeof said, "cannot be read: %s", why.message);
        v->unread(v->context, path, name, said);
    } else if (stoa_lh5_refers(object, name)) {
        v->unread(v->context, path, name, "has references");
    }
    return STOA_OK;
}

stoa_status stoa_lh5_each_unread(hid_t loc, const char *path, stoa_lh5_unread *visit, void *context,
                                 stoa_error *err)
{
    visiting v = {.visit = check, .unread = visit, .context = context};
    hid_t object = stoa_object_open(loc, path);
    const stoa_status status = visit_all(&v, object, path, err);

    return stoa_hdf_close(&object, status, err);
}

/* --- copies ---------------------------------------------------------------------------------- */

/* Delete a reference that a copy has of its original. */
static stoa_status drop(const visiting *v, hid_t copy, const char *path, const char *name,
                        stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t original = stoa_lh5_refers(copy, name)
                         ? stoa_object_open(v->from, path[1] != '\0' ? path + 1 : ".")
                         : H5I_INVALID_HID;

    if (original >= 0 && stoa_lh5_refers(original, name)) {
        status = stoa_attribute_delete(copy, name, err);
    }
    return stoa_hdf_close(&original, status, err);
}

stoa_status stoa_lh5_drop_references(hid_t from, hid_t to, stoa_error *err)
{
    return visit_all(&(visiting){.visit = drop, .from = from}, to, "/", err);
}
