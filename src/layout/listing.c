/*
 * Every table of a file, of any layout: what `stoa ls` lists, and a conversion of a whole file
 * takes.
 *
 * Hard links are walked first. What soft and external links lead to comes after that, so that an
 * object has the path of a link only where it has no other; nothing is looked at twice, whichever
 * way a circle is closed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/memory.h"
#include "core/strings.h"
#include "hdf/links.h"
#include "hdf/walk.h"
#include "layout/layout.h"

/* More links that lead to something new are listed, and not followed: groups that many links share
 * in another file would be walked as often. */
enum { MAX_FOLLOWED = 1000 };

/* A table that a walk met; found first, shown in the order of paths. */
typedef struct found_table {
    stoa_object shown;
    char *path; /* shown.path */
} found_table;

/* A soft or external link. */
typedef struct found_link {
    stoa_link shown;
    char *path;  /* shown.path */
    char *value; /* that the others are parts of */
} found_link;

typedef struct lister {
    bool is_bare;      /* tables are looked for, not into */
    stoa_buffer found; /* of found_table */
    char *outer;       /* path of the last group that is a table and lies in no other one */
    stoa_buffer links; /* of found_link */
    stoa_strings seen; /* of identity: groups, and datasets that are tables */
    unsigned n_followed;
    const char *path; /* of the group whose links are noted */
    stoa_error *err;
    stoa_status status;
} lister;

/* --- once ------------------------------------------------------------------------------------- */

/* What an object is, by whichever path and file. */
typedef struct identity {
    uint64_t file;
    H5O_token_t token;
} identity;

/* Whether nobody has seen it; it has been from then on. */
static stoa_status see_first(lister *list, hid_t object, bool *is_first, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const uint32_t n_before = list->seen.count;
    uint32_t number = 0;
    H5O_info2_t info;
    identity own;

    memset(&own, 0, sizeof own);
    STOA_HDF(err, H5Oget_info3(object, &info, H5O_INFO_BASIC), "look at an object");
    own.file = info.fileno;
    own.token = info.token;
    STOA_TRY(stoa_strings_add(&list->seen, &own, sizeof own, &number, err));
    *is_first = number == n_before;

done:
    return status;
}

/* --- links ------------------------------------------------------------------------------------ */

/* Takes both over. */
static stoa_status note_link(lister *list, H5L_type_t type, char *path, char *value, size_t size,
                             stoa_error *err)
{
    stoa_status status = STOA_OK;
    found_link link = {.path = path, .value = value, .shown = {.path = path, .target = value}};
    unsigned flags = 0;

    STOA_TRY(path != NULL ? STOA_OK : stoa_fail_memory(err));
    if (type == H5L_TYPE_EXTERNAL &&
        H5Lunpack_elink_val(value, size, &flags, &link.shown.file, &link.shown.target) < 0) {
        (void)H5Eclear2(H5E_DEFAULT);
        goto done; /* damaged */
    }
    STOA_TRY(stoa_buffer_append(&list->links, &link, sizeof link, err));
    return STOA_OK;

done:
    free(path);
    free(value);
    return status;
}

static herr_t see_soft_link(hid_t group, const char *name, const H5L_info2_t *info, void *context)
{
    lister *const list = context;
    const size_t size = info->type != H5L_TYPE_HARD ? info->u.val_size : 0;
    char *value = NULL;

    if (info->type != H5L_TYPE_SOFT && info->type != H5L_TYPE_EXTERNAL) {
        return 0;
    }
    value = stoa_alloc_zero(size + 1, 1);
    if (value == NULL) {
        list->status = stoa_fail_memory(list->err);
        return 1;
    }
    if (H5Lget_val(group, name, value, size, H5P_DEFAULT) < 0) {
        free(value);
        return 0; /* damaged */
    }
    list->status =
        note_link(list, info->type,
                  stoa_format("%s%s%s", list->path, strcmp(list->path, "/") == 0 ? "" : "/", name),
                  value, size, list->err);
    return list->status == STOA_OK ? 0 : 1;
}

static stoa_status see_soft_links(lister *list, hid_t group, const char *path, stoa_error *err)
{
    stoa_status status = STOA_OK;

    list->path = path;
    list->err = err;
    STOA_TRY(stoa_links_visit(group, see_soft_link, list, err));
    status = list->status;

done:
    return status;
}

/* --- tables ----------------------------------------------------------------------------------- */

static stoa_status note(lister *list, const stoa_object *shown, const char *path, stoa_error *err)
{
    stoa_status status = STOA_OK;
    found_table table = {*shown, stoa_strdup(path)};

    table.shown.path = table.path;
    STOA_TRY(table.path != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_buffer_append(&list->found, &table, sizeof table, err));
    return STOA_OK;

done:
    free(table.path);
    return status;
}

