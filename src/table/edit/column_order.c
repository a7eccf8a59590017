/* Names and order of columns, and row index columns (HEP001 §7.4, §8.1, §9). */
#include <string.h>

#include "table/edit/columns.h"

/* Position of a name among the first `n`; n if it is absent. */
static size_t place_of(const char *const *names, size_t n, const char *name)
{
    size_t i = 0;

    while (i < n && strcmp(names[i], name) != 0) {
        i++;
    }
    return i;
}

stoa_status stoa_column_rename(stoa_table *table, const char *column_name, const char *name,
                               stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_column_edit edit = STOA_COLUMN_EDIT_INIT;
    stoa_column *column = NULL;

    STOA_TRY(stoa_column_edit_begin(table, &edit, err));
    STOA_TRY(stoa_column_edit_find(table, column_name, &column, err));
    if (strcmp(column_name, name) == 0) {
        goto done;
    }
    STOA_TRY(stoa_column_edit_name(table, name, err));
    STOA_HDF(err, H5Lmove(table->group, column_name, table->group, name, H5P_DEFAULT, H5P_DEFAULT),
             "rename column '%s'", column_name);
    /* Write column-order even if it was absent, since the new name would sort differently. */
    edit.order[place_of(edit.order, edit.n_order, column_name)] = name;
    edit.orders = true;
    for (size_t i = 0; i < edit.n_labels; i++) {
        if (strcmp(edit.labels[i], column_name) == 0) {
            edit.labels[i] = name;
            edit.labels_rows = true;
        }
    }

done:
    return stoa_column_edit_end(&edit, status, err);
}

/* Check that every name is a column and none occurs twice. */
static stoa_status check_names(const stoa_table *table, const char *const *names, size_t n,
                               stoa_error *err)
{
    stoa_column *column = NULL;

    for (size_t i = 0; i < n; i++) {
        STOA_RETURN_NOT_OK(stoa_column_edit_find(table, names[i], &column, err));
        if (place_of(names, i, names[i]) < i) {
            return stoa_fail(err, STOA_EINVAL, "column '%s' is named twice", names[i]);
        }
    }
    return STOA_OK;
}

stoa_status stoa_column_reorder(stoa_table *table, const char *const *columns, size_t n,
                                stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_column_edit edit = STOA_COLUMN_EDIT_INIT;

    STOA_TRY(stoa_column_edit_begin(table, &edit, err));
    STOA_TRY(check_names(table, columns, n, err));
    edit.n_order = 0;
    for (size_t i = 0; i < n; i++) {
        edit.order[edit.n_order++] = columns[i];
    }
    for (size_t i = 0; i < table->n_columns; i++) {
        if (place_of(columns, n, table->columns[i]->name) == n) {
            edit.order[edit.n_order++] = table->columns[i]->name;
        }
    }
    edit.orders = true;

done:
    return stoa_column_edit_end(&edit, status, err);
}

/* A list is no label (HEP001-2026-07 §7.4). */
static stoa_status check_labels(const stoa_table *table, const char *const *names, size_t n,
                                stoa_error *err)
{
    for (size_t i = 0; i < n; i++) {
        if (stoa_column_is_list_group(stoa_table_find_noted(table, names[i]))) {
            return stoa_fail(err, STOA_ETYPE,
                             "'%s' is a list column, which cannot label rows (HEP001-2026-07 "
                             "§7.4)",
                             names[i]);
        }
    }
    return STOA_OK;
}

stoa_status stoa_table_label_rows(stoa_table *table, const char *const *columns, size_t n,
                                  stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_column_edit edit = STOA_COLUMN_EDIT_INIT;

    STOA_TRY(stoa_column_edit_begin(table, &edit, err));
    STOA_TRY(check_names(table, columns, n, err));
    STOA_TRY(check_labels(table, columns, n, err));
    edit.n_labels = 0;
    for (size_t i = 0; i < n; i++) {
        edit.labels[edit.n_labels++] = columns[i];
    }
    edit.labels_rows = true;

done:
    return stoa_column_edit_end(&edit, status, err);
}
