#include "cli/inspect/tree.h"
#include "cli/common/terminal.h"

#include <stdlib.h>
#include <string.h>

#include "core/string_set.h"
#include "hdf/metadata/attributes.h"
#include "hdf/metadata/links.h"
#include "layout/registry.h"

typedef struct tree {
    cli_tree_visitor *visit;
    void *context;
    bool is_stopped;
    unsigned depth;
    cli_unopened *unopened;
    stoa_string_set seen; /* tokens of the groups shown */
    char **paths;         /* their paths */
    stoa_buffer lines;    /* drawn before the branches of a line */
    stoa_sink words;      /* of the line that is being made */
} tree;

typedef struct branch {
    char *name;
    H5L_type_t type;
} branch;

/* Where an object stands in the tree. */
typedef struct spot {
    const char *name;
    const char *path;
    unsigned level;
    bool is_last; /* of its group */
} spot;

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

static void put_words(tree *t, const char *words)
{
    if (words != NULL && words[0] != '\0') {
        stoa_sink_text(&t->words, " · ");
        stoa_sink_text(&t->words, words);
    }
}

/* Report the line of an object, with the words put so far. */
static void end_line(tree *t, const spot *at, bool is_table)
{
    const char *const fork = at->level == 0 ? "" : at->is_last ? "└── " : "├── ";
    char *const before = cli_sprintf("%.*s%s", (int)t->lines.size,
                                     t->lines.size > 0 ? (const char *)t->lines.data : "", fork);

    stoa_sink_char(&t->words, '\0');
    if (t->words.status == STOA_OK && !t->is_stopped) {
        const cli_tree_line line = {.branches = before,
                                    .level = at->level,
                                    .name = at->name,
                                    .path = at->path,
                                    .is_table = is_table,
                                    .words = (const char *)t->words.text.data};
        t->is_stopped = !t->visit(t->context, &line);
    }
    t->words.text.size = 0;
    free(before);
}

/* Put the target of a soft or external link. */
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
    stoa_sink_text(&t->words, " -> ");
    if (value != NULL && link->type == H5L_TYPE_SOFT) {
        stoa_sink_text(&t->words, value);
    } else if (value != NULL && link->type == H5L_TYPE_EXTERNAL &&
               H5Lunpack_elink_val(value, info.u.val_size, &flags, &file, &path) >= 0) {
        stoa_sink_text(&t->words, file);
        stoa_sink_char(&t->words, ':');
        stoa_sink_text(&t->words, path);
    } else {
        stoa_sink_text(&t->words, "?");
    }
    free(value);
}

/* --- objects --------------------------------------------------------------------------------- */

static stoa_status put_members(tree *t, hid_t group, const spot *at, const stoa_layout_names *names,
                               stoa_error *err);

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

/* Put the units of an object whose layout does not name them. */
static void put_units(tree *t, hid_t object, const char *words)
{
    char *const units = words != NULL && strstr(words, " · in ") == NULL
                            ? stoa_attribute_optional(object, "units")
                            : NULL;

    if (units != NULL && units[0] != '\0') {
        stoa_sink_text(&t->words, " · in ");
        stoa_sink_text(&t->words, units);
    }
    free(units);
}

/* Report an object's line, and the objects below it. An object that cannot be read is reported with
 * the reason. */
static stoa_status put_object(tree *t, hid_t object, const spot *at, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_error why = STOA_ERROR_INIT;
    stoa_layout_description shown = {.words = NULL};
    const size_t before = t->lines.size;
    const char *where = NULL;
    const stoa_status is_shown = stoa_layout_describe(object, &shown, &why);

    put_words(t, shown.words);
    put_units(t, object, shown.words);
    if (is_shown != STOA_OK) {
        stoa_sink_text(&t->words, " · cannot be read: ");
        stoa_sink_text(&t->words, why.message);
        end_line(t, at, false);
        goto done;
    }
    STOA_TRY(shown.is_opened ? find_seen(t, object, at->path, &where, err) : STOA_OK);
    if (where != NULL) {
        stoa_sink_text(&t->words, " · shown above as ");
        stoa_sink_text(&t->words, where);
    }
    end_line(t, at, shown.is_table);
    if (shown.is_opened && where == NULL) {
        if (at->level > 0) {
            STOA_TRY(stoa_buffer_print(&t->lines, err, "%s", at->is_last ? "    " : "│   "));
        }
        STOA_TRY(put_members(t, object, at, &shown.names, err));
    }

done:
    t->lines.size = before;
    stoa_layout_description_clear(&shown);
    return status;
}

