/* Parsing places, `FILE[:PATH]`, and listing the tables of a file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stoa/place.h>

#include "column/list/list.h"
#include "core/memory.h"
#include "hdf/metadata/attributes.h"
#include "hdf/metadata/links.h"
#include "hdf/metadata/walk.h"
#include "table/open/table.h"

stoa_status stoa_place_parse(const char *text, stoa_place *place, stoa_error *err)
{
    const char *colon = NULL;

    *place = (stoa_place){NULL, NULL};
    for (const char *c = text; *c != '\0'; c++) {
        if (c[0] == ':' && c[1] == '/') {
            colon = c;
        }
    }
    const size_t length = colon != NULL ? (size_t)(colon - text) : strlen(text);
    if (length == 0) {
        return stoa_fail(err, STOA_EINVAL, "'%s' names no file; a place is FILE[:/PATH]", text);
    }
    place->file = stoa_strndup(text, length);
    place->path = colon != NULL ? stoa_strdup(colon + 1) : NULL;
    if (place->file == NULL || (colon != NULL && place->path == NULL)) {
        stoa_place_clear(place);
        return stoa_fail_memory(err);
    }
    return STOA_OK;
}

void stoa_place_clear(stoa_place *place)
{
    free(place->file);
    free(place->path);
    *place = (stoa_place){NULL, NULL};
}

/* State of a walk that lists tables. */
typedef struct lister {
    stoa_object_visitor visitor;
    void *context;
    bool is_bare; /* only find tables, without their contents */
} lister;

static bool look_up(hid_t group, const char *name, const H5L_info2_t *info, H5O_info2_t *target)
{
    return info->type == H5L_TYPE_HARD &&
           H5Oget_info_by_name3(group, name, target, H5O_INFO_BASIC, H5P_DEFAULT) >= 0;
}

/* Count a dataset, even one that cannot be opened. */
static void count_dataset(hid_t group, const char *name, stoa_object *object)
{
    const hid_t dataset = stoa_open_here(group, name);

    object->n_columns++;
    if (dataset >= 0) {
        object->n_bytes += H5Dget_storage_size(dataset);
        (void)H5Dclose(dataset);
    }
}

static herr_t weigh_dataset(hid_t group, const char *name, const H5L_info2_t *info, void *context)
{
    H5O_info2_t target;

    if (look_up(group, name, info, &target) && target.type == H5O_TYPE_DATASET) {
        count_dataset(group, name, context);
    }
    return 0;
}

/* Bytes of a list column's datasets, at every level. Only VALUES leads to another level: hard links
 * may form cycles. The group is closed. */
static uint64_t weigh_list(hid_t group)
{
    stoa_object inner = {.n_bytes = 0};

    for (unsigned depth = 0; depth < STOA_LIST_MAX_LEVELS && group >= 0; depth++) {
        hid_t values = stoa_object_open(group, STOA_LIST_VALUES);
        (void)!stoa_links_visit(group, weigh_dataset, &inner, NULL);
        (void)stoa_hdf_close(&group, STOA_OK, NULL);
        if (values >= 0 && H5Iget_type(values) == H5I_GROUP) {
            group = values;
        } else {
            (void)stoa_hdf_close(&values, STOA_OK, NULL);
        }
    }
    (void)stoa_hdf_close(&group, STOA_OK, NULL);
    return inner.n_bytes;
}

/* A table whose columns and bytes are being counted. */
typedef struct weighing {
    stoa_object *object;
    stoa_unknown_objects left_out;
} weighing;

/* Count columns and stored bytes from links alone, so that damaged tables are listed too. Only the
 * two reserved groups and list columns have members (§7.6). */