bool stoa_layout_is_hidden(const char *path)
{
    return strstr(path, "/_i_") != NULL || strstr(path, "/_p_") != NULL;
}

/* Whether a group lies in one that is a table: what is in there is a part of that table, though a
 * column of it may look like a table; HEP001 tables alone are tables wherever they are. */
static bool is_in_table(const lister *list, const char *path)
{
    const char *const outer = list->outer;
    const size_t length = outer == NULL || strcmp(outer, "/") == 0 ? 0 : strlen(outer);

    return outer != NULL && strncmp(path, outer, length) == 0 && path[length] == '/';
}

static stoa_status note_group(lister *list, const stoa_object *shown, const char *path,
                              bool is_inner, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *outer = NULL;

    STOA_TRY(note(list, shown, path, err));
    if (!is_inner) {
        outer = stoa_strdup(path);
        STOA_TRY(outer != NULL ? STOA_OK : stoa_fail_memory(err));
        free(list->outer);
        list->outer = outer;
    }

done:
    return status;
}

/* Datasets of tables are not looked at: there may be thousands. */
static stoa_status see_group(void *context, hid_t group, const char *path, bool *visits,
                             stoa_error *err)
{
    lister *const list = context;
    stoa_status status = STOA_OK;
    const stoa_layout_class *class = NULL;
    stoa_object shown = {.path = path};
    const bool is_inner = is_in_table(list, path);
    bool is_own = false;
    bool is_first = false;

    *visits = false;
    STOA_TRY(see_first(list, group, &is_first, err));
    if (!is_first) {
        return STOA_OK;
    }
    STOA_TRY(stoa_table_show(group, list->is_bare, &is_own, &shown, err));
    if (!is_own && !is_inner && !stoa_layout_is_hidden(path)) {
        STOA_TRY(stoa_layout_find_class(group, &class, &shown, err));
    }
    const bool is_open = class != NULL && class->is_open;
    if (is_own || class != NULL) {
        STOA_TRY(note_group(list, &shown, path, is_inner || is_open, err));
    }
    *visits = !is_own && !is_inner && (class == NULL || is_open);
    if (*visits && !stoa_layout_is_hidden(path)) {
        STOA_TRY(see_soft_links(list, group, path, err));
    }

done:
    return status;
}

static stoa_status see_dataset(void *context, hid_t dataset, const char *path, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_layout_class *class = NULL;
    stoa_object shown = {.path = path};
    bool is_first = false;

    if (stoa_layout_is_hidden(path)) {
        return STOA_OK;
    }
    STOA_TRY(stoa_layout_find_class(dataset, &class, &shown, err));
    if (class != NULL) {
        STOA_TRY(see_first(context, dataset, &is_first, err));
        STOA_TRY(is_first ? note(context, &shown, path, err) : STOA_OK);
    }

done:
    return status;
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const found_table *)a)->path, ((const found_table *)b)->path);
}

/* Whether an external link leads back into the file itself. libhdf5 does not open that a second
 * time (it would close otherwise than the first), and need not: what is there has been seen. */
static bool leads_back(hid_t loc, const stoa_link *link)
{
    char *const own = link->file != NULL ? stoa_hdf_name(loc, H5Fget_name) : NULL;
    const char *const slash = own != NULL ? strrchr(own, '/') : NULL;
    char *const there =
        own == NULL
            ? NULL
            : stoa_format("%.*s%s",
                          slash != NULL && link->file[0] != '/' ? (int)(slash + 1 - own) : 0, own,
                          link->file);
    struct stat of_own;
    struct stat of_there;
    const bool is_same = there != NULL && stat(own, &of_own) == 0 && stat(there, &of_there) == 0 &&
                         of_own.st_dev == of_there.st_dev && of_own.st_ino == of_there.st_ino;

    free(there);
    free(own);
    return is_same && stoa_object_exists(loc, link->target);
}

/* What link i leads to. The list of links may grow, and move. */
static stoa_status follow(lister *list, hid_t loc, size_t i, stoa_error *err)
{
    stoa_status status = STOA_OK;
    found_link *const links = (found_link *)(void *)list->links.data;
    const char *const path = links[i].path;
    const stoa_quiet quiet = stoa_quiet_begin();
    hid_t object = H5Oopen(loc, path, H5P_DEFAULT);
    H5O_info2_t info;

    links[i].shown.is_dangling = object < 0 || H5Oget_info3(object, &info, H5O_INFO_BASIC) < 0;
    (void)H5Eclear2(H5E_DEFAULT);
    stoa_quiet_end(&quiet);
    if (links[i].shown.is_dangling || list->n_followed >= MAX_FOLLOWED) {
        links[i].shown.is_dangling =
            links[i].shown.is_dangling && !leads_back(loc, &links[i].shown);
        goto done;
    }
    const uint32_t n_before = list->seen.count;
    if (info.type == H5O_TYPE_GROUP) {
        STOA_TRY(stoa_datasets_visit_in(object, path, see_group, see_dataset, list, err));
    } else if (info.type == H5O_TYPE_DATASET) {
        STOA_TRY(see_dataset(list, object, path, err));
    }
    list->n_followed += list->seen.count > n_before;

done:
    return stoa_hdf_close(&object, status, NULL);
}

