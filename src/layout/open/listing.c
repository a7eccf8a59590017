/*
 * One walk that finds every table of a file, of any layout, and the arrays and links beside them.
 * `stoa ls` and whole-file conversions use it.
 *
 * Hard links are walked first, soft and external links after that. So an object gets the path of a
 * link only if it has no other. No object is visited twice, even if links form a cycle.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/memory.h"
#include "core/sized_struct.h"
#include "core/string_set.h"
#include "hdf/metadata/links.h"
#include "hdf/metadata/other_files.h"
#include "hdf/metadata/walk.h"
#include "layout/registry.h"

/* Past this number of links to new objects, links are listed but not followed. Otherwise groups in
 * another file that many links share could be walked as many times. */
enum { MAX_FOLLOWED = 1000 };

/* In the order in which they are visited. */
typedef enum found_kind { FOUND_TABLE, FOUND_ARRAY, FOUND_LINK } found_kind;

/* An object or link that the walk has found. Results are sorted by path. */
typedef struct found {
    found_kind kind;
    char *path;
    char *value; /* strings of a link, or the left-out parts of a table, which `shown` points to;
                    else NULL */
    bool is_foreign; /* a user-defined link, which is not followed */
    union {
        stoa_object table;
        stoa_array_object array;
        stoa_link link;
    } shown;
} found;

typedef struct lister {
    bool is_bare;         /* tables are found, but not searched */
    bool sees_arrays;     /* inside tables, too */
    stoa_buffer found;    /* of found */
    char *outer;          /* path of the last outermost group that is a table */
    stoa_string_set seen; /* of identity: groups, and datasets that are listed */
    unsigned n_followed;
    bool has_rest;                        /* objects that declare nothing are found, too */
    bool follows;                         /* links into other files are followed */
    const char *path;                     /* of the group whose links are visited */
    bool is_part;                         /* datasets of the current group belong to a table */
    bool is_matrix;                       /* datasets of the current group belong to a matrix */
    const stoa_layout_visitors *visitors; /* told of objects that cannot be opened; may be NULL */
    void *context;
    stoa_error *err;
    stoa_status status;
} lister;

static found *found_of(const lister *list)
{
    return (found *)(void *)list->found.data;
}

static size_t n_found(const lister *list)
{
    return list->found.size / sizeof(found);
}

/* Takes ownership of path and value. A NULL path means that memory ran out. */
static stoa_status note(lister *list, const found *item, stoa_error *err)
{
    stoa_status status = STOA_OK;

    STOA_TRY(item->path != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_buffer_append(&list->found, item, sizeof *item, err));
    return STOA_OK;

done:
    free(item->path);
    free(item->value);
    return status;
}

/* --- visiting once --------------------------------------------------------------------------- */

/* Identifies an object, whatever its path and file. */
typedef struct identity {
    uint64_t file;
    H5O_token_t token;
} identity;

/* Whether the object is new. It is marked as seen. */
static stoa_status see_first(lister *list, hid_t object, bool *is_first, stoa_error *err)
{
    const uint32_t n_before = list->seen.count;
    uint32_t number = 0;
    H5O_info2_t info;
    identity own;

    memset(&own, 0, sizeof own);
    STOA_RETURN_HDF_ERROR(err, H5Oget_info3(object, &info, H5O_INFO_BASIC), "look at an object");
    own.file = info.fileno;
    own.token = info.token;
    STOA_RETURN_NOT_OK(stoa_string_set_add(&list->seen, &own, sizeof own, &number, err));
    *is_first = number == n_before;
    return STOA_OK;
}

/* --- links ----------------------------------------------------------------------------------- */

