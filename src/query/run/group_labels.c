/*
 * Labels need not be distinct (HEP001 §8.7), so groups are told apart by their texts, which are
 * hashed once in a query. If all labels of a column were found to be distinct, later queries of the
 * same open table take codes in place of texts.
 */
#include "query/run/group_labels.h"

/* The column whose categories a key reads; NULL: they are no column's, or each file has its own. */
static stoa_column *column_of(const stoa_query *query, const stoa_key *key)
{
    stoa_column *const column = key->expr->op == STOA_OP_COLUMN && query->table->parts == NULL
                                    ? query->scan.sources[key->expr->column].column
                                    : NULL;

    return column != NULL && column->dictionary.release != NULL &&
                   query->scope.columns[key->expr->column].is_dictionary
               ? column
               : NULL;
}

static stoa_status view_labels(const stoa_column *column, stoa_view *labels, stoa_error *err)
{
    return stoa_view_of_sound(&column->dictionary_schema, &column->dictionary, labels, err);
}

static stoa_status open_key(stoa_query *query, stoa_key *key, stoa_error *err)
{
    const stoa_column *const column = column_of(query, key);

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
    stoa_column *const column = column_of(query, key);
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

stoa_status stoa_group_labels_learn(stoa_query *query, stoa_error *err)
{
    return each_key(query, learn_key, err);
}
