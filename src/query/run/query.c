/* The public functions of <stoa/query.h>. */
#include "query/run/query.h"

#include <stdlib.h>
#include <string.h>

#include "core/sized_struct.h"
#include "query/run/prune_parts.h"
#include "table/open/table.h"

/* Copy the caller's options, up to the size its compiler knew, with copies of the texts. */
static stoa_status copy_options(stoa_query *query, const stoa_query_options *options,
                                stoa_error *err)
{
    stoa_query_options *own = &query->options;
    const char **const texts[] = {&own->where, &own->columns, &own->aggregates,
                                  &own->by,    &own->sort,    &own->having};

    *own = (stoa_query_options)STOA_QUERY_OPTIONS_INIT;
    STOA_RETURN_NOT_OK(STOA_SIZED_COPY(own, options, where, "STOA_QUERY_OPTIONS_INIT", err));
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (*texts[i] != NULL) {
            *texts[i] = stoa_arena_text(&query->arena, *texts[i], strlen(*texts[i]));
            STOA_RETURN_NO_MEMORY(err, *texts[i]);
        }
    }
    STOA_RETURN_NOT_OK(stoa_parameters_open(&query->parameters, own->parameters, own->n_parameters,
                                            &query->arena, err));
    own->parameters = query->parameters.values;
    return STOA_OK;
}

static stoa_status check_options(const stoa_query_options *options, stoa_error *err)
{
    if (options->aggregates != NULL && options->columns != NULL) {
        return stoa_fail(err, STOA_EINVAL,
                         "columns and aggregates exclude each other; group "
                         "columns go by 'by'");
    }
    if (options->distinct && (options->aggregates != NULL || options->row_numbers)) {
        return stoa_fail(err, STOA_EINVAL,
                         "distinct rows come without aggregates and row numbers; groups are "
                         "distinct by themselves");
    }
    if (options->having != NULL && options->aggregates == NULL) {
        return stoa_fail(err, STOA_EINVAL,
                         "a condition on groups ('having') needs aggregates, such as count()");
    }
    if (options->by != NULL && options->aggregates == NULL) {
        return stoa_fail(err, STOA_EINVAL, "groups ('by') need aggregates, such as count()");
    }
    if (options->row_numbers && (options->columns != NULL || options->aggregates != NULL)) {
        return stoa_fail(err, STOA_EINVAL, "row numbers come alone, without columns or aggregates");
    }
    return STOA_OK;
}

static stoa_status parse_where(stoa_query *query, const stoa_syntax **syntax, stoa_error *err)
{
    const stoa_names names = stoa_scope_names(&query->scope);

    return query->options.where != NULL
               ? stoa_parse("where", query->options.where, &names, &query->arena, syntax, err)
               : STOA_OK;
}

/* The predicate may use the names of computed columns and groups; those of the table come first. */
static stoa_status bind_where(stoa_query *query, const stoa_syntax *syntax, stoa_error *err)
{
    const stoa_binder binder = {&query->scope, &query->arena};
    const size_t n = query->n_outputs;
    stoa_alias *const aliases = stoa_arena_zero(&query->arena, n, sizeof *aliases);

    STOA_RETURN_NO_MEMORY(err, aliases);
    for (size_t i = 0; i < n; i++) {
        const bool is_of_rows = !query->aggregated || i < query->n_by;
        aliases[i].name = query->outputs[i].name;
        aliases[i].syntax = is_of_rows ? query->outputs[i].syntax : NULL;
    }
    query->scope.aliases = aliases;
    query->scope.n_aliases = n;
    return stoa_bind_predicate(&binder, syntax, &query->where, err);
}

/* The column of the order, if it is a single plain column and only the first rows are wanted;
 * else SIZE_MAX. Dictionaries are excluded, because labels are sorted by text and not by code. */
static size_t order_column(const stoa_query *query)
{
    const stoa_expr *key = query->n_orders == 1 ? query->orders[0].expr : NULL;

    return !query->aggregated && query->options.sample == 0 && query->options.limit >= 0 &&
                   key != NULL && key->op == STOA_OP_COLUMN &&
                   query->scope.columns[key->column].type.kind != STOA_KIND_DICTIONARY
               ? key->column
               : SIZE_MAX;
}

static bool counts_only(const stoa_query *query)
{
    bool only = query->aggregated && query->n_by == 0 && query->n_aggregates > 0;

    for (size_t i = 0; i < query->n_aggregates; i++) {
        only = only && stoa_aggregate_counts_rows(&query->aggregates[i]);
    }
    return only;
}

static stoa_status make_plan(stoa_query *query, const stoa_query *like, stoa_error *err)
{
    const stoa_query_options *const is = &query->options;
    const bool is_whole = is->first_row == 0 && is->n_rows == 0;

    query->counting = is->sample == 0 && counts_only(query);
    const stoa_plan_request request = {
        .predicate = query->where,
        .rows = {is->first_row, is->n_rows != 0 ? is->n_rows : UINT64_MAX},
        .use_indexes = query->options.use_indexes,
        .n_threads = query->options.threads,
        .counting = query->counting && is_whole, /* an index counts the rows of the whole table */
        .order_column = order_column(query),
        .descending = query->n_orders == 1 && query->descending[0],
        .limit = stoa_query_limit(query),
        .like = like != NULL ? &like->plan : NULL,
    };

    return stoa_plan_make(&query->plan, query->table, &query->scope, &request, err);
}

