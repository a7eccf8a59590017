#include "hdf/metadata/walk.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/string_set.h"
#include "hdf/metadata/links.h"
#include "hdf/metadata/other_files.h"

/* A group that is still to be visited. */
typedef struct waiting {
    char *path;
    H5O_token_t token;
} waiting;

/* The walk has its own stack, since a file may nest groups to any depth. */
typedef struct walker {
    stoa_group_visit visit;
    stoa_unopened_visit unopened; /* may be NULL */
    void *context;
    void *unopened_context;
    stoa_buffer stack;    /* of waiting */
    stoa_string_set seen; /* tokens */
    const char *path;     /* of the group whose links are visited */
    stoa_error *err;
    stoa_status status;
} walker;

/* Get the target of a hard link. */
static stoa_status find_target(hid_t group, const char *name, H5O_info2_t *target, stoa_error *why)
{
    STOA_RETURN_HDF_ERROR(
        why, H5Oget_info_by_name3(group, name, target, H5O_INFO_BASIC, H5P_DEFAULT), "open it");
    return STOA_OK;
}

static stoa_status open_group(hid_t loc, H5O_token_t token, hid_t *group, stoa_error *why)
{
    STOA_RETURN_HDF_ERROR(why, *group = H5Oopen_by_token(loc, token), "open it");
    return STOA_OK;
}

static char *join(const char *path, const char *name)
{
    return stoa_format("%s%s%s", path, strcmp(path, "/") == 0 ? "" : "/", name);
}

static stoa_status tell(stoa_unopened_visit unopened, void *context, const char *path,
                        const char *name, const stoa_error *why, stoa_error *err)
{
    char *whole = NULL;

    if (unopened == NULL) {
        return STOA_OK;
    }
    whole = name != NULL ? join(path, name) : stoa_strdup(path);
    STOA_RETURN_NO_MEMORY(err, whole);
    unopened(context, whole, why->message);
    free(whole);
    return STOA_OK;
}

/* Push a group unless it was pushed before. Takes over `path`. */
static stoa_status push(walker *walk, char *path, const H5O_token_t *token)
{
    const waiting group = {path, *token};
    const uint32_t n_before = walk->seen.count;
    uint32_t number = 0;
    stoa_status status = STOA_OK;

    STOA_RETURN_NO_MEMORY(walk->err, path);
    STOA_TRY(stoa_string_set_add(&walk->seen, token, sizeof *token, &number, walk->err));
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
    stoa_error why = STOA_ERROR_INIT;
    H5O_info2_t target;

    if (info->type != H5L_TYPE_HARD) {
        return 0;
    }
    if (find_target(group, name, &target, &why) != STOA_OK) {
        walk->status =
            tell(walk->unopened, walk->unopened_context, walk->path, name, &why, walk->err);
    } else if (target.type == H5O_TYPE_GROUP) {
        walk->status = push(walk, join(walk->path, name), &target.token);
    }
    return walk->status == STOA_OK ? 0 : 1;
}

/* Groups that are pushed last are visited first, so reverse them. */
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
    hid_t group = H5I_INVALID_HID;
    stoa_error why = STOA_ERROR_INIT;

    if (open_group(loc, waits->token, &group, &why) != STOA_OK) {
        /* damaged: nothing below it can be visited */
        status = tell(walk->unopened, walk->unopened_context, waits->path, NULL, &why, walk->err);
        goto done;
    }
    STOA_TRY(walk->visit(walk->context, group, waits->path, goes_on, walk->err));
    walk->path = waits->path;
    STOA_TRY(stoa_links_visit(group, push_link, walk, walk->err));
    status = walk->status;
    reverse(walk, before);

done:
    return stoa_hdf_close(&group, status, NULL);
}

