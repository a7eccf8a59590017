#include "table/open/foreign.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "hdf/copy/object_storage.h"

stoa_status stoa_foreign_begin(hid_t object, const char *path, const char *file, const char *layout,
                               uint64_t n_rows, stoa_table **table, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_table *made = stoa_alloc_zero(1, sizeof *made);

    *table = NULL;
    if (made == NULL) {
        (void)stoa_hdf_close(&object, STOA_OK, NULL);
        return stoa_fail_memory(err);
    }
    made->group = object;
    made->layout = layout;
    made->n_rows = n_rows;
    made->is_read_only = true;
    made->path = stoa_strdup(path);
    made->file = stoa_strdup(file);
    STOA_TRY(made->path != NULL && made->file != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_read_context_open(&made->read_context, err));
    *table = made;
    made = NULL;

done:
    stoa_table_close(made);
    return status;
}

stoa_status stoa_foreign_add(stoa_table *table, stoa_column *column, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_column **columns = NULL;
    uint32_t number = 0;

    const size_t length = strlen(column->name);
    if (stoa_string_set_find(&table->names, column->name, length, &number)) {
        STOA_FAIL(err, STOA_EDATA, "there are two columns '%s'", column->name);
    }
    STOA_TRY(stoa_column_note_place(table, column, err));
    columns = stoa_one_more(table->columns, table->n_columns, sizeof(stoa_column *));
    STOA_TRY(columns != NULL ? STOA_OK : stoa_fail_memory(err));
    table->columns = columns;
    STOA_TRY(stoa_string_set_add(&table->names, column->name, length, &number, err));
    column->read_context = table->read_context;
    column->n_rows = table->n_rows;
    table->columns[table->n_columns++] = column;
    column = NULL;

done:
    stoa_column_close(column);
    return status;
}

stoa_status stoa_foreign_add_damaged(stoa_table *table, const char *name, const stoa_error *why,
                                     stoa_error *err)
{
    stoa_column *column = NULL;

    if (why->status == STOA_ENOMEM) {
        return stoa_fail_memory(err);
    }
    STOA_RETURN_NOT_OK(stoa_column_note(H5I_INVALID_HID, name, table->n_rows, NULL, &column, err));
    column->is_foreign = true;
    column->damage = stoa_strdup(why->message);
    if (column->damage == NULL) {
        stoa_column_close(column);
        return stoa_fail_memory(err);
    }
    return stoa_foreign_add(table, column, err);
}

/* Whether a column cannot be opened. It is, if it was not yet. */
static bool is_damaged(const stoa_column *column)
{
    stoa_error ignored = STOA_ERROR_INIT;

    return (column->opener.close != NULL && stoa_column_load(column, &ignored) != STOA_OK) ||
           column->damage != NULL;
}

stoa_status stoa_foreign_drop_damaged(stoa_table *table, stoa_damaged_visit *visit, void *context,
                                      stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t n = table->n_columns;
    uint32_t number = 0;

    size_t n_labels = 0;
    for (size_t i = 0; i < table->n_index_columns; i++) {
        if (!is_damaged(table->index_columns[i])) {
            table->index_columns[n_labels++] = table->index_columns[i];
        }
    }
    table->n_index_columns = n_labels;
    table->n_columns = 0;
    stoa_string_set_clear(&table->names);
    for (size_t i = 0; i < n; i++) {
        stoa_column *const column = table->columns[i];
        if (status == STOA_OK && is_damaged(column)) {
            status = visit(context, column, err);
        } else if (status == STOA_OK) {
            status = stoa_string_set_add(&table->names, column->name, strlen(column->name), &number,
                                         err);
        }
        if (status == STOA_OK && column->damage == NULL) {
            table->columns[table->n_columns++] = column;
        } else {
            stoa_column_close(column);
        }
    }
    return status;
}

const stoa_column *stoa_foreign_first(const stoa_table *table)
{
    for (size_t i = 0; i < table->n_columns; i++) {
        if (!is_damaged(table->columns[i])) {
            return table->columns[i];
        }
    }
    return NULL;
}

stoa_status stoa_foreign_add_metadata(stoa_table *table, const char *key, const char *value,
                                      stoa_error *err)
{
    return stoa_field_metadata_add(&table->metadata, &table->n_metadata, key, value, err);
}

stoa_status stoa_foreign_set_metadata(stoa_table *table, const stoa_table *other, stoa_error *err)
{
    for (size_t i = 0; i < other->n_metadata; i++) {
        STOA_RETURN_NOT_OK(stoa_foreign_add_metadata(table, other->metadata[i].key,
                                                     other->metadata[i].value, err));
    }
    return STOA_OK;
}

stoa_status stoa_foreign_label_rows(stoa_table *table, size_t i, stoa_error *err)
{
    const stoa_column **labels =
        stoa_one_more(table->index_columns, table->n_index_columns, sizeof(stoa_column *));

    STOA_RETURN_NO_MEMORY(err, labels);
    table->index_columns = labels;
    labels[table->n_index_columns++] = table->columns[i];
    return STOA_OK;
}

stoa_status stoa_table_is_own(const stoa_table *table, stoa_error *err)
{
    if (table->layout == NULL) {
        return STOA_OK;
    }
    return stoa_fail(err, STOA_ELAYOUT,
                     "a table of the layout '%s' is read, not edited; import it into a HEP001 "
                     "table first",
                     table->layout);
}

stoa_status stoa_table_is_known(const stoa_table *table, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *text = NULL;

    STOA_TRY(stoa_table_is_own(table, err));
    if (table->left_out.n > 0) {
        text = stoa_unknown_objects_text(&table->left_out);
        STOA_TRY(text != NULL ? STOA_OK : stoa_fail_memory(err));
        STOA_FAIL(err, STOA_ELAYOUT,
                  "holds what Stoa does not know and an edit would leave behind: %s (HEP001 §7.6); "
                  "edit the table with the program that wrote it",
                  text);
    }

done:
    free(text);
    return status;
}

stoa_status stoa_table_may_grow(const stoa_table *table, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_table_load(table, err));
    for (size_t i = 0; table->n_rows > 0 && i < table->n_columns; i++) {
        STOA_RETURN_NOT_OK(stoa_column_may_be_rewritten(table->columns[i], err));
    }
    return STOA_OK;
}

stoa_status stoa_table_may_change(stoa_table *table, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_table_is_known(table, err));
    if (!table->is_apart) {
        STOA_RETURN_NOT_OK(stoa_storage_may_change(table->group, err));
        stoa_table_settle_references(table);
        table->is_apart = true;
    }
    return STOA_OK;
}