static stoa_status find_fields(stoa_query *query, stoa_error *err)
{
    const stoa_query_options *const is = &query->options;
    const char *const texts[] = {is->where, is->columns, is->aggregates,
                                 is->by,    is->sort,    is->having};

    STOA_RETURN_NOT_OK(
        stoa_fields_open(query->table, texts, sizeof texts / sizeof texts[0], &query->fields, err));
    if (query->fields != NULL) {
        query->table = &query->fields->table;
    }
    return STOA_OK;
}

stoa_status stoa_query_open_like(stoa_table *table, const stoa_query_options *options,
                                 const stoa_query *like, stoa_query **out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_query *query = stoa_alloc_zero(1, sizeof *query);
    const stoa_syntax *where = NULL;

    *out = NULL;
    STOA_RETURN_NO_MEMORY(err, query);
    STOA_TRY(stoa_table_use(table, NULL, err));
    query->used = table;
    query->table = table;
    STOA_TRY(copy_options(query, options, err));
    STOA_TRY(check_options(&query->options, err));
    STOA_TRY(find_fields(query, err));
    STOA_TRY(
        stoa_scope_of_table(query->table, &query->table_schema, &query->arena, &query->scope, err));
    query->scope.parameters = &query->parameters;
    STOA_TRY(parse_where(query, &where, err));
    STOA_TRY(stoa_query_bind(query, err));
    STOA_TRY(where != NULL ? bind_where(query, where, err) : STOA_OK);
    STOA_TRY(stoa_parameters_check_used(&query->parameters, err));
    STOA_TRY(make_plan(query, like, err));
    if (where != NULL && query->table->parts != NULL &&
        (query->options.use_indexes || query->options.use_trusted)) {
        STOA_TRY(stoa_query_prune_parts(query, where, err));
    }
    *out = query;
    query = NULL;

done:
    stoa_query_close(query);
    return status;
}

stoa_status stoa_query_open(stoa_table *table, const stoa_query_options *options, stoa_query **out,
                            stoa_error *err)
{
    return stoa_query_open_like(table, options, NULL, out, err);
}

stoa_status stoa_query_run(stoa_query *query, struct ArrowArrayStream *out, stoa_error *err)
{
    *out = (struct ArrowArrayStream){0};
    if (query->running) {
        return stoa_fail(err, STOA_EINVAL, "a query runs once; open another one");
    }
    STOA_RETURN_NOT_OK(stoa_query_start(query, err));
    return stoa_stream_make(out, &stoa_query_producer, query, err);
}

stoa_status stoa_query_visit_candidates(const stoa_query *query, stoa_row_range_visitor visitor,
                                        void *context, stoa_error *err)
{
    const stoa_rowset *const rows = &query->plan.rows;

    if (query->aggregated) {
        return stoa_fail(err, STOA_EINVAL, "candidates are of queries without aggregates");
    }
    for (size_t i = 0; i < rows->n_ranges; i++) {
        if (!visitor(context, rows->ranges[i].first, rows->ranges[i].count)) {
            return stoa_fail(err, STOA_ECANCELLED, "the visitor stopped");
        }
    }
    return STOA_OK;
}

const char *stoa_query_hint(const stoa_query *query)
{
    return query->plan.hint != NULL ? query->plan.hint : "";
}

void stoa_query_close(stoa_query *query)
{
    if (query == NULL) {
        return;
    }
    stoa_sorter_clear(&query->sorter);
    stoa_groups_clear(&query->groups);
    stoa_partitions_close(query->partitions, query->n_aggregates);
    stoa_keys_close(query->keys, query->n_by);
    for (size_t i = 0; i < query->n_aggregates; i++) {
        stoa_aggregate_clear(&query->aggregates[i]);
    }
    stoa_query_clear_rows(query);
    stoa_scan_clear(&query->scan);
    if (query->workers != NULL) {
        stoa_table_return_workers(query->table);
    }
    stoa_rowset_clear(&query->uncertain);
    stoa_rowset_clear(&query->ranked);
    stoa_rowset_clear(&query->ranked_now);
    stoa_plan_clear(&query->plan);
    stoa_rowset_clear(&query->found);
    stoa_array_release(&query->found_keys);
    stoa_schema_release(&query->find_schema);
    stoa_schema_release(&query->sort_schema);
    stoa_schema_release(&query->schema);
    stoa_schema_release(&query->group_schema);
    stoa_schema_release(&query->table_schema);
    stoa_arena_clear(&query->arena);
    stoa_fields_close(query->fields);
    if (query->used != NULL) {
        stoa_table_release(query->used);
    }
    free(query);
}
