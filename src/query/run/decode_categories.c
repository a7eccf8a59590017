/* Replaces codes of string columns by strings, as the last step of a query. */
#include "query/run/decode_categories.h"

#include "arrow/decode_dictionary.h"
#include "table/open/table.h"

const stoa_column *stoa_output_text(const stoa_query *query, const stoa_output *output)
{
    const stoa_expr *expr = output->expr;

    if (query->aggregated || expr == NULL || expr->op != STOA_OP_COLUMN) {
        return NULL;
    }
    const stoa_column *column = query->table->columns[expr->column];
    return column->is_text || query->scope.columns[expr->column].learned_dictionary != NULL ? column
                                                                                            : NULL;
}

stoa_status stoa_output_labels(const stoa_query *query, stoa_output *output, stoa_error *err)
{
    const stoa_column *column = stoa_output_text(query, output);

    if (column == NULL) {
        return STOA_OK;
    }
    const stoa_learned_dictionary *learned_dictionary =
        query->scope.columns[output->expr->column].learned_dictionary;
    return learned_dictionary != NULL
               ? stoa_learned_dictionary_labels(learned_dictionary, &output->labels, err)
               : stoa_view_of(&column->dictionary_schema, &column->dictionary, &output->labels,
                              err);
}

/* A view of the codes, which were checked when they were read. */
static stoa_view codes_of(const stoa_query *query, const stoa_output *output,
                          const struct ArrowArray *array)
{
    return (stoa_view){.type = query->scope.columns[output->expr->column].type,
                       .length = array->length,
                       .offset = array->offset,
                       .null_count = array->null_count,
                       .validity = array->buffers[0],
                       .values = array->buffers[1],
                       .array = array};
}

stoa_status stoa_query_decode_categories(const stoa_query *query, struct ArrowArray *batch,
                                         stoa_error *err)
{
    struct ArrowArray texts = {.release = NULL};

    for (size_t i = 0; i < query->n_outputs; i++) {
        const stoa_output *output = &query->outputs[i];
        if (stoa_output_text(query, output) == NULL) {
            continue;
        }
        const stoa_view codes = codes_of(query, output, batch->children[i]);
        STOA_RETURN_NOT_OK(
            stoa_decode_dictionary(&codes, &output->labels, STOA_KIND_STRING, &texts, err));
        stoa_array_release(batch->children[i]);
        stoa_array_move(&texts, batch->children[i]);
    }
    return STOA_OK;
}