static herr_t see_soft_link(hid_t group, const char *name, const H5L_info2_t *info, void *context)
{
    lister *const list = context;
    const size_t size = info->type != H5L_TYPE_HARD ? info->u.val_size : 0;
    found item = {.kind = FOUND_LINK};
    stoa_link *const link = &item.shown.link;
    unsigned flags = 0;

    if (info->type == H5L_TYPE_HARD) {
        return 0;
    }
    item.is_foreign = info->type != H5L_TYPE_SOFT && info->type != H5L_TYPE_EXTERNAL;
    item.value = item.is_foreign ? stoa_format("(user-defined link, class %d)", (int)info->type)
                                 : stoa_alloc_zero(size + 1, 1);
    if (item.value == NULL) {
        list->status = stoa_fail_memory(list->err);
        return 1;
    }
    link->target = item.value;
    link->is_dangling = item.is_foreign;
    if (!item.is_foreign &&
        (H5Lget_val(group, name, item.value, size, H5P_DEFAULT) < 0 ||
         (info->type == H5L_TYPE_EXTERNAL &&
          H5Lunpack_elink_val(item.value, size, &flags, &link->file, &link->target) < 0))) {
        (void)H5Eclear2(H5E_DEFAULT);
        free(item.value);
        return 0; /* damaged */
    }
    item.path = stoa_format("%s%s%s", list->path, strcmp(list->path, "/") == 0 ? "" : "/", name);
    list->status = note(list, &item, list->err);
    return list->status == STOA_OK ? 0 : 1;
}

static stoa_status see_soft_links(lister *list, hid_t group, const char *path, stoa_error *err)
{
    list->path = path;
    list->err = err;
    STOA_RETURN_NOT_OK(stoa_links_visit(group, see_soft_link, list, err));
    return list->status;
}

/* --- arrays ---------------------------------------------------------------------------------- */

static stoa_status note_array(lister *list, const stoa_array_object *shown, const char *path,
                              stoa_error *err)
{
    const found item = {.kind = FOUND_ARRAY, .path = stoa_strdup(path), .shown.array = *shown};

    return note(list, &item, err);
}

/* --- tables ---------------------------------------------------------------------------------- */

static stoa_status note_table(lister *list, const stoa_object *shown, const char *path,
                              stoa_error *err)
{
    found item = {.kind = FOUND_TABLE, .shown.table = *shown};

    if (shown->left_out != NULL) {
        item.value = stoa_strdup(shown->left_out);
        item.shown.table.left_out = item.value;
    }
    item.path = shown->left_out == NULL || item.value != NULL ? stoa_strdup(path) : NULL;
    return note(list, &item, err);
}

/* Whether a group lies inside another group that is a table. It is then a part of that table, even
 * if it looks like a table itself. HEP001 tables are tables wherever they are. */
static bool is_in_table(const lister *list, const char *path)
{
    const char *const outer = list->outer;
    const size_t length = outer == NULL || strcmp(outer, "/") == 0 ? 0 : strlen(outer);

    return outer != NULL && strncmp(path, outer, length) == 0 && path[length] == '/';
}

static stoa_status note_group(lister *list, const stoa_object *shown, const char *path,
                              bool is_inner, stoa_error *err)
{
    char *outer = NULL;

    STOA_RETURN_NOT_OK(note_table(list, shown, path, err));
    if (!is_inner) {
        outer = stoa_strdup(path);
        STOA_RETURN_NO_MEMORY(err, outer);
        free(list->outer);
        list->outer = outer;
    }
    return STOA_OK;
}

static stoa_status see_part(lister *list, hid_t group, const char *path, stoa_error *err)
{
    hid_t part = stoa_object_open(group, path);
    bool is_first = false;
    const stoa_status status = part >= 0 ? see_first(list, part, &is_first, err) : STOA_OK;

    return stoa_hdf_close(&part, status, err);
}

/* Mark the parts of a table, and the groups on the way to them. */
static stoa_status see_parts(lister *list, hid_t group, const stoa_buffer *parts, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *const text = (char *)parts->data;

    for (size_t at = 0; at < parts->size; at += strlen(text + at) + 1) {
        for (char *end = text + at; end != NULL;) {
            end = strchr(end + 1, '/');
            if (end != NULL) {
                *end = '\0';
            }
            STOA_RETURN_NOT_OK(see_part(list, group, text + at, err));
            if (end != NULL) {
                *end = '/';
            }
        }
    }
    return status;
}

/* An object that declares nothing. `*is_closed` tells whether everything in it is a part of it. */
static stoa_status see_rest(lister *list, hid_t object, const char *path, bool *is_closed,
                            stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_layout_rest *rest = NULL;
    stoa_layout_found one = {.is_table = false};

    *is_closed = false;
    STOA_TRY(stoa_layout_find_rest(object, &rest, &one, err));
    if (one.is_table) {
        one.table.path = path;
        STOA_TRY(note_group(list, &one.table, path, !one.is_closed, err));
        STOA_TRY(see_parts(list, object, &one.parts, err));
        *is_closed = one.is_closed;
    } else if (one.is_array && (list->sees_arrays || list->is_bare)) {
        STOA_TRY(note_array(list, &one.array, path, err));
    }

done:
    stoa_buffer_clear(&one.parts);
    return status;
}

