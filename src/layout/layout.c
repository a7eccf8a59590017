/* The public calls of <stoa/layout.h>: which layout an object is of. */
#include "layout/layout.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/strings.h"
#include "hdf/links.h"
#include "hdf/walk.h"
#include "layout/arkouda_kind.h"
#include "layout/arkouda_loose.h"

static const stoa_layout_class *const classes[] = {
    &stoa_layout_pandas_table,   &stoa_layout_pandas_fixed, &stoa_layout_anndata,
    &stoa_layout_pytables_array, &stoa_layout_anndata_old,  &stoa_layout_lh5,
    &stoa_layout_rows,           &stoa_layout_arkouda_root, &stoa_layout_arkouda};

static stoa_status find_class(hid_t object, const stoa_layout_class **found, stoa_object *shown,
                              stoa_error *err)
{
    const H5I_type_t type = H5Iget_type(object);

    *found = NULL;
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        bool is_one = false;
        const stoa_status status = classes[i]->look(object, type, &is_one, shown, err);
        if (status != STOA_OK) {
            return status;
        }
        if (is_one) {
            *found = classes[i];
            break;
        }
    }
    return STOA_OK;
}

/* --- opening --------------------------------------------------------------------------------- */

/* An array that says nothing of itself, as the first versions of Arkouda wrote them: who asks for
 * it by its name knows what it is, but for the parts of tables. */
static stoa_status find_bare(hid_t object, const stoa_layout_class **class, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_layout_class *outer = NULL;
    stoa_object shown = {.path = NULL};
    hid_t parent = H5I_INVALID_HID;
    bool is_own = false;
    char *path = stoa_hdf_name(object, H5Iget_name);

    STOA_TRY(path != NULL ? STOA_OK : stoa_fail_memory(err));
    char *const slash = strrchr(path, '/');
    if (slash == NULL) {
        goto done;
    }
    slash[slash == path] = '\0';
    parent = stoa_object_open(object, path);
    if (parent < 0) {
        goto done;
    }
    STOA_TRY(stoa_table_probe(parent, &is_own, err));
    STOA_TRY(find_class(parent, &outer, &shown, err));
    if (!is_own && (outer == NULL || outer->is_open)) {
        *class = &stoa_layout_arkouda;
    }

done:
    free(path);
    return stoa_hdf_close(&parent, status, err);
}

/* Of a layout that is not HEP001; STOA_ELAYOUT where there is none. */
static stoa_status open_other(hid_t loc, const char *path, const char *file, stoa_table **table,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_layout_class *class = NULL;
    stoa_object shown = {.path = path};
    hid_t object = H5I_INVALID_HID;

    STOA_HDF(err, object = H5Oopen(loc, path, H5P_DEFAULT), "open it");
    STOA_TRY(find_class(object, &class, &shown, err));
    if (class == NULL && stoa_arkouda_sort_of(object, true).is_known) {
        STOA_TRY(find_bare(object, &class, err));
    }
    if (class == NULL) {
        STOA_FAIL(err, STOA_ELAYOUT,
                  "is no table of a layout that Stoa knows; 'stoa ls %s' lists "
                  "those that are",
                  file);
    }
    const hid_t taken = object;
    object = H5I_INVALID_HID;
    STOA_TRY(class->open(taken, path, file, table, err));

done:
    return stoa_hdf_close(&object, status, err);
}

stoa_status stoa_layout_open(hid_t loc, const char *path, stoa_table **table, stoa_error *err)
{
    stoa_error why = STOA_ERROR_INIT;
    stoa_status status = stoa_table_open(loc, path, table, &why);
    char *file = NULL;

    const bool is_loose =
        (status == STOA_ELAYOUT || status == STOA_ENOTFOUND) && stoa_arkouda_is_loose(loc, path);
    if (status != STOA_ELAYOUT && !is_loose) {
        if (status != STOA_OK && err != NULL) {
            *err = why;
        }
        return status;
    }
    file = stoa_hdf_name(loc, H5Fget_name);
    if (file == NULL) {
        return stoa_fail_memory(err);
    }
    status = is_loose ? stoa_arkouda_loose_open(loc, path, file, table, err)
                      : open_other(loc, path, file, table, err);
    (void)stoa_within(err, status, "%s:%s", file, path);
    free(file);
    return status;
}

/* --- listing --------------------------------------------------------------------------------- */

/* A table that a walk met; found first, shown in the order of paths. */
typedef struct found_table {
    stoa_object shown;
    char *path; /* shown.path */
} found_table;

typedef struct lister {
    bool is_bare;      /* tables are looked for, not into */
    stoa_buffer found; /* of found_table */
    char *outer;       /* path of the last group that is a table and lies in no other one */
} lister;

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

/* PyTables' indexes and its log of what to undo (PyTables notes §2). */
static bool is_hidden(const char *path)
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

    STOA_TRY(stoa_table_show(group, list->is_bare, &is_own, &shown, err));
    if (!is_own && !is_inner && !is_hidden(path)) {
        STOA_TRY(find_class(group, &class, &shown, err));
    }
    const bool is_open = class != NULL && class->is_open;
    if (is_own || class != NULL) {
        STOA_TRY(note_group(list, &shown, path, is_inner || is_open, err));
    }
    *visits = !is_own && !is_inner && (class == NULL || is_open);

done:
    return status;
}

static stoa_status see_dataset(void *context, hid_t dataset, const char *path, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_layout_class *class = NULL;
    stoa_object shown = {.path = path};

    if (is_hidden(path)) {
        return STOA_OK;
    }
    STOA_TRY(find_class(dataset, &class, &shown, err));
    if (class != NULL) {
        STOA_TRY(note(context, &shown, path, err));
    }

done:
    return status;
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const found_table *)a)->path, ((const found_table *)b)->path);
}

static stoa_status find_all(hid_t loc, lister *list, stoa_error *err)
{
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_datasets_visit_in(loc, see_group, see_dataset, list, err));
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
