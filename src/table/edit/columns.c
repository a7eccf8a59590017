#include "table/edit/columns.h"

#include <stdlib.h>
#include <string.h>

#include "column/write/categories.h"
#include "core/memory.h"
#include "hdf/copy/object_storage.h"
#include "hdf/metadata/attributes.h"
#include "hdf/metadata/links.h"
#include "hdf/metadata/references.h"
#include "index/common/kind.h"
#include "table/open/names.h"
#include "table/write/tokens.h"

stoa_status stoa_column_edit_begin(stoa_table *table, stoa_column_edit *edit, stoa_error *err)
{
    edit->table = table;
    STOA_RETURN_NOT_OK(stoa_table_load(table, err));
    edit->order = stoa_alloc(table->n_columns, sizeof *edit->order);
    edit->labels = stoa_alloc(table->n_columns + table->n_index_columns, sizeof *edit->labels);
    STOA_RETURN_NO_MEMORY(err, edit->order != NULL && edit->labels != NULL);
    for (size_t i = 0; i < table->n_columns; i++) {
        edit->order[edit->n_order++] = table->columns[i]->name;
    }
    for (size_t i = 0; i < table->n_index_columns; i++) {
        edit->labels[edit->n_labels++] = table->index_columns[i]->name;
    }
    STOA_RETURN_NOT_OK(stoa_table_may_change(table, err));
    return stoa_snapshot_take(table->group, &edit->before, err);
}

stoa_status stoa_column_edit_grow(stoa_column_edit *edit, size_t n, stoa_error *err)
{
    const char **order = stoa_realloc(edit->order, edit->n_order + n, sizeof *order);

    STOA_RETURN_NO_MEMORY(err, order);
    edit->order = order;
    return STOA_OK;
}

/* Names ------------------------------------------------------------------------------------- */

stoa_status stoa_column_edit_find(const stoa_table *table, const char *name, stoa_column **column,
                                  stoa_error *err)
{
    *column = stoa_table_find(table, name);
    return *column != NULL ? STOA_OK : stoa_table_fail_name(table, name, err);
}

/* Find another column with the same dataset (notes C9: two links are two columns). */
static const stoa_column *find_twin(const stoa_table *table, const stoa_column *column)
{
    for (size_t i = 0; i < table->n_columns; i++) {
        if (table->columns[i] != column &&
            stoa_same_object(table->columns[i]->dataset, column->dataset)) {
            return table->columns[i];
        }
    }
    return NULL;
}

bool stoa_column_edit_is_shared(const stoa_table *table, const stoa_column *column)
{
    return find_twin(table, column) != NULL;
}

stoa_status stoa_column_edit_find_own(const stoa_table *table, const char *name,
                                      stoa_column **column, stoa_error *err)
{
    stoa_status status = stoa_column_edit_find(table, name, column, err);
    const stoa_column *twin = status == STOA_OK ? find_twin(table, *column) : NULL;

    if (twin != NULL) {
        status = stoa_fail(err, STOA_EDATA,
                           "columns '%s' and '%s' are one dataset under two names; drop one of "
                           "them first",
                           name, twin->name);
    }
    return status;
}

stoa_status stoa_column_edit_name(const stoa_table *table, const char *name, stoa_error *err)
{
    htri_t exists = 0;

    STOA_RETURN_NOT_OK(stoa_column_name_check(name, err));
    STOA_RETURN_HDF_ERROR(err, exists = H5Lexists(table->group, name, H5P_DEFAULT), "look for '%s'",
                          name);
    if (exists > 0) {
        return stoa_fail(err, STOA_EEXISTS, "there is a column '%s' already", name);
    }
    return STOA_OK;
}

/* Links and references ---------------------------------------------------------------------- */

stoa_status stoa_column_edit_replace(stoa_column_edit *edit, const char *name, hid_t dataset,
                                     stoa_error *err)
{
    const hid_t group = edit->table->group;

    STOA_RETURN_NOT_OK(stoa_table_generation_raise(edit->table, err));
    for (size_t i = 0; i < edit->n_labels; i++) {
        edit->labels_rows = edit->labels_rows || strcmp(edit->labels[i], name) == 0;
    }
    STOA_RETURN_HDF_ERROR(err, stoa_unlink(group, name), "unlink column '%s'", name);
    STOA_RETURN_HDF_ERROR(err, H5Olink(dataset, group, name, H5P_DEFAULT, H5P_DEFAULT),
                          "link column '%s'", name);
    return STOA_OK;
}