/* Datasets inside tables are only examined when arrays are listed, since there may be thousands. */
static stoa_status see_group(void *context, hid_t group, const char *path, bool *visits,
                             stoa_error *err)
{
    lister *const list = context;
    stoa_status status = STOA_OK;
    const stoa_layout_class *class = NULL;
    stoa_object shown = {.path = path};
    const bool is_inner = is_in_table(list, path);
    stoa_array_object array = {.path = NULL};
    char *left_out = NULL;
    bool is_own = false;
    bool is_first = false;
    bool is_closed = false;

    *visits = false;
    STOA_TRY(see_first(list, group, &is_first, err));
    if (!is_first) {
        return STOA_OK;
    }
    STOA_TRY(stoa_table_describe(group, list->is_bare, &is_own, &shown, &left_out, err));
    if (!is_own && !is_inner && !stoa_layout_is_hidden(path)) {
        STOA_TRY(stoa_layout_find_class(group, &class, &shown, err));
    }
    const bool is_open = class != NULL && class->is_open;
    const char *const *parts = NULL;
    if (is_own || class != NULL) {
        STOA_TRY(note_group(list, &shown, path, is_inner || is_open, err));
    }
    list->is_matrix = stoa_layout_is_array(group, &array);
    STOA_TRY(list->is_matrix && list->sees_arrays ? note_array(list, &array, path, err) : STOA_OK);
    parts = list->is_matrix ? stoa_layout_parts_of_array(group) : NULL;
    for (size_t i = 0; parts != NULL && parts[i] != NULL; i++) {
        STOA_TRY(see_part(list, group, parts[i], err));
    }
    if (list->has_rest && !is_own && !is_inner && class == NULL && !list->is_matrix &&
        !stoa_layout_is_hidden(path) && !stoa_layout_is_said(group)) {
        STOA_TRY(see_rest(list, group, path, &is_closed, err));
    }
    list->is_part = is_own || is_inner || is_closed || (class != NULL && !is_open);
    if (!list->is_part && !stoa_layout_is_hidden(path)) {
        STOA_TRY(see_soft_links(list, group, path, err));
    }
    list->is_matrix = list->is_matrix && parts == NULL;
    *visits = !list->is_part || (list->sees_arrays && !list->is_matrix);

done:
    free(left_out);
    return status;
}

static stoa_status see_dataset(void *context, hid_t dataset, const char *path, stoa_error *err)
{
    lister *const list = context;
    const stoa_layout_class *class = NULL;
    stoa_object shown = {.path = path};
    stoa_array_object array = {.path = NULL};
    const bool is_outside = !list->is_part && !stoa_layout_is_hidden(path);
    const bool has_rest = is_outside && list->has_rest && !list->is_matrix;
    const bool is_one = (list->sees_arrays || has_rest) && !list->is_matrix &&
                        stoa_layout_is_array(dataset, &array);
    bool is_closed = false;
    bool is_first = false;

    if (is_outside) {
        STOA_RETURN_NOT_OK(stoa_layout_find_class(dataset, &class, &shown, err));
    }
    STOA_RETURN_NOT_OK(
        class != NULL || is_one || has_rest ? see_first(list, dataset, &is_first, err) : STOA_OK);
    if (is_first && has_rest && class == NULL && !is_one && !stoa_layout_is_said(dataset)) {
        return see_rest(list, dataset, path, &is_closed, err);
    }
    if (is_first && class != NULL) {
        STOA_RETURN_NOT_OK(note_table(list, &shown, path, err));
    }
    if (is_first && is_one && list->sees_arrays) {
        STOA_RETURN_NOT_OK(note_array(list, &array, path, err));
    }
    return STOA_OK;
}

static void tell(void *context, const char *path, const char *why)
{
    const lister *const list = context;

    if (list->visitors != NULL && list->visitors->unopened != NULL) {
        list->visitors->unopened(list->context, path, why);
    }
}