static stoa_status visit_groups(hid_t loc, const char *base, stoa_group_visit visit, void *context,
                                stoa_unopened_visit unopened, void *unopened_context,
                                stoa_error *err)
{
    walker walk = {.visit = visit,
                   .context = context,
                   .unopened = unopened,
                   .unopened_context = unopened_context,
                   .err = err};
    stoa_status status = STOA_OK;
    char own[1024];
    H5O_info2_t info;
    waiting group;
    bool goes_on = true;

    stoa_error_printing_off();
    if (base == NULL) {
        const bool is_named = H5Iget_type(loc) != H5I_FILE && H5Iget_name(loc, own, sizeof own) > 0;
        base = is_named ? own : "/";
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
    stoa_string_set_clear(&walk.seen);
    stoa_error_printing_on();
    return status;
}

stoa_status stoa_groups_visit(hid_t loc, stoa_group_visit visit, void *context, stoa_error *err)
{
    return stoa_groups_visit_in(loc, NULL, visit, context, err);
}

stoa_status stoa_groups_visit_in(hid_t loc, const char *base, stoa_group_visit visit, void *context,
                                 stoa_error *err)
{
    return visit_groups(loc, base, visit, context, NULL, NULL, err);
}

/* --- datasets -------------------------------------------------------------------------------- */

typedef struct dataset_walk {
    stoa_group_enter enter; /* may be NULL */
    stoa_dataset_visit visit;
    stoa_unopened_visit unopened; /* may be NULL */
    void *context;
    hid_t access;         /* from stoa_access_here() */
    stoa_string_set seen; /* tokens */
    const char *path;     /* of the group */
    stoa_error *err;
    stoa_status status;
} dataset_walk;

static stoa_status open_dataset(const dataset_walk *walk, hid_t group, const char *name,
                                hid_t *dataset, stoa_error *why)
{
    STOA_RETURN_HDF_ERROR(why, *dataset = stoa_open_with(group, name, walk->access), "open it");
    return STOA_OK;
}

static stoa_status visit_dataset(dataset_walk *walk, hid_t group, const char *name)
{
    hid_t dataset = H5I_INVALID_HID;
    char *path = NULL;
    stoa_error why = STOA_ERROR_INIT;
    stoa_status status = STOA_OK;

    if (open_dataset(walk, group, name, &dataset, &why) != STOA_OK) {
        /* damaged, or in another file */
        return tell(walk->unopened, walk->context, walk->path, name, &why, walk->err);
    }
    path = join(walk->path, name);
    STOA_TRY(path != NULL ? STOA_OK : stoa_fail_memory(walk->err));
    STOA_TRY(walk->visit(walk->context, dataset, path, walk->err));

done:
    free(path);
    return stoa_hdf_close(&dataset, status, NULL);
}

static herr_t see_link(hid_t group, const char *name, const H5L_info2_t *info, void *context)
{
    dataset_walk *walk = context;
    const uint32_t n_before = walk->seen.count;
    uint32_t number = 0;
    H5O_info2_t target;

    if (info->type != H5L_TYPE_HARD || find_target(group, name, &target, NULL) != STOA_OK ||
        target.type != H5O_TYPE_DATASET) {
        return 0;
    }
    walk->status =
        stoa_string_set_add(&walk->seen, &target.token, sizeof target.token, &number, walk->err);
    if (walk->status == STOA_OK && number == n_before) {
        walk->status = visit_dataset(walk, group, name);
    }
    return walk->status == STOA_OK ? 0 : 1;
}

static stoa_status see_group(void *context, hid_t group, const char *path, bool *goes_on,
                             stoa_error *err)
{
    dataset_walk *walk = context;
    stoa_status status = STOA_OK;
    bool visits = true;

    (void)goes_on;
    walk->path = path;
    if (walk->enter != NULL) {
        STOA_RETURN_NOT_OK(walk->enter(walk->context, group, path, &visits, err));
    }
    if (visits) {
        STOA_RETURN_NOT_OK(stoa_links_visit(group, see_link, walk, err));
        status = walk->status;
    }
    return status;
}

stoa_status stoa_datasets_visit_in(hid_t loc, const char *base, stoa_group_enter enter,
                                   stoa_dataset_visit visit, stoa_unopened_visit unopened,
                                   void *context, stoa_error *err)
{
    dataset_walk walk = {
        .enter = enter, .visit = visit, .unopened = unopened, .context = context, .err = err};
    stoa_status status = STOA_OK;

    STOA_HDF(err, walk.access = stoa_access_here(loc), "make access properties");
    STOA_TRY(visit_groups(loc, base, see_group, &walk, unopened, context, err));

done:
    stoa_access_close(walk.access);
    stoa_string_set_clear(&walk.seen);
    return status;
}

stoa_status stoa_datasets_visit(hid_t loc, stoa_dataset_visit visit, void *context, stoa_error *err)
{
    return stoa_datasets_visit_in(loc, NULL, NULL, visit, NULL, context, err);
}

stoa_status stoa_datasets_visit_or_report(hid_t loc, stoa_dataset_visit visit,
                                          stoa_unopened_visit unopened, void *context,
                                          stoa_error *err)
{
    return stoa_datasets_visit_in(loc, NULL, NULL, visit, unopened, context, err);
}
