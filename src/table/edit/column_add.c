/* Adding columns (HEP001 §8, §12): written outside the table, then linked together. */
#include "arrow/build.h"
#include "table/edit/columns.h"

/* Check that the table can use the names. Everything else is checked when the columns are
 * written. */
static stoa_status check_names(const stoa_table *table, const struct ArrowSchema *schema,
                               stoa_error *err)
{
    for (int64_t i = 0; i < schema->n_children; i++) {
        const char *name = schema->children[i]->name;
        STOA_RETURN_NOT_OK(stoa_column_edit_name(table, name != NULL ? name : "", err));
    }
    return STOA_OK;
}

/* Link a column and its categories into the table. */
static stoa_status link_column(stoa_column_edit *edit, const stoa_column *column, stoa_error *err)
{
    if (stoa_column_is_categorical(column)) {
        STOA_RETURN_NOT_OK(stoa_columns_link_categories(edit->table, column, err));
    }
    STOA_RETURN_HDF_ERROR(
        err, H5Olink(column->dataset, edit->table->group, column->name, H5P_DEFAULT, H5P_DEFAULT),
        "link column '%s'", column->name);
    edit->order[edit->n_order++] = column->name;
    return STOA_OK;
}

stoa_status stoa_column_add(stoa_table *table, struct ArrowArrayStream *stream,
                            const stoa_column_options *storage, const stoa_edit_options *options,
                            stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_column_edit edit = STOA_COLUMN_EDIT_INIT;
    struct ArrowSchema schema = {.release = NULL};
    hid_t holder = H5I_INVALID_HID;
    stoa_table *made = NULL;

    STOA_TRY(stoa_column_edit_begin(table, &edit, err));
    STOA_TRY(stoa_stream_schema(stream, &schema, err));
    STOA_TRY(check_names(table, &schema, err));
    STOA_TRY(stoa_columns_make(table, stream, storage, options != NULL ? &options->listener : NULL,
                               &holder, &made, err));
    STOA_TRY(stoa_column_edit_grow(&edit, made->n_columns, err));
    for (size_t i = 0; i < made->n_columns; i++) {
        STOA_TRY(link_column(&edit, made->columns[i], err));
    }
    edit.orders = true;

done:
    status = stoa_column_edit_end(&edit, status, err); /* names in `order` belong to `made` */
    stoa_table_close(made);
    stoa_schema_release(&schema);
    (void)stoa_hdf_close(&holder, STOA_OK, NULL); /* its datasets are linked now, or discarded */
    return status;
}