/* Whether an external link leads back into the file itself. libhdf5 does not open that file a
 * second time, since the close degrees would differ. There is no need, because its objects have
 * been seen. */
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

/* Visit the target of the link at item i. The list may grow and move. */
static stoa_status follow(lister *list, hid_t loc, size_t i, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const char *const path = found_of(list)[i].path;
    stoa_link *const shown = &found_of(list)[i].shown.link;
    char *const file = list->follows ? NULL : stoa_path_leads_to(loc, path);
    const bool is_left = file != NULL || found_of(list)[i].is_foreign;
    H5O_info2_t info;

    free(file);
    if (is_left) {
        return STOA_OK; /* its target is not examined */
    }
    const stoa_error_stack errors = stoa_error_stack_begin();
    hid_t object = stoa_open_here(loc, path);

    shown->is_dangling = object < 0 || H5Oget_info3(object, &info, H5O_INFO_BASIC) < 0;
    stoa_error_stack_discard(&errors);
    if (shown->is_dangling || list->n_followed >= MAX_FOLLOWED) {
        shown->is_dangling = shown->is_dangling && !leads_back(loc, shown);
        goto done;
    }
    const uint32_t n_before = list->seen.count;
    if (info.type == H5O_TYPE_GROUP) {
        STOA_TRY(stoa_datasets_visit_in(object, path, see_group, see_dataset, tell, list, err));
    } else if (info.type == H5O_TYPE_DATASET) {
        list->is_part = false;
        list->is_matrix = false;
        STOA_TRY(see_dataset(list, object, path, err));
    }
    list->n_followed += list->seen.count > n_before;

done:
    return stoa_hdf_close(&object, status, NULL);
}

static int by_kind_and_path(const void *a, const void *b)
{
    const found *const x = a;
    const found *const y = b;

    return x->kind != y->kind ? (int)x->kind - (int)y->kind : strcmp(x->path, y->path);
}

static stoa_status find_all(hid_t loc, lister *list, stoa_error *err)
{
    list->has_rest = !stoa_layout_is_whole(loc);
    STOA_RETURN_NOT_OK(stoa_datasets_visit_in(loc, NULL, see_group, see_dataset, tell, list, err));
    list->follows = stoa_follows_elsewhere(loc);
    for (size_t i = 0; i < n_found(list); i++) {
        STOA_RETURN_NOT_OK(found_of(list)[i].kind == FOUND_LINK ? follow(list, loc, i, err)
                                                                : STOA_OK);
    }
    if (n_found(list) > 0) {
        qsort(list->found.data, n_found(list), sizeof(found), by_kind_and_path);
    }
    return STOA_OK;
}

static void clear(lister *list)
{
    for (size_t i = 0; i < n_found(list); i++) {
        free(found_of(list)[i].path);
        free(found_of(list)[i].value);
    }
    stoa_buffer_clear(&list->found);
    stoa_string_set_clear(&list->seen);
    free(list->outer);
}

static bool show(found *item, const stoa_layout_visitors *visitors, void *context)
{
    switch (item->kind) {
    case FOUND_TABLE:
        item->shown.table.path = item->path;
        return visitors->table == NULL || visitors->table(context, &item->shown.table);
    case FOUND_ARRAY:
        item->shown.array.path = item->path;
        return visitors->array == NULL || visitors->array(context, &item->shown.array);
    case FOUND_LINK:
    default:
        item->shown.link.path = item->path;
        return visitors->link == NULL || visitors->link(context, &item->shown.link);
    }
}

stoa_status stoa_layout_visit_all(hid_t loc, const stoa_layout_visitors *visitors, void *context,
                                  stoa_error *err)
{
    stoa_layout_visitors own = STOA_LAYOUT_VISITORS_INIT;
    stoa_status status =
        STOA_SIZED_COPY(&own, visitors, unopened, "STOA_LAYOUT_VISITORS_INIT", err);
    lister list = {.is_bare = own.table == NULL,
                   .sees_arrays = own.array != NULL,
                   .visitors = &own,
                   .context = context};

    if (status == STOA_OK) {
        status = find_all(loc, &list, err);
    }
    for (size_t i = 0; status == STOA_OK && i < n_found(&list); i++) {
        if (!show(&found_of(&list)[i], &own, context)) {
            break;
        }
    }
    clear(&list);
    return status;
}

