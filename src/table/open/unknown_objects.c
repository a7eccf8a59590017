#include "table/open/unknown_objects.h"

#include <stdlib.h>
#include <string.h>

#include "column/list/list.h"
#include "core/memory.h"
#include "hdf/metadata/other_files.h"
#include "hdf/metadata/references.h"
#include "table/open/table.h"

/* Maximum number of names in stoa_unknown_objects_text(). */
enum { MAX_NAMED = 8 };

static bool is_reserved(const char *name)
{
    return strcmp(name, "CATEGORIES") == 0 || strcmp(name, "SEARCH_INDEXES") == 0;
}

static stoa_status kind_of_group(hid_t table, hid_t group, const char *name, const char **kind,
                                 stoa_error *err)
{
    bool is_table = false;
    bool is_list = false;

    STOA_RETURN_NOT_OK(stoa_list_is_group(group, &is_list, err));
    if (is_list || is_reserved(name) || stoa_same_object(table, group)) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(stoa_table_probe(group, &is_table, err));
    *kind = is_table ? NULL : "group";
    return STOA_OK;
}

stoa_status stoa_list_column_at(hid_t group, const char *name, hid_t *object, stoa_error *err)
{
    stoa_status status = STOA_OK;
    H5O_info2_t about;
    bool is_one = false;
    const stoa_error_stack errors = stoa_error_stack_begin();

    *object = H5I_INVALID_HID;
    if (!is_reserved(name) &&
        H5Oget_info_by_name3(group, name, &about, H5O_INFO_BASIC, H5P_DEFAULT) >= 0 &&
        about.type == H5O_TYPE_GROUP) {
        *object = H5Gopen2(group, name, H5P_DEFAULT);
    }
    stoa_error_stack_discard(&errors);
    if (*object >= 0) {
        status = stoa_list_is_group(*object, &is_one, err);
    }
    return is_one ? status : stoa_hdf_close(object, status, err);
}

static stoa_status kind_of_dataset(hid_t dataset, const char *name, const char **kind,
                                   stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t space = H5I_INVALID_HID;

    if (!stoa_extent_is_here(dataset)) {
        return STOA_OK; /* it may be a column */
    }
    STOA_HDF(err, space = H5Dget_space(dataset), "get the shape of '%s'", name);
    if (H5Sget_simple_extent_type(space) == H5S_NULL) {
        *kind = "dataset without elements";
    } else if (H5Sget_simple_extent_ndims(space) == 0) {
        *kind = "scalar dataset";
    } else if (H5Sget_simple_extent_ndims(space) > 1) {
        *kind = "dataset of more than one dimension";
    }

done:
    return stoa_hdf_close(&space, status, err);
}

/* Classify an object; *kind is NULL if it belongs to the table. Only groups and datasets are
 * opened. */
static stoa_status kind_of(hid_t group, const char *name, const H5L_info2_t *info,
                           const char **kind, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t object = H5I_INVALID_HID;
    H5O_info2_t about;

    *kind = NULL;
    if (info->type != H5L_TYPE_HARD) {
        *kind = info->type == H5L_TYPE_SOFT ? "soft link" : "external link";
        return STOA_OK;
    }
    STOA_HDF(err, H5Oget_info_by_name3(group, name, &about, H5O_INFO_BASIC, H5P_DEFAULT),
             "look at '%s'", name);
    if (about.type == H5O_TYPE_GROUP) {
        STOA_HDF(err, object = H5Gopen2(group, name, H5P_DEFAULT), "open '%s'", name);
        STOA_TRY(kind_of_group(group, object, name, kind, err));
    } else if (about.type == H5O_TYPE_DATASET) {
        STOA_HDF(err, object = H5Dopen2(group, name, H5P_DEFAULT), "open '%s'", name);
        STOA_TRY(kind_of_dataset(object, name, kind, err));
    } else {
        *kind = "named datatype";
    }

done:
    return stoa_hdf_close(&object, status, err);
}

stoa_status stoa_unknown_objects_add(stoa_unknown_objects *list, hid_t group, const char *name,
                                     const H5L_info2_t *info, stoa_error *err)
{
    const char *kind = NULL;
    stoa_left_out *items = NULL;

    STOA_RETURN_NOT_OK(kind_of(group, name, info, &kind, err));
    if (kind == NULL) {
        return STOA_OK;
    }
    items = stoa_one_more(list->items, list->n, sizeof *items);
    STOA_RETURN_NO_MEMORY(err, items);
    list->items = items;
    items[list->n] = (stoa_left_out){stoa_strdup(name), kind};
    STOA_RETURN_NO_MEMORY(err, items[list->n].name);
    list->n++;
    return STOA_OK;
}

char *stoa_unknown_objects_text(const stoa_unknown_objects *list)
{
    char *text = stoa_strdup("");

    for (size_t i = 0; text != NULL && i < list->n && i < MAX_NAMED; i++) {
        char *const longer = stoa_format("%s%s'%s' (%s)", text, i > 0 ? ", " : "",
                                         list->items[i].name, list->items[i].kind);
        free(text);
        text = longer;
    }
    if (text != NULL && list->n > MAX_NAMED) {
        char *const longer = stoa_format("%s and %zu more", text, list->n - MAX_NAMED);
        free(text);
        text = longer;
    }
    return text;
}

void stoa_unknown_objects_clear(stoa_unknown_objects *list)
{
    for (size_t i = 0; i < list->n; i++) {
        free((void *)(uintptr_t)list->items[i].name);
    }
    free(list->items);
    *list = (stoa_unknown_objects){0};
}