static herr_t weigh_link(hid_t group, const char *name, const H5L_info2_t *info, void *context)
{
    weighing *const w = context;
    hid_t list = H5I_INVALID_HID;
    H5O_info2_t target;
    const bool is_there = look_up(group, name, info, &target);
    const bool is_group = is_there && target.type == H5O_TYPE_GROUP;

    if (is_group && (strcmp(name, "CATEGORIES") == 0 || strcmp(name, "SEARCH_INDEXES") == 0)) {
        stoa_object inner = {.n_bytes = 0};
        const hid_t reserved = stoa_open_here(group, name);
        (void)!stoa_links_visit(reserved, weigh_dataset, &inner, NULL);
        (void)H5Gclose(reserved);
        w->object->n_bytes += inner.n_bytes;
        return 0;
    }
    if (is_group && stoa_list_column_at(group, name, &list, NULL) == STOA_OK && list >= 0) {
        w->object->n_columns++;
        w->object->n_bytes += weigh_list(list);
        return 0;
    }
    (void)!stoa_unknown_objects_add(&w->left_out, group, name, info, NULL);
    if (is_there && target.type == H5O_TYPE_DATASET) {
        count_dataset(group, name, w->object);
    }
    return 0;
}

stoa_status stoa_table_describe(hid_t group, bool is_bare, bool *is_table, stoa_object *object,
                                char **left_out, stoa_error *err)
{
    stoa_error ignored = STOA_ERROR_INIT;
    bool found = false;
    weighing w = {.object = object};
    stoa_status status = STOA_OK;

    *left_out = NULL;
    STOA_TRY(stoa_table_probe(group, is_table, err));
    if (!*is_table) {
        goto done;
    }
    object->layout = "hep001";
    object->kind = "table";
    if (is_bare) {
        goto done;
    }
    (void)stoa_attribute_read_u64(group, "NROWS", &object->n_rows, &found, &ignored);
    if (stoa_links_visit(group, weigh_link, &w, NULL) == STOA_ENOMEM) {
        STOA_TRY(stoa_fail_memory(err));
    }
    if (w.left_out.n > 0) {
        *left_out = stoa_unknown_objects_text(&w.left_out);
        STOA_TRY(*left_out != NULL ? STOA_OK : stoa_fail_memory(err));
        object->left_out = *left_out;
    }

done:
    stoa_unknown_objects_clear(&w.left_out);
    return status;
}

static stoa_status describe_table(void *context, hid_t group, const char *path, bool *goes_on,
                                  stoa_error *err)
{
    const lister *list = context;
    stoa_object object = {.path = path};
    char *left_out = NULL;
    bool is_table = false;
    const stoa_status status =
        stoa_table_describe(group, list->is_bare, &is_table, &object, &left_out, err);

    if (is_table && status == STOA_OK) {
        *goes_on = list->visitor(list->context, &object);
    }
    free(left_out);
    return status;
}

stoa_status stoa_place_visit(hid_t loc, stoa_object_visitor visitor, void *context, stoa_error *err)
{
    lister list = {.visitor = visitor, .context = context};

    return stoa_groups_visit(loc, describe_table, &list, err);
}

/* The search for the only table: the path of the first one, and the names of the first few. */
typedef struct only {
    char *path;
    size_t n;
    char names[256];
} only;

static bool note_table(void *context, const stoa_object *object)
{
    only *found = context;
    const size_t length = strlen(found->names);

    if (found->n++ == 0) {
        found->path = stoa_strdup(object->path);
    }
    if (found->n <= 8) {
        (void)snprintf(found->names + length, sizeof found->names - length, "%s%s",
                       length != 0 ? ", " : "", object->path);
    } else if (found->n == 9) {
        (void)snprintf(found->names + length, sizeof found->names - length, ", ...");
    }
    return true;
}

stoa_status stoa_place_only_table(hid_t loc, char **path, stoa_error *err)
{
    stoa_status status = STOA_OK;
    only found = {.path = NULL};
    lister list = {.visitor = note_table, .context = &found, .is_bare = true};

    *path = NULL;
    STOA_TRY(stoa_groups_visit(loc, describe_table, &list, err));
    if (found.n == 0) {
        STOA_FAIL(err, STOA_ENOTFOUND, "holds no table (HEP001 §7.1)");
    }
    if (found.n > 1) {
        STOA_FAIL(err, STOA_EINVAL, "holds %zu tables (%s); say which: FILE:PATH", found.n,
                  found.names);
    }
    STOA_TRY(found.path != NULL ? STOA_OK : stoa_fail_memory(err));
    *path = found.path;
    found.path = NULL;

done:
    free(found.path);
    return status;
}
