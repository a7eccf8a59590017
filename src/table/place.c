/* Places: `FILE[:PATH]`, and the tables of a file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stoa/place.h>

#include "core/memory.h"
#include "hdf/attributes.h"
#include "table/table.h"

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

/* The walk over a file's objects, each seen once by its hard links. */
typedef struct walker {
    stoa_object_visitor visitor;
    void *context;
    const char *base; /* path of the location the walk starts from */
    stoa_error *err;
    stoa_status status;
} walker;

/* Columns and stored bytes of a table, from links alone: a broken table is listed all the same. */
static herr_t weigh_link(hid_t group, const char *name, const H5L_info2_t *info, void *context)
{
    stoa_object *object = context;
    H5O_info2_t target;

    if (info->type != H5L_TYPE_HARD ||
        H5Oget_info_by_name3(group, name, &target, H5O_INFO_BASIC, H5P_DEFAULT) < 0) {
        return 0;
    }
    if (target.type == H5O_TYPE_DATASET) {
        const hid_t dataset = H5Dopen2(group, name, H5P_DEFAULT);
        if (dataset >= 0) {
            object->n_columns++;
            object->n_bytes += H5Dget_storage_size(dataset);
            (void)H5Dclose(dataset);
        }
    } else if (target.type == H5O_TYPE_GROUP &&
               (strcmp(name, "CATEGORIES") == 0 || strcmp(name, "SEARCH_INDEXES") == 0)) {
        stoa_object inner = {.n_bytes = 0};
        hsize_t position = 0;
        (void)H5Literate_by_name2(group, name, H5_INDEX_NAME, H5_ITER_INC, &position, weigh_link,
                                  &inner, H5P_DEFAULT);
        object->n_bytes += inner.n_bytes;
    }
    return 0;
}

static herr_t visit_object(hid_t loc, const char *name, const H5O_info2_t *info, void *context)
{
    walker *walk = context;
    stoa_object object = {.layout = "hep001", .kind = "table"};
    hsize_t position = 0;
    herr_t result = 0;

    if (info->type != H5O_TYPE_GROUP) {
        return 0;
    }
    const hid_t group = H5Gopen2(loc, name, H5P_DEFAULT);
    if (group < 0) {
        return 0;
    }
    bool is_table = false;
    walk->status = stoa_table_probe(group, &is_table, walk->err);
    if (walk->status != STOA_OK) {
        result = -1;
    } else if (is_table) {
        const bool is_base = strcmp(name, ".") == 0;
        char *path = is_base ? stoa_strdup(walk->base)
                             : stoa_format("%s%s%s", walk->base,
                                           strcmp(walk->base, "/") == 0 ? "" : "/", name);
        if (path == NULL) {
            walk->status = stoa_fail_memory(walk->err);
            result = -1;
        } else {
            stoa_error ignored = STOA_ERROR_INIT;
            bool found;
            (void)stoa_attribute_read_u64(group, "NROWS", &object.n_rows, &found, &ignored);
            (void)H5Literate2(group, H5_INDEX_NAME, H5_ITER_INC, &position, weigh_link, &object);
            object.path = path;
            result = walk->visitor(walk->context, &object) ? 0 : 1;
        }
        free(path);
    }
    (void)H5Gclose(group);
    return result;
}

stoa_status stoa_place_list(hid_t loc, stoa_object_visitor visitor, void *context, stoa_error *err)
{
    walker walk = {.visitor = visitor, .context = context, .base = "/", .err = err};
    char base[1024] = "/";

    if (H5Iget_name(loc, base, sizeof base) > 0 && H5Iget_type(loc) != H5I_FILE) {
        walk.base = base;
    }
    const stoa_quiet quiet = stoa_quiet_begin();
    const herr_t walked =
        H5Ovisit3(loc, H5_INDEX_NAME, H5_ITER_INC, visit_object, &walk, H5O_INFO_BASIC);
    if (walked < 0 && walk.status == STOA_OK) {
        walk.status = stoa_hdf_fail(err, "walk through the file");
    }
    (void)H5Eclear2(H5E_DEFAULT);
    stoa_quiet_end(&quiet);
    return walk.status;
}

/* The search for the only table: the first one's path, and the names of the first few. */
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

    *path = NULL;
    STOA_TRY(stoa_place_list(loc, note_table, &found, err));
    if (found.n == 0) {
        STOA_FAIL(err, STOA_ENOTFOUND, "holds no table (HEP001 §7.1)");
    }
    if (found.n > 1) {
        STOA_FAIL(err, STOA_EINVAL, "holds %zu tables (%s); say which: FILE:PATH", found.n,
                  found.names);
    }
    if (found.path == NULL) {
        STOA_TRY(stoa_fail_memory(err));
    }
    *path = found.path;
    found.path = NULL;

done:
    free(found.path);
    return status;
}
