/* A column's stored values, a block at a time. */
#include "column/visit.h"

#include "column/block.h"

/* Rows in memory at once. */
#define VISIT_ROWS UINT64_C(65536)

/* A block of stored rows as an Arrow array of the stored element, missing ones as nulls. */
static stoa_status read_stored(stoa_column *column, uint64_t first, uint64_t count,
                               struct ArrowSchema *schema, struct ArrowArray *array,
                               stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_block block = {.elements = NULL};

    STOA_TRY(stoa_element_schema(&column->element, column->name, schema, err));
    STOA_TRY(stoa_block_read(column, first, count, &block, err));
    STOA_TRY(stoa_block_decode(&column->element, &block, array, err));

done:
    stoa_block_clear(&column->element, &block);
    return status;
}

stoa_status stoa_column_visit_range(stoa_column *column, uint64_t from, uint64_t end,
                                    stoa_block_visitor visit, void *context, stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowSchema schema = {.release = NULL};
    struct ArrowArray array = {.release = NULL};
    uint64_t count = 0;

    for (uint64_t first = from; first < end; first += count) {
        stoa_view view;
        count = end - first < VISIT_ROWS ? end - first : VISIT_ROWS;
        STOA_TRY(read_stored(column, first, count, &schema, &array, err));
        STOA_TRY(stoa_view_of(&schema, &array, &view, err));
        STOA_TRY(visit(context, first, &view, err));
        stoa_array_release(&array);
        stoa_schema_release(&schema);
    }

done:
    stoa_array_release(&array);
    stoa_schema_release(&schema);
    return status;
}

stoa_status stoa_column_visit(stoa_column *column, uint64_t n_rows, stoa_block_visitor visit,
                              void *context, stoa_error *err)
{
    return stoa_column_visit_range(column, 0, n_rows, visit, context, err);
}