stoa_status stoa_column_edit_publish(stoa_column_edit *edit, const char *name, hid_t dataset,
                                     stoa_error *err)
{
    stoa_status status = STOA_OK;

    STOA_RETURN_HDF_ERROR(err, stoa_nameless_hold(dataset), "hold column '%s'", name);
    status = stoa_column_edit_replace(edit, name, dataset, err);
    if (status != STOA_OK) {
        (void)stoa_nameless_release(dataset);
        return status;
    }
    STOA_RETURN_HDF_ERROR(err, stoa_nameless_release(dataset), "let go of column '%s'", name);
    return STOA_OK;
}

stoa_status stoa_column_edit_reopen(stoa_column_edit *edit, stoa_error *err)
{
    const stoa_table *table = edit->table;

    if (edit->orders && edit->n_order > 0) {
        STOA_RETURN_NOT_OK(stoa_attribute_write_names(table->group, "column-order", edit->order,
                                                      edit->n_order, err));
    } else if (edit->orders) {
        STOA_RETURN_NOT_OK(stoa_attribute_delete(table->group, "column-order", err));
    }
    if (edit->labels_rows) {
        STOA_RETURN_NOT_OK(
            stoa_table_write_index_columns(table, edit->labels, edit->n_labels, err));
    }
    STOA_RETURN_HDF_ERROR(err, H5Iinc_ref(table->group), "hold the table");
    STOA_RETURN_NOT_OK(
        stoa_table_open_group(table->group, table->path, table->file, &edit->after, err));
    if (table->has_old_references) {
        stoa_table_use_old_references(edit->after);
    }
    return stoa_table_load(edit->after, err);
}

stoa_status stoa_column_edit_mend(stoa_column_edit *edit, const char *name,
                                  const stoa_edit_options *options, stoa_error *err)
{
    stoa_column *column = NULL;
    const hid_t group = edit->table->group;

    STOA_RETURN_NOT_OK(stoa_column_edit_find(edit->after, name, &column, err));
    STOA_RETURN_NOT_OK(stoa_index_links_settle(edit->after->columns, edit->after->n_columns, err));
    if (options != NULL && options->drop_indexes) {
        STOA_RETURN_NOT_OK(stoa_index_remove(group, column, NULL, err));
    } else {
        STOA_RETURN_NOT_OK(stoa_index_rebuild_all(group, column, edit->after->n_rows, err));
    }
    return STOA_OK;
}

/* Categories -------------------------------------------------------------------------------- */

static bool uses(const stoa_table *table, hid_t categories)
{
    for (size_t i = 0; i < table->n_columns; i++) {
        if (stoa_column_is_categorical(table->columns[i]) &&
            stoa_same_object(table->columns[i]->categories, categories)) {
            return true;
        }
    }
    return false;
}

/* Every categories dataset must be referenced (§12). Delete those that the edit has left unused,
 * and the group if it is then empty. */
static stoa_status drop_lost_books(const stoa_column_edit *edit, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_table *table = edit->table;
    hid_t group = H5I_INVALID_HID;
    char *name = NULL;
    H5G_info_t info = {.nlinks = 1};

    if (edit->before.categories.group < 0) {
        return STOA_OK;
    }
    STOA_HDF(err, group = stoa_open_here(table->group, "CATEGORIES"), "open the group CATEGORIES");
    for (size_t i = 0; i < table->n_columns; i++) {
        const hid_t categories = table->columns[i]->categories;
        if (categories < 0 || uses(edit->after, categories)) {
            continue;
        }
        free(name);
        STOA_TRY(stoa_link_name(group, categories, &name, err));
        if (name != NULL) {
            STOA_HDF(err, stoa_unlink(group, name), "delete categories '%s'", name);
        }
    }
    STOA_HDF(err, H5Gget_info(group, &info), "look into the group CATEGORIES");
    if (info.nlinks == 0) {
        STOA_HDF(err, stoa_unlink(table->group, "CATEGORIES"), "delete the group CATEGORIES");
    }

done:
    free(name);
    return stoa_hdf_close(&group, status, err);
}

