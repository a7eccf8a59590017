/* Places: `FILE[:PATH]`, and the tables of a file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stoa/place.h>

#include "core/memory.h"
#include "core/strings.h"
#include "hdf/attributes.h"
#include "hdf/links.h"
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

/* A group that the walk has still to visit. */
typedef struct waiting {
    char *path;
    H5O_token_t token;
} waiting;

/* The walk over a file's groups, each seen once by its hard links. It keeps its own stack: a file
 * may nest groups as deep as it likes. */
typedef struct walker {
    stoa_object_visitor visitor;
    void *context;
    stoa_buffer stack; /* of waiting */
    stoa_strings seen; /* tokens */
    const char *path;  /* of the group whose links are looked at */
    bool is_bare;      /* tables are looked for, not into */
    stoa_error *err;
    stoa_status status;
} walker;

static bool look_up(hid_t group, const char *name, const H5L_info2_t *info, H5O_info2_t *target)
{
    return info->type == H5L_TYPE_HARD &&
           H5Oget_info_by_name3(group, name, target, H5O_INFO_BASIC, H5P_DEFAULT) >= 0;
}

static herr_t weigh_dataset(hid_t group, const char *name, const H5L_info2_t *info, void *context)
{
    stoa_object *object = context;
    H5O_info2_t target;

    if (look_up(group, name, info, &target) && target.type == H5O_TYPE_DATASET) {
        const hid_t dataset = H5Dopen2(group, name, H5P_DEFAULT);
        if (dataset >= 0) {
            object->n_columns++;
            object->n_bytes += H5Dget_storage_size(dataset);
            (void)H5Dclose(dataset);
        }
    }
    return 0;
}

/* Columns and stored bytes of a table, from links alone: a broken table is listed all the same.
 * Nothing lies deeper than the two reserved groups (§7.6), and hard links may go round in circles.
 */
static herr_t weigh_link(hid_t group, const char *name, const H5L_info2_t *info, void *context)
{
    stoa_object *object = context;
    H5O_info2_t target;

    if (look_up(group, name, info, &target) && target.type == H5O_TYPE_GROUP &&
        (strcmp(name, "CATEGORIES") == 0 || strcmp(name, "SEARCH_INDEXES") == 0)) {
        stoa_object inner = {.n_bytes = 0};
        const hid_t reserved = H5Gopen2(group, name, H5P_DEFAULT);
        (void)!stoa_links_visit(reserved, weigh_dataset, &inner, NULL);
        (void)H5Gclose(reserved);
        object->n_bytes += inner.n_bytes;
        return 0;
    }
    return weigh_dataset(group, name, info, context);
}

static stoa_status show_table(walker *walk, hid_t group, const char *path, bool *goes_on)
{
    stoa_object object = {.layout = "hep001", .kind = "table", .path = path};
    stoa_error ignored = STOA_ERROR_INIT;
    bool found = false;

    if (!walk->is_bare) {
        (void)stoa_attribute_read_u64(group, "NROWS", &object.n_rows, &found, &ignored);
    }
    if (!walk->is_bare && stoa_links_visit(group, weigh_link, &object, NULL) == STOA_ENOMEM) {
        return stoa_fail_memory(walk->err);
    }
    *goes_on = walk->visitor(walk->context, &object);
    return STOA_OK;
}

/* Put a group on the stack unless it was there before; takes the path over. */
static stoa_status push(walker *walk, char *path, const H5O_token_t *token)
{
    const waiting group = {path, *token};
    const uint32_t n_before = walk->seen.count;
    uint32_t number = 0;
    stoa_status status = STOA_OK;

    if (path == NULL) {
        return stoa_fail_memory(walk->err);
    }
    STOA_TRY(stoa_strings_add(&walk->seen, token, sizeof *token, &number, walk->err));
    if (number == n_before) {
        STOA_TRY(stoa_buffer_append(&walk->stack, &group, sizeof group, walk->err));
        return STOA_OK;
    }

done:
    free(path);
    return status;
}

static bool pop(walker *walk, waiting *group)
{
    if (walk->stack.size == 0) {
        return false;
    }
    walk->stack.size -= sizeof *group;
    memcpy(group, walk->stack.data + walk->stack.size, sizeof *group);
    return true;
}

static herr_t push_link(hid_t group, const char *name, const H5L_info2_t *info, void *context)
{
    walker *walk = context;
    H5O_info2_t target;

    if (look_up(group, name, info, &target) && target.type == H5O_TYPE_GROUP) {
        const char *const slash = strcmp(walk->path, "/") == 0 ? "" : "/";
        walk->status = push(walk, stoa_format("%s%s%s", walk->path, slash, name), &target.token);
    }
    return walk->status == STOA_OK ? 0 : 1;
}

/* Those pushed last are visited first: turn them round. */
static void reverse(walker *walk, size_t from)
{
    waiting *groups = (waiting *)(void *)walk->stack.data;
    size_t to = walk->stack.size / sizeof *groups;

    for (from /= sizeof *groups; from + 1 < to; from++) {
        const waiting kept = groups[from];
        groups[from] = groups[--to];
        groups[to] = kept;
    }
}

static stoa_status visit_group(walker *walk, hid_t loc, const waiting *waits, bool *goes_on)
{
    stoa_status status = STOA_OK;
    const size_t before = walk->stack.size;
    hid_t group = H5Oopen_by_token(loc, waits->token);
    bool is_table = false;

    if (group < 0) {
        goto done; /* damaged: what lies below it cannot be seen */
    }
    STOA_TRY(stoa_table_probe(group, &is_table, walk->err));
    if (is_table) {
        STOA_TRY(show_table(walk, group, waits->path, goes_on));
    }
    walk->path = waits->path;
    STOA_TRY(stoa_links_visit(group, push_link, walk, walk->err));
    status = walk->status;
    reverse(walk, before);

done:
    return stoa_hdf_close(&group, status, NULL);
}

static stoa_status visit_tree(hid_t loc, bool is_bare, stoa_object_visitor visitor, void *context,
                              stoa_error *err)
{
    walker walk = {.visitor = visitor, .context = context, .is_bare = is_bare, .err = err};
    stoa_status status = STOA_OK;
    char base[1024] = "/";
    H5O_info2_t info;
    waiting group;
    bool goes_on = true;
    const stoa_quiet quiet = stoa_quiet_begin();

    if (H5Iget_type(loc) != H5I_FILE && H5Iget_name(loc, base, sizeof base) <= 0) {
        (void)strcpy(base, "/");
    }
    STOA_HDF(err, H5Oget_info3(loc, &info, H5O_INFO_BASIC), "walk through the file");
    STOA_TRY(push(&walk, stoa_strdup(base), &info.token));
    while (status == STOA_OK && goes_on && pop(&walk, &group)) {
        status = visit_group(&walk, loc, &group, &goes_on);
        free(group.path);
    }

done:
    while (pop(&walk, &group)) {
        free(group.path);
    }
    stoa_buffer_clear(&walk.stack);
    stoa_strings_clear(&walk.seen);
    (void)H5Eclear2(H5E_DEFAULT);
    stoa_quiet_end(&quiet);
    return status;
}

stoa_status stoa_place_list(hid_t loc, stoa_object_visitor visitor, void *context, stoa_error *err)
{
    return visit_tree(loc, false, visitor, context, err);
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
    STOA_TRY(visit_tree(loc, true, note_table, &found, err));
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