stoa_status stoa_layout_visit(hid_t loc, stoa_object_visitor visitor, void *context,
                              stoa_error *err)
{
    stoa_layout_visitors visitors = STOA_LAYOUT_VISITORS_INIT;

    visitors.table = visitor;
    return stoa_layout_visit_all(loc, &visitors, context, err);
}

/* --- the only table -------------------------------------------------------------------------- */

/* The names of the first few tables, for a message. */
static void name_some(const found *tables, size_t n, char *text, size_t size)
{
    for (size_t i = 0; i < n && i < 9; i++) {
        const size_t length = strlen(text);
        (void)snprintf(text + length, size - length, "%s%s", i > 0 ? ", " : "",
                       i < 8 ? tables[i].path : "...");
    }
}

/* Whether a table is a single column in the root, of a layout that joins such columns into one
 * table. */
static bool is_loose_column(const found *item)
{
    const stoa_object *const table = &item->shown.table;
    const stoa_layout *const layout = stoa_layout_find_listed(table->layout);

    return layout != NULL && layout->sum_kind != NULL && table->n_columns == 1 &&
           strrchr(item->path, '/') == item->path;
}

/* What a place without a path means: a table, or an array that declares nothing if there is no
 * table. 0: neither. */
static unsigned rank_of(const found *item)
{
    const stoa_layout *const of =
        item->kind == FOUND_ARRAY ? stoa_layout_find_listed(item->shown.array.layout) : NULL;

    return item->kind == FOUND_TABLE                                      ? 2
           : of != NULL && of->rest != NULL && item->shown.array.rank > 0 ? 1
                                                                          : 0;
}

/* Move the objects of the greatest rank to the front, in their order, and count them. */
static size_t choose(found *items, size_t n)
{
    unsigned best = 1;
    size_t n_best = 0;

    for (size_t i = 0; i < n; i++) {
        best = rank_of(&items[i]) > best ? rank_of(&items[i]) : best;
    }
    for (size_t i = 0; i < n; i++) {
        if (rank_of(&items[i]) == best) {
            const found one = items[i];
            items[i] = items[n_best];
            items[n_best++] = one;
        }
    }
    return n_best;
}

/* Whether the first table is the root, and the others are its columns. */
static bool is_all_in_first(const found *tables, size_t n)
{
    bool is = n > 1 && strcmp(tables[0].path, "/") == 0;

    for (size_t i = 1; is && i < n; i++) {
        is = is_loose_column(&tables[i]);
    }
    return is;
}

/* Report that no table was found, and why, if that is known. */
static stoa_status tell_of_none(hid_t loc, const lister *list, stoa_error *err)
{
    stoa_status status = STOA_ENOTFOUND;
    bool is_told = false;

    for (size_t i = 0; i < n_found(list) && !is_told && !list->follows; i++) {
        const char *const path = found_of(list)[i].path;
        char *const file =
            found_of(list)[i].kind == FOUND_LINK ? stoa_path_leads_to(loc, path) : NULL;

        is_told = file != NULL;
        if (is_told) {
            status = stoa_fail(err, STOA_ENOTFOUND,
                               "holds no table; '%s' leads to another file, '%s', which is opened "
                               "only with --follow-external",
                               path, file);
        }
        free(file);
    }
    return is_told ? status : stoa_fail(err, STOA_ENOTFOUND, "holds no table");
}

stoa_status stoa_layout_only_table(hid_t loc, char **path, stoa_error *err)
{
    stoa_status status = STOA_OK;
    lister list = {.is_bare = true};
    char names[256] = "";
    size_t n = 0;

    *path = NULL;
    STOA_TRY(find_all(loc, &list, err));
    found *const tables = found_of(&list);
    n = choose(tables, n_found(&list));
    if (n == 0) {
        STOA_TRY(tell_of_none(loc, &list, err));
    }
    name_some(tables, n, names, sizeof names);
    if (n > 1 && !is_all_in_first(tables, n)) {
        STOA_FAIL(err, STOA_EINVAL, "holds %zu %s (%s); say which: FILE:PATH", n,
                  tables[0].kind == FOUND_TABLE ? "tables" : "arrays", names);
    }
    *path = stoa_strdup(tables[0].path);
    STOA_TRY(*path != NULL ? STOA_OK : stoa_fail_memory(err));

done:
    clear(&list);
    return status;
}
