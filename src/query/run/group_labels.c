/*
 * Labels need not be distinct (HEP001 §8.7), so groups are told apart by their texts, which are
 * hashed once in a query. If all labels of a column were found to be distinct, later queries of the
 * same open table take codes in place of texts. The least and the largest label are remembered,
 * too.
 */
#include "query/run/group_labels.h"

/* The column whose categories an expression is; NULL: no column's, or each file has its own. */
static stoa_column *column_of(const stoa_query *query, const stoa_expr *expr)
{
    stoa_column *const column = expr->op == STOA_OP_COLUMN && query->table->parts == NULL
                                    ? query->scan.sources[expr->column].column
                                    : NULL;

    return column != NULL && column->dictionary.release != NULL &&
                   query->scope.columns[expr->column].is_dictionary
               ? column
               : NULL;
}

static stoa_status view_labels(const stoa_column *column, stoa_view *labels, stoa_error *err)
{
    return stoa_view_of_sound(&column->dictionary_schema, &column->dictionary, labels, err);
}

static stoa_status open_key(stoa_query *query, stoa_key *key, stoa_error *err)
{
    const stoa_column *const column = column_of(query, key->expr);

    key->has_one_dictionary = query->table->parts == NULL;
    if (column != NULL && column->has_distinct_labels) {
        stoa_view *const labels = stoa_arena_alloc(&query->arena, 1, sizeof *labels);
        STOA_RETURN_NO_MEMORY(err, labels);
        key->labels = labels;
        return view_labels(column, labels, err);
    }
    return STOA_OK;
}

static stoa_status learn_key(stoa_query *query, stoa_key *key, stoa_error *err)
{
    stoa_column *const column = column_of(query, key->expr);
    stoa_view labels;

    if (column == NULL || key->labels != NULL) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(view_labels(column, &labels, err));
    column->has_distinct_labels =
        column->has_distinct_labels ||
        stoa_text_numbers_are_distinct(key->texts, labels.values, (size_t)labels.length);
    return STOA_OK;
}

/* Do it for all keys that number texts. */
static stoa_status each_key(stoa_query *query,
                            stoa_status (*visit)(stoa_query *, stoa_key *, stoa_error *),
                            stoa_error *err)
{
    for (size_t i = 0; i < query->n_by + query->n_aggregates; i++) {
        stoa_key *const key =
            i < query->n_by ? &query->keys[i] : &query->aggregates[i - query->n_by].numbered.reader;
        STOA_RETURN_NOT_OK(key->texts != NULL ? visit(query, key, err) : STOA_OK);
    }
    return STOA_OK;
}

stoa_status stoa_group_labels_open(stoa_query *query, stoa_error *err)
{
    return each_key(query, open_key, err);
}

/* The least and the largest label. Of equal ones, it is the first. */
static void find_ends(const stoa_view *labels, int64_t ends[2])
{
    stoa_bytes texts[2] = {{NULL, 0}, {NULL, 0}};
    stoa_bytes text;

    ends[0] = ends[1] = -1;
    for (int64_t i = 0; i < labels->length; i++) {
        if (stoa_view_is_null(labels, i)) {
            continue;
        }
        text.data = stoa_view_bytes(labels, i, &text.length);
        for (int k = 0; k < 2; k++) {
            const int order = ends[k] < 0 ? 0
                                          : stoa_compare_bytes(text.data, text.length,
                                                               texts[k].data, texts[k].length);
            if (ends[k] < 0 || (k == 0 ? order < 0 : order > 0)) {
                ends[k] = i;
                texts[k] = text;
            }
        }
    }
}

static stoa_status set_end(const stoa_query *query, stoa_aggregate *aggregate, stoa_error *err)
{
    const bool is_max = aggregate->kind == &stoa_aggregate_max;
    stoa_column *column = NULL;
    stoa_view labels;

    if ((is_max || aggregate->kind == &stoa_aggregate_min) &&
        stoa_domain_is_bytes(aggregate->result.domain)) {
        column = column_of(query, aggregate->arg);
    }
    if (column == NULL) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(view_labels(column, &labels, err));
    if (!column->has_label_ends) {
        find_ends(&labels, column->label_ends);
        column->has_label_ends = true;
    }
    const int64_t end = column->label_ends[is_max];
    aggregate->may_end = end >= 0;
    if (aggregate->may_end) {
        aggregate->end = (uint32_t)end;
        aggregate->end_text.data = stoa_view_bytes(&labels, end, &aggregate->end_text.length);
    }
    return STOA_OK;
}

stoa_status stoa_group_labels_ends(stoa_query *query, stoa_error *err)
{
    for (size_t i = 0; i < query->n_aggregates; i++) {
        STOA_RETURN_NOT_OK(set_end(query, &query->aggregates[i], err));
    }
    return STOA_OK;
}

stoa_status stoa_group_labels_learn(stoa_query *query, stoa_error *err)
{
    return each_key(query, learn_key, err);
}
