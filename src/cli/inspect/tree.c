#include "cli/inspect/tree.h"
#include "cli/common/terminal.h"

#include <stdlib.h>
#include <string.h>

#include "core/string_set.h"
#include "hdf/metadata/links.h"
#include "layout/registry.h"

typedef struct tree {
    stoa_sink out;
    unsigned depth;
    cli_unopened *unopened;
    stoa_string_set seen; /* tokens of the groups shown */
    char **paths;         /* their paths */
    stoa_buffer lines;    /* drawn before the branches of a line */
} tree;

typedef struct branch {
    char *name;
    H5L_type_t type;
} branch;

typedef struct branches {
    branch *items;
    size_t n;
} branches;

static herr_t add_branch(hid_t group, const char *name, const H5L_info2_t *info, void *context)
{
    branches *const all = context;

    (void)group;
    all->items = cli_one_more(all->items, all->n, sizeof *all->items);
    all->items[all->n++] = (branch){cli_copy(name), info->type};
    return 0;
}

static void clear_branches(branches *all)
{
    for (size_t i = 0; i < all->n; i++) {
        free(all->items[i].name);
    }
    free(all->items);
}

/* --- a line ---------------------------------------------------------------------------------- */

static void put(tree *t, const char *text)
{
    char *const line = cli_within_line(t->out.out, cli_copy(text));

    stoa_sink_text(&t->out, line);
    free(line);
}

static void put_branch(tree *t, const char *name, bool is_last)
{
    if (t->lines.size > 0) { /* else it has no data */
        stoa_sink_put(&t->out, t->lines.data, t->lines.size);
    }
    stoa_sink_text(&t->out, is_last ? "└── " : "├── ");
    put(t, name);
}

static void put_words(tree *t, const char *words)
{
    if (words != NULL && words[0] != '\0') {
        stoa_sink_text(&t->out, " · ");
        put(t, words);
    }
}

/* Print the target of a soft or external link. */
static void put_target(tree *t, hid_t group, const branch *link)
{
    H5L_info2_t info;
    const char *file = NULL;
    const char *path = NULL;
    unsigned flags = 0;
    char *value = NULL;

    if (H5Lget_info2(group, link->name, &info, H5P_DEFAULT) >= 0 && info.u.val_size < 65536) {
        value = cli_resize(NULL, info.u.val_size + 1, 1);
        memset(value, 0, info.u.val_size + 1);
        if (H5Lget_val(group, link->name, value, info.u.val_size, H5P_DEFAULT) < 0) {
            value[0] = '\0';
        }
    }
    stoa_sink_text(&t->out, " -> ");
    if (value != NULL && link->type == H5L_TYPE_SOFT) {
        put(t, value);
    } else if (value != NULL && link->type == H5L_TYPE_EXTERNAL &&
               H5Lunpack_elink_val(value, info.u.val_size, &flags, &file, &path) >= 0) {
        put(t, file);
        stoa_sink_char(&t->out, ':');
        put(t, path);
    } else {
        stoa_sink_text(&t->out, "?");
    }
    free(value);
}

/* --- objects --------------------------------------------------------------------------------- */

static stoa_status put_members(tree *t, hid_t group, const char *path,
                               const stoa_layout_names *names, unsigned level, stoa_error *err);

/* Find where a group was shown before; if it was not, *where is NULL and it counts as shown from
 * now on. */
static stoa_status find_seen(tree *t, hid_t object, const char *path, const char **where,
                             stoa_error *err)
{
    const uint32_t n = t->seen.count;
    uint32_t number = 0;
    H5O_info2_t info;

    STOA_RETURN_HDF_ERROR(err, H5Oget_info3(object, &info, H5O_INFO_BASIC), "look at '%s'", path);
    STOA_RETURN_NOT_OK(stoa_string_set_add(&t->seen, &info.token, sizeof info.token, &number, err));
    *where = number < n ? t->paths[number] : NULL;
    if (number == n) {
        t->paths = cli_one_more(t->paths, n, sizeof *t->paths);
        t->paths[n] = cli_copy(path);
    }
    return STOA_OK;
}

/* Print the rest of an object's line, and the objects below it. An object that cannot be read is
 * printed with the reason. */
