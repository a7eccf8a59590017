/* Rows of a column, for one of several threads. */
#include "column/reader.h"

stoa_status stoa_column_reader_open(stoa_column_reader *reader, stoa_column *column,
                                    stoa_workers *workers, stoa_error *err)
{
    *reader = (stoa_column_reader){.column = column, .workers = workers};
    return stoa_column_schema(column, &reader->schema, err);
}

stoa_status stoa_column_reader_rows(stoa_column_reader *reader, uint64_t first, uint64_t count,
                                    stoa_view *view, stoa_error *err)
{
    stoa_status status = STOA_OK;

    stoa_array_release(&reader->array);
    stoa_workers_lock(reader->workers);
    status = stoa_column_read(reader->column, first, count, &reader->array, err);
    stoa_workers_unlock(reader->workers);
    STOA_TRY(status);
    STOA_TRY(stoa_view_of(&reader->schema, &reader->array, view, err));

done:
    return status;
}

void stoa_column_reader_close(stoa_column_reader *reader)
{
    stoa_array_release(&reader->array);
    stoa_schema_release(&reader->schema);
    stoa_scratch_clear(&reader->scratch);
    stoa_buffer_clear(&reader->values);
    stoa_buffer_clear(&reader->validity);
    *reader = (stoa_column_reader){.column = NULL};
}