stoa_status stoa_columns_open_categories(const stoa_table *table, hid_t *group, stoa_error *err)
{
    htri_t exists = 0;

    STOA_RETURN_HDF_ERROR(err, exists = H5Lexists(table->group, "CATEGORIES", H5P_DEFAULT),
                          "look for the group CATEGORIES");
    if (exists > 0) {
        STOA_RETURN_HDF_ERROR(err, *group = stoa_open_here(table->group, "CATEGORIES"),
                              "open the group CATEGORIES");
    } else {
        STOA_RETURN_HDF_ERROR(
            err,
            *group = H5Gcreate2(table->group, "CATEGORIES", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
            "create the group CATEGORIES");
    }
    return STOA_OK;
}

stoa_status stoa_columns_link_categories(const stoa_table *table, const stoa_column *column,
                                         stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t group = H5I_INVALID_HID;
    htri_t taken = 1;
    char *name = NULL;

    STOA_TRY(stoa_columns_open_categories(table, &group, err));
    for (unsigned i = 1; taken > 0; i++) {
        free(name);
        name = i == 1 ? stoa_format("%s__CATEGORIES", column->name)
                      : stoa_format("%s__CATEGORIES_%u", column->name, i);
        STOA_TRY(name != NULL ? STOA_OK : stoa_fail_memory(err));
        STOA_HDF(err, taken = H5Lexists(group, name, H5P_DEFAULT), "look for '%s'", name);
    }
    STOA_HDF(err, H5Olink(column->categories, group, name, H5P_DEFAULT, H5P_DEFAULT),
             "link categories '%s'", name);
    STOA_TRY(stoa_categories_tell_path(column->dataset, name, err));

done:
    free(name);
    return stoa_hdf_close(&group, status, err);
}

/* The end ----------------------------------------------------------------------------------- */

/* Flush everything before the edit counts as done (§11). */
static stoa_status finish(stoa_column_edit *edit, stoa_error *err)
{
    if (edit->after == NULL) {
        STOA_RETURN_NOT_OK(stoa_column_edit_reopen(edit, err));
    }
    STOA_RETURN_NOT_OK(drop_lost_books(edit, err));
    STOA_RETURN_NOT_OK(stoa_table_tokens_behind(edit->after, edit->table->generation, err));
    STOA_RETURN_HDF_ERROR(err, H5Fflush(edit->table->group, H5F_SCOPE_LOCAL), "flush '%s'",
                          edit->table->path);
    return STOA_OK;
}

/* After an edit was undone, its indexes are right again, but GENERATION stays raised. */
static void renew_indexes(const stoa_table *table)
{
    stoa_error ignored = STOA_ERROR_INIT;

    if (table->generation != NULL && table->generation->has_next) {
        (void)!stoa_table_tokens_behind(table, table->generation, &ignored);
        stoa_generation_settle(table->generation, false);
    }
}

/* Add the table's location to an error. If a deeper call named only the column, put the table
 * before it. */
static stoa_status at_table(const stoa_table *table, stoa_status status, stoa_error *err)
{
    const char *path = strcmp(table->path, "/") == 0 ? "" : table->path;

    if (err != NULL && status != STOA_OK && err->where[0] != '\0' &&
        stoa_table_find(table, err->where) != NULL) {
        char column[sizeof err->where];
        memcpy(column, err->where, sizeof column);
        err->where[0] = '\0';
        return stoa_at(err, status, "%s:%s/%s", table->file, path, column);
    }
    return stoa_at(err, status, "%s:%s", table->file, table->path);
}

stoa_status stoa_column_edit_end(stoa_column_edit *edit, stoa_status status, stoa_error *err)
{
    stoa_table *table = edit->table;

    if (status == STOA_OK) {
        status = finish(edit, err);
    }
    if (status == STOA_OK) {
        const stoa_table old = *table;
        *table = *edit->after;
        *edit->after = old;
    } else {
        stoa_snapshot_restore(&edit->before);
        renew_indexes(table);
    }
    stoa_table_close(edit->after);
    stoa_snapshot_clear(&edit->before);
    free(edit->order);
    free(edit->labels);
    return at_table(table, status, err);
}