static stoa_status open_link(hid_t group, const char *name, hid_t *object, stoa_error *why)
{
    STOA_RETURN_HDF_ERROR(why, *object = stoa_open_here(group, name), "open it");
    return STOA_OK;
}

static stoa_status put_link(tree *t, hid_t group, const spot *at, const branch *link,
                            stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_error why = STOA_ERROR_INIT;
    hid_t object = H5I_INVALID_HID;

    if (link->type != H5L_TYPE_HARD) {
        put_target(t, group, link);
        stoa_sink_text(&t->words,
                       link->type == H5L_TYPE_SOFT && !stoa_object_exists(group, link->name)
                           ? " · leads nowhere"
                           : "");
        end_line(t, at, false);
    } else if (open_link(group, link->name, &object, &why) != STOA_OK) {
        cli_tell_unopened(t->unopened, at->path, why.message);
        object = H5I_INVALID_HID;
        put_words(t, "cannot be opened");
        end_line(t, at, false);
    } else if (H5Iget_type(object) == H5I_DATATYPE) {
        put_words(t, "a named HDF5 type");
        end_line(t, at, false);
    } else {
        STOA_TRY(put_object(t, object, at, err));
    }

done:
    return stoa_hdf_close(&object, status, err);
}

/* Report the members that the group claims to have but lacks. */
static void put_absent(tree *t, hid_t group, unsigned level, const stoa_layout_names *names)
{
    for (size_t i = 0; i < names->n; i++) {
        if (H5Lexists(group, names->at[i], H5P_DEFAULT) <= 0) {
            put_words(t, "listed in the datatype, but not there");
            end_line(t, &(spot){.name = names->at[i], .level = level}, false);
        }
    }
}

static stoa_status put_members(tree *t, hid_t group, const spot *at, const stoa_layout_names *names,
                               stoa_error *err)
{
    stoa_status status = STOA_OK;
    const unsigned level = at->level + 1;
    branches all = {.n = 0};

    STOA_TRY(stoa_links_visit(group, add_branch, &all, err));
    if (level > t->depth) {
        if (all.n > 0) {
            stoa_sink_text(&t->words, "…");
            end_line(t, &(spot){.name = "", .level = level, .is_last = true}, false);
        }
        goto done;
    }
    put_absent(t, group, level, names);
    for (size_t i = 0; i < all.n && !t->is_stopped; i++) {
        const char *const name = all.items[i].name;
        char *const path = cli_sprintf("%s/%s", strcmp(at->path, "/") == 0 ? "" : at->path, name);
        const spot inner = {name, path, level, i + 1 == all.n};

        status = put_link(t, group, &inner, &all.items[i], err);
        free(path);
        STOA_TRY(status);
    }

done:
    clear_branches(&all);
    return status;
}

stoa_status cli_tree_visit(hid_t start, const char *path, unsigned depth, cli_unopened *unopened,
                           cli_tree_visitor *visit, void *context, stoa_error *err)
{
    stoa_status status = STOA_OK;
    tree t = {.visit = visit,
              .context = context,
              .depth = depth,
              .unopened = unopened,
              .words = {.err = err}};
    const spot at = {.name = path, .path = path};

    STOA_TRY(put_object(&t, start, &at, err));
    STOA_TRY(t.words.status);

done:
    for (uint32_t i = 0; i < t.seen.count; i++) {
        free(t.paths[i]);
    }
    free(t.paths);
    stoa_string_set_clear(&t.seen);
    stoa_buffer_clear(&t.lines);
    stoa_sink_clear(&t.words);
    return status;
}

/* --- as text --------------------------------------------------------------------------------- */

static bool print_line(void *context, const cli_tree_line *line)
{
    FILE *const out = context;
    char *const name = cli_within_line(out, cli_copy(line->name));
    char *const words = cli_within_line(out, cli_copy(line->words));

    fprintf(out, "%s%s%s\n", line->branches, name, words);
    free(words);
    free(name);
    return true;
}

stoa_status cli_tree_print(hid_t start, const char *path, unsigned depth, cli_unopened *unopened,
                           FILE *out, stoa_error *err)
{
    return cli_tree_visit(start, path, depth, unopened, print_line, out, err);
}
