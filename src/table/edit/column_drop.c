/* Dropping a column and whatever only it uses (HEP001 §12). */
#include <string.h>

#include "hdf/copy/object_storage.h"
#include "index/common/kind.h"
#include "table/edit/columns.h"

/* Remove a name from a list. */
static void remove_name(const char **names, size_t *n, const char *name, bool *changed)
{
    size_t kept = 0;

    for (size_t i = 0; i < *n; i++) {
        if (strcmp(names[i], name) != 0) {
            names[kept++] = names[i];
        }
    }
    *changed = *changed || kept != *n;
    *n = kept;
}

stoa_status stoa_column_drop(stoa_table *table, const char *name, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_column_edit edit = STOA_COLUMN_EDIT_INIT;
    stoa_column *column = NULL;

    STOA_TRY(stoa_column_edit_begin(table, &edit, err));
    STOA_TRY(stoa_column_edit_find(table, name, &column, err));
    STOA_TRY(stoa_index_links_settle(table->columns, table->n_columns, err));
    if (!stoa_column_edit_is_shared(table, column)) {
        STOA_TRY(stoa_index_remove(table->group, column, NULL, err));
    }
    STOA_HDF(err, stoa_unlink(table->group, name), "unlink column '%s'", name);
    remove_name(edit.order, &edit.n_order, name, &edit.orders);
    remove_name(edit.labels, &edit.n_labels, name, &edit.labels_rows);

done:
    return stoa_column_edit_end(&edit, status, err);
}
