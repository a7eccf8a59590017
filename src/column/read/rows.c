#include "column/read/rows.h"

stoa_status stoa_column_rows_read(stoa_column *column, uint64_t first, uint64_t count,
                                  stoa_column_rows *rows, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_column_schema(column, &rows->schema, err));
    STOA_RETURN_NOT_OK(stoa_column_read(column, first, count, &rows->array, err));
    return stoa_view_of(&rows->schema, &rows->array, &rows->view, err);
}

void stoa_column_rows_clear(stoa_column_rows *rows)
{
    stoa_array_release(&rows->array);
    stoa_schema_release(&rows->schema);
}
