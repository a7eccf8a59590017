/* A table's columns as an Arrow struct schema. */
#include "arrow/build.h"
#include "table/open/table.h"

static stoa_status make_schema(const stoa_table *table, bool coded, struct ArrowSchema *out,
                               stoa_error *err)
{
    stoa_status status = STOA_OK;

    out->release = NULL;
    STOA_TRY(stoa_schema_make(out, "", "+s", err));
    out->flags = 0;
    STOA_TRY(stoa_schema_children(out, (int64_t)table->n_columns, err));
    for (size_t i = 0; i < table->n_columns; i++) {
        STOA_TRY(coded ? stoa_column_coded_schema(table->columns[i], out->children[i], err)
                       : stoa_column_schema(table->columns[i], out->children[i], err));
    }

done:
    if (status != STOA_OK) {
        stoa_schema_release(out);
    }
    return status;
}

stoa_status stoa_table_schema(const stoa_table *table, struct ArrowSchema *out, stoa_error *err)
{
    stoa_status status = stoa_table_enter(table, err);

    if (status == STOA_OK) {
        status = make_schema(table, false, out, err);
        stoa_table_leave(table);
    }
    return status;
}

stoa_status stoa_table_coded_schema(const stoa_table *table, struct ArrowSchema *out,
                                    stoa_error *err)
{
    return make_schema(table, true, out, err);
}