static stoa_status put_object(tree *t, hid_t object, const char *path, unsigned level,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_error why = STOA_ERROR_INIT;
    stoa_layout_description shown = {.words = NULL};
    const char *where = NULL;
    const stoa_status is_shown = stoa_layout_describe(object, &shown, &why);

    put_words(t, shown.words);
    if (is_shown != STOA_OK) {
        stoa_sink_text(&t->out, " · cannot be read: ");
        put(t, why.message);
        stoa_sink_char(&t->out, '\n');
        goto done;
    }
    STOA_TRY(shown.is_opened ? find_seen(t, object, path, &where, err) : STOA_OK);
    if (where != NULL) {
        stoa_sink_text(&t->out, " · shown above as ");
        put(t, where);
    }
    stoa_sink_char(&t->out, '\n');
    if (shown.is_opened && where == NULL) {
        STOA_TRY(put_members(t, object, path, &shown.names, level, err));
    }

done:
    stoa_layout_description_clear(&shown);
    return status;
}

static stoa_status open_link(hid_t group, const char *name, hid_t *object, stoa_error *why)
{
    STOA_RETURN_HDF_ERROR(why, *object = stoa_open_here(group, name), "open it");
    return STOA_OK;
}

static stoa_status put_link(tree *t, hid_t group, const char *path, const branch *link,
                            unsigned level, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_error why = STOA_ERROR_INIT;
    hid_t object = H5I_INVALID_HID;
    char *const inner = cli_sprintf("%s/%s", strcmp(path, "/") == 0 ? "" : path, link->name);

    if (link->type != H5L_TYPE_HARD) {
        put_target(t, group, link);
        stoa_sink_text(&t->out,
                       link->type == H5L_TYPE_SOFT && !stoa_object_exists(group, link->name)
                           ? " · leads nowhere\n"
                           : "\n");
        goto done;
    }
    if (open_link(group, link->name, &object, &why) != STOA_OK) {
        cli_tell_unopened(t->unopened, inner, why.message);
        object = H5I_INVALID_HID;
        stoa_sink_text(&t->out, " · cannot be opened\n");
    } else if (H5Iget_type(object) == H5I_DATATYPE) {
        stoa_sink_text(&t->out, " · a named HDF5 type\n");
    } else {
        STOA_TRY(put_object(t, object, inner, level, err));
    }

done:
    free(inner);
    return stoa_hdf_close(&object, status, err);
}

/* Print the members that the group claims to have but lacks. */
static void put_absent(tree *t, hid_t group, const stoa_layout_names *names)
{
    for (size_t i = 0; i < names->n; i++) {
        if (H5Lexists(group, names->at[i], H5P_DEFAULT) <= 0) {
            put_branch(t, names->at[i], false);
            stoa_sink_text(&t->out, " · listed in the datatype, but not there\n");
        }
    }
}

static stoa_status put_members(tree *t, hid_t group, const char *path,
                               const stoa_layout_names *names, unsigned level, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t before = t->lines.size;
    branches all = {.n = 0};

    STOA_TRY(stoa_links_visit(group, add_branch, &all, err));
    if (level == t->depth && all.n > 0) {
        put_branch(t, "", true);
        stoa_sink_text(&t->out, "…\n");
        goto done;
    }
    put_absent(t, group, names);
    for (size_t i = 0; level < t->depth && i < all.n; i++) {
        const bool is_last = i + 1 == all.n;
        put_branch(t, all.items[i].name, is_last);
        STOA_TRY(stoa_buffer_print(&t->lines, err, "%s", is_last ? "    " : "│   "));
        STOA_TRY(put_link(t, group, path, &all.items[i], level + 1, err));
        t->lines.size = before;
    }

done:
    t->lines.size = before;
    clear_branches(&all);
    return status;
}

stoa_status cli_tree_print(hid_t start, const char *path, unsigned depth, cli_unopened *unopened,
                           FILE *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    tree t = {.out = {.out = out, .err = err}, .depth = depth, .unopened = unopened};

    put(&t, path);
    STOA_TRY(put_object(&t, start, path, 0, err));
    STOA_TRY(stoa_sink_flush(&t.out));

done:
    for (uint32_t i = 0; i < t.seen.count; i++) {
        free(t.paths[i]);
    }
    free(t.paths);
    stoa_string_set_clear(&t.seen);
    stoa_buffer_clear(&t.lines);
    stoa_sink_clear(&t.out);
    return status;
}
