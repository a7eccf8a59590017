/* Objects of several columns as one struct column, beside other columns with the same rows. */
#include <stdlib.h>

#include "core/memory.h"
#include "layout/arkouda/read/column.h"

static stoa_status make_schema(stoa_table *fields, const char *name, struct ArrowSchema *out,
                               stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_schema_make(out, name, "+s", err));
    STOA_RETURN_NOT_OK(stoa_schema_children(out, (int64_t)fields->n_columns, err));
    for (size_t i = 0; i < fields->n_columns; i++) {
        STOA_RETURN_NOT_OK(stoa_column_schema(fields->columns[i], out->children[i], err));
    }
    return STOA_OK;
}

static stoa_status read_rows(void *context, uint64_t first, uint64_t count, struct ArrowArray *out,
                             stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_table *const fields = context;

    out->release = NULL;
    STOA_TRY(stoa_array_make(out, (int64_t)count, 0, 1, (void *const[]){NULL}, err));
    STOA_TRY(stoa_array_children(out, (int64_t)fields->n_columns, err));
    for (size_t i = 0; i < fields->n_columns; i++) {
        STOA_TRY(stoa_column_read(fields->columns[i], first, count, out->children[i], err));
    }

done:
    if (status != STOA_OK) {
        stoa_array_release(out);
    }
    return status;
}

static void close_fields(void *context)
{
    stoa_table_close(context);
}

stoa_status stoa_arkouda_struct_open(stoa_arkouda_set *set, const char *path,
                                     const stoa_arkouda_sort *sort, const char *name,
                                     stoa_column **column, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_table *fields = NULL;
    struct ArrowSchema schema = {.release = NULL};
    const hid_t object = stoa_arkouda_set_object(set, 0, path);

    *column = NULL;
    STOA_TRY(stoa_foreign_begin(object, path, set->names[0], "arkouda", 0, &fields, err));
    STOA_TRY(stoa_arkouda_table_fill(fields, set, path, sort, err));
    STOA_TRY(make_schema(fields, name, &schema, err));
    const stoa_column_source source = {
        .read_array = read_rows, .close = close_fields, .context = fields};
    const uint64_t n_rows = fields->n_rows;
    fields = NULL;
    STOA_TRY(stoa_column_of_source(&schema, n_rows, &source, column, err));

done:
    stoa_table_close(fields);
    stoa_schema_release(&schema);
    return status;
}
