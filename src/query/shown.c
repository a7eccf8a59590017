/* Codes of string columns become strings as the last thing of all; see shown.h. */
#include "query/shown.h"

#include "arrow/labels.h"
#include "table/table.h"

const stoa_column *stoa_output_text(const stoa_query *query, const stoa_output *output)
{
    const stoa_expr *expr = output->expr;

    if (query->aggregated || expr == NULL || expr->op != STOA_OP_COLUMN) {
        return NULL;
    }
    const stoa_column *column = query->table->columns[expr->column];
    return column->is_text ? column : NULL;
}

/* The codes as they stand: they were checked when they were read. */
static stoa_view codes_of(const stoa_column *column, const struct ArrowArray *array)
{
    return (stoa_view){.type = column->type,
                       .length = array->length,
                       .offset = array->offset,
                       .null_count = array->null_count,
                       .validity = array->buffers[0],
                       .values = array->buffers[1],
                       .array = array};
}

stoa_status stoa_query_show(const stoa_query *query, struct ArrowArray *batch, stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowArray texts = {.release = NULL};

    for (size_t i = 0; i < query->n_outputs; i++) {
        const stoa_column *column = stoa_output_text(query, &query->outputs[i]);
        if (column == NULL) {
            continue;
        }
        const stoa_view codes = codes_of(column, batch->children[i]);
        STOA_TRY(
            stoa_texts_of_codes(&codes, &query->outputs[i].labels, STOA_KIND_STRING, &texts, err));
        stoa_array_release(batch->children[i]);
        stoa_array_move(&texts, batch->children[i]);
    }

done:
    return status;
}
