/* Columns that are no HEP001 datasets; see foreign.h. */
#include "column/foreign.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

stoa_status stoa_column_of_member(const char *name, stoa_rows *rows, unsigned index, size_t item,
                                  stoa_column **out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_column *column = NULL;

    *out = NULL;
    STOA_TRY(stoa_column_note(H5I_INVALID_HID, name, stoa_rows_extent(rows), NULL, &column, err));
    column->is_loaded = true;
    STOA_TRY(stoa_row_member_open(rows, index, item, &column->element, &column->member, err));
    STOA_HDF(err, H5Iinc_ref(stoa_rows_dataset(rows)), "hold the table");
    column->dataset = stoa_rows_dataset(rows);
    column->extent = stoa_rows_extent(rows);
    column->chunk_rows = stoa_rows_chunk_rows(rows);
    stoa_column_resolve_type(column);
    *out = column;
    column = NULL;

done:
    stoa_column_close(column);
    return stoa_at(err, status, "%s", name);
}

void stoa_column_show_bools(stoa_column *column)
{
    column->type = (stoa_type){.kind = STOA_KIND_BOOL};
}

void stoa_column_show_times(stoa_column *column, const stoa_time_units *units)
{
    column->time = *units;
    stoa_column_resolve_time(column);
}

stoa_status stoa_column_show_missing(stoa_column *column, const void *fill, stoa_error *err)
{
    uint8_t *own = stoa_alloc(1, column->element.size);

    if (own == NULL) {
        return stoa_fail_memory(err);
    }
    memcpy(own, fill, column->element.size);
    free(column->fill);
    column->fill = own;
    column->fill_is_nan = stoa_element_is_nan(&column->element, own);
    return STOA_OK;
}

void stoa_column_show_labels(stoa_column *column, struct ArrowSchema *schema,
                             struct ArrowArray *labels, bool is_ordered)
{
    column->type = (stoa_type){.kind = STOA_KIND_DICTIONARY, .index = column->element.kind};
    column->dictionary = *labels;
    column->dictionary_schema = *schema;
    column->has_labels = true;
    column->is_ordered = is_ordered;
    labels->release = NULL;
    schema->release = NULL;
}

/* --- sources --------------------------------------------------------------------------------- */

stoa_status stoa_column_of_source(struct ArrowSchema *schema, uint64_t n_rows,
                                  const stoa_column_source *source, stoa_column **out,
                                  stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_column *column = NULL;

    *out = NULL;
    status = stoa_column_note(H5I_INVALID_HID, schema->name, n_rows, NULL, &column, err);
    if (status != STOA_OK) {
        stoa_schema_release(schema);
        if (source->close != NULL) {
            source->close(source->context);
        }
        return status;
    }
    column->source = *source;
    column->source_schema = *schema;
    schema->release = NULL;
    column->is_loaded = true;
    column->extent = n_rows;
    column->element.class = STOA_ELEMENT_OPAQUE; /* of nobody; no size that is asked for is 0 */
    column->element.size = 1;
    STOA_TRY(stoa_type_of(&column->source_schema, &column->type, err));
    (void)strcpy(column->element.text, "made by its layout");
    *out = column;
    column = NULL;

done:
    stoa_column_close(column);
    return status;
}
