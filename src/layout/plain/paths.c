/* Paths that name several datasets of a group, or a part of one. */
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "hdf/metadata/links.h"
#include "layout/plain/plain.h"

/* Split "/run/a,b" into the group "/run" and "a,b". The caller frees both; NULL if memory runs
 * out. */
static char *split(const char *path, char **names)
{
    const char *const slash = strrchr(path, '/');
    const size_t n = slash != NULL ? (size_t)(slash - path) : 0;

    *names = stoa_strdup(slash != NULL ? slash + 1 : path);
    return slash == NULL ? stoa_strdup(".") : n == 0 ? stoa_strdup("/") : stoa_strndup(path, n);
}

/* Cut the next name off a list. */
static char *next_name(char **rest)
{
    char *const name = *rest;
    char *const comma = name != NULL ? strchr(name, ',') : NULL;

    *rest = comma != NULL ? comma + 1 : NULL;
    if (comma != NULL) {
        *comma = '\0';
    }
    return name;
}

static bool is_dataset(hid_t group, const char *name)
{
    hid_t object = name[0] != '\0' ? stoa_object_open(group, name) : H5I_INVALID_HID;
    const bool is = object >= 0 && H5Iget_type(object) == H5I_DATASET;

    (void)stoa_hdf_close(&object, STOA_OK, NULL);
    return is;
}

bool stoa_plain_is_path(hid_t loc, const char *path)
{
    char *names = NULL;
    char *directory = NULL;
    hid_t group = H5I_INVALID_HID;
    bool is = false;

    if (stoa_object_exists(loc, path)) {
        return false;
    }
    if (stoa_plain_is_slice(loc, path)) {
        return true;
    }
    directory = split(path, &names);
    if (directory != NULL && names != NULL && strchr(names, ',') != NULL) {
        group = stoa_object_open(loc, directory);
        is = group >= 0 && H5Iget_type(group) == H5I_GROUP;
        for (char *rest = names, *name = next_name(&rest); is && name != NULL;
             name = next_name(&rest)) {
            is = is_dataset(group, name);
        }
    }
    (void)stoa_hdf_close(&group, STOA_OK, NULL);
    free(directory);
    free(names);
    return is;
}

static stoa_status add_named(stoa_table *table, const char *name, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_column *column = NULL;
    hid_t dataset = stoa_object_open(table->group, name);

    STOA_TRY(stoa_plain_open_column(dataset, name, 0, &column, err));
    if (table->n_columns == 0) {
        table->n_rows = column->n_rows;
    }
    if (column->n_rows != table->n_rows) {
        STOA_FAIL(err, STOA_EINVAL, "'%s' has %llu rows, and '%s' %llu", name,
                  (unsigned long long)column->n_rows, table->columns[0]->name,
                  (unsigned long long)table->n_rows);
    }
    status = stoa_foreign_add(table, column, err);
    column = NULL;

done:
    stoa_column_close(column);
    return stoa_hdf_close(&dataset, status, err);
}

stoa_status stoa_plain_open_path(hid_t loc, const char *path, const char *file, bool widens,
                                 stoa_table **out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t group = H5I_INVALID_HID;
    stoa_table *table = NULL;
    char *names = NULL;
    char *directory = NULL;

    (void)widens;
    *out = NULL;
    if (stoa_plain_is_slice(loc, path)) {
        return stoa_plain_open_slice(loc, path, file, out, err);
    }
    directory = split(path, &names);
    STOA_TRY(directory != NULL && names != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_HDF(err, group = stoa_open_here(loc, directory), "open the group");
    const hid_t taken = group;
    group = H5I_INVALID_HID;
    STOA_TRY(stoa_foreign_begin(taken, path, file, "plain", 0, &table, err));
    for (char *rest = names, *name = next_name(&rest); name != NULL; name = next_name(&rest)) {
        STOA_TRY(add_named(table, name, err));
    }
    *out = table;
    table = NULL;

done:
    stoa_table_close(table);
    free(directory);
    free(names);
    return stoa_hdf_close(&group, status, err);
}