static int by_link_path(const void *a, const void *b)
{
    return strcmp(((const found_link *)a)->path, ((const found_link *)b)->path);
}

static stoa_status find_all(hid_t loc, lister *list, stoa_error *err)
{
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_datasets_visit_in(loc, NULL, see_group, see_dataset, list, err));
    for (size_t i = 0; i < list->links.size / sizeof(found_link); i++) {
        STOA_TRY(follow(list, loc, i, err));
    }
    if (list->links.size > 0) {
        qsort(list->links.data, list->links.size / sizeof(found_link), sizeof(found_link),
              by_link_path);
    }
    if (list->found.size > 0) {
        qsort(list->found.data, list->found.size / sizeof(found_table), sizeof(found_table),
              by_path);
    }

done:
    return status;
}

static void clear(lister *list)
{
    const found_table *tables = (const found_table *)(const void *)list->found.data;

    for (size_t i = 0; i < list->found.size / sizeof *tables; i++) {
        free(tables[i].path);
    }
    stoa_buffer_clear(&list->found);
    found_link *const links = (found_link *)(void *)list->links.data;
    for (size_t i = 0; i < list->links.size / sizeof *links; i++) {
        free(links[i].path);
        free(links[i].value);
    }
    stoa_buffer_clear(&list->links);
    stoa_strings_clear(&list->seen);
    free(list->outer);
}

stoa_status stoa_layout_list(hid_t loc, stoa_object_visitor visitor, void *context, stoa_error *err)
{
    lister list = {.found = {0}};
    const stoa_status status = find_all(loc, &list, err);
    const found_table *tables = (const found_table *)(const void *)list.found.data;

    for (size_t i = 0; status == STOA_OK && i < list.found.size / sizeof *tables; i++) {
        if (!visitor(context, &tables[i].shown)) {
            break;
        }
    }
    clear(&list);
    return status;
}

stoa_status stoa_layout_list_links(hid_t loc, stoa_link_visitor visitor, void *context,
                                   stoa_error *err)
{
    lister list = {.is_bare = true};
    const stoa_status status = find_all(loc, &list, err);
    const found_link *links = (const found_link *)(const void *)list.links.data;

    for (size_t i = 0; status == STOA_OK && i < list.links.size / sizeof *links; i++) {
        if (!visitor(context, &links[i].shown)) {
            break;
        }
    }
    clear(&list);
    return status;
}

/* The names of the first few, for people. */
static void name_some(const found_table *tables, size_t n, char *text, size_t size)
{
    for (size_t i = 0; i < n && i < 9; i++) {
        const size_t length = strlen(text);
        (void)snprintf(text + length, size - length, "%s%s", i > 0 ? ", " : "",
                       i < 8 ? tables[i].path : "...");
    }
}

/* Whether a table lies in the root, and is one column of Arkouda's. */
static bool is_loose_column(const found_table *table)
{
    const char *const layout = table->shown.layout;

    return layout != NULL && strcmp(layout, "arkouda") == 0 && table->shown.n_columns == 1 &&
           strrchr(table->path, '/') == table->path;
}

/* Whether the first table is the root, and the others are nothing but its columns. */
static bool is_all_in_first(const found_table *tables, size_t n)
{
    bool is = n > 1 && strcmp(tables[0].path, "/") == 0;

    for (size_t i = 1; is && i < n; i++) {
        is = is_loose_column(&tables[i]);
    }
    return is;
}

stoa_status stoa_layout_only_table(hid_t loc, char **path, stoa_error *err)
{
    stoa_status status = STOA_OK;
    lister list = {.is_bare = true};
    char names[256] = "";

    *path = NULL;
    STOA_TRY(find_all(loc, &list, err));
    const found_table *tables = (const found_table *)(const void *)list.found.data;
    const size_t n = list.found.size / sizeof *tables;
    if (n == 0) {
        STOA_FAIL(err, STOA_ENOTFOUND, "holds no table");
    }
    name_some(tables, n, names, sizeof names);
    if (n > 1 && !is_all_in_first(tables, n)) {
        STOA_FAIL(err, STOA_EINVAL, "holds %zu tables (%s); say which: FILE:PATH", n, names);
    }
    *path = stoa_strdup(tables[0].path);
    STOA_TRY(*path != NULL ? STOA_OK : stoa_fail_memory(err));

done:
    clear(&list);
    return status;
}
