/* Binds the lists of a query: columns, aggregates, groups, order. Makes the schemas. */
#include <stdlib.h>
#include <string.h>

#include "query/run/decode_categories.h"
#include "query/run/group_outputs.h"
#include "table/open/table.h"

static stoa_binder binder_of(stoa_query *query)
{
    return (stoa_binder){&query->scope, &query->arena};
}

static void *make(stoa_query *query, size_t n, size_t size, stoa_status *status, stoa_error *err)
{
    void *block = stoa_arena_zero(&query->arena, n, size);

    *status = block != NULL ? STOA_OK : stoa_fail_memory(err);
    return block;
}

/* Columns ----------------------------------------------------------------------------------- */

static void output_of_expr(const stoa_query *query, stoa_output *output)
{
    const stoa_expr *expr = output->expr;

    output->type = expr->op == STOA_OP_COLUMN ? query->scope.columns[expr->column].type
                                              : stoa_type_of_expr(expr);
}

static stoa_status bind_items(stoa_query *query, stoa_output *outputs, size_t n,
                              const stoa_item *items, stoa_error *err)
{
    const stoa_binder binder = binder_of(query);

    for (size_t i = 0; i < n; i++) {
        outputs[i].name = items[i].name;
        outputs[i].syntax = items[i].syntax;
        STOA_RETURN_NOT_OK(stoa_bind(&binder, items[i].syntax, &outputs[i].expr, err));
        output_of_expr(query, &outputs[i]);
    }
    return STOA_OK;
}

/* Output every column of the table, in table order. */
static stoa_status bind_all(stoa_query *query, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_binder binder = binder_of(query);
    stoa_scope *scope = &query->scope;

    const size_t n = query->fields != NULL ? query->fields->n_borrowed : scope->n_columns;

    query->outputs = make(query, n, sizeof *query->outputs, &status, err);
    STOA_RETURN_NOT_OK(status);
    for (size_t i = 0; i < n; i++) {
        stoa_output *output = &query->outputs[query->n_outputs++];
        STOA_RETURN_NOT_OK(stoa_scope_know(scope, i, err));
        output->name = scope->columns[i].name;
        STOA_RETURN_NOT_OK(stoa_expr_make(&binder, STOA_OP_COLUMN, scope->columns[i].value.domain,
                                          NULL, 0, NULL, &output->expr, err));
        output->expr->type = scope->columns[i].value;
        output->expr->column = i;
        output_of_expr(query, output);
    }
    return status;
}

static stoa_status bind_columns(stoa_query *query, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const char *text = query->options.columns;
    const stoa_names names = stoa_scope_names(&query->scope);
    stoa_item *items = NULL;
    size_t n = 0;

    if (query->options.row_numbers) {
        query->outputs = make(query, 1, sizeof *query->outputs, &status, err);
        STOA_RETURN_NOT_OK(status);
        query->outputs[0] = (stoa_output){.name = "row", .type = {.kind = STOA_KIND_UINT64}};
        query->n_outputs = 1;
    } else if (text == NULL) {
        STOA_RETURN_NOT_OK(bind_all(query, err));
    } else {
        STOA_RETURN_NOT_OK(
            stoa_parse_list("columns", text, &names, &query->arena, &items, &n, err));
        query->outputs = make(query, n, sizeof *query->outputs, &status, err);
        STOA_RETURN_NOT_OK(status);
        STOA_RETURN_NOT_OK(bind_items(query, query->outputs, n, items, err));
        query->n_outputs = n;
    }
    return status;
}

/* Order ------------------------------------------------------------------------------------- */

/* Equal except for spaces: "quantile(x,0.9)" names "quantile(x, 0.9)". */
static bool same_name(const char *a, size_t length, const char *b)
{
    const char *end = a + length;

    for (;; a++, b++) {
        while (a < end && *a == ' ') {
            a++;
        }
        while (*b == ' ') {
            b++;
        }
        if (a == end || *b == '\0' || *a != *b) {
            return a == end && *b == '\0';
        }
    }
}

static size_t find_output(const stoa_query *query, const char *name, size_t length)
{
    for (size_t i = 0; i < query->n_outputs; i++) {
        if (same_name(name, length, query->outputs[i].name)) {
            return i;
        }
    }
    return SIZE_MAX;
}

static bool has_name(const void *context, const char *name, size_t length)
{
    const stoa_query *query = context;

    return find_output(query, name, length) != SIZE_MAX ||
           (!query->aggregated && stoa_scope_find(&query->scope, name, length) != SIZE_MAX);
}

static stoa_status parse_orders(stoa_query *query, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_names names = {has_name, query, &query->parameters};
    stoa_item *items = NULL;
    size_t n = 0;

    if (query->options.sort == NULL) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(
        stoa_parse_list("sort", query->options.sort, &names, &query->arena, &items, &n, err));
    query->orders = make(query, n, sizeof *query->orders, &status, err);
    STOA_RETURN_NOT_OK(status);
    query->descending = make(query, n, sizeof *query->descending, &status, err);
    STOA_RETURN_NOT_OK(status);
    for (size_t i = 0; i < n; i++) {
        query->descending[i] = items[i].descending;
        query->orders[i].item = &items[i];
        query->orders[i].output = stoa_has_fresh_value(items[i].syntax)
                                      ? SIZE_MAX
                                      : find_output(query, items[i].name, strlen(items[i].name));
    }
    query->n_orders = n;
    return STOA_OK;
}

static stoa_status bind_order(stoa_query *query, stoa_order *order, stoa_error *err)
{
    const stoa_binder binder = binder_of(query);
    const stoa_output *const output =
        order->output != SIZE_MAX ? &query->outputs[order->output] : NULL;
    const stoa_expr *expr = order->of_group;

    if (!query->aggregated) {
        order->expr = output != NULL ? output->expr : NULL;
        if (order->expr == NULL) {
            STOA_RETURN_NOT_OK(stoa_bind(&binder, order->item->syntax, &order->expr, err));
        }
        expr = order->expr;
    } else if (output != NULL) {
        expr = output->expr != NULL ? output->expr : output->of_group;
    }
    if (expr->type.domain == STOA_DOMAIN_OTHER) {
        return STOA_FAIL_SYNTAX(err, STOA_ETYPE, order->item->syntax,
                                "'%s' is a list or a struct, which have no order",
                                order->item->name);
    }
    return STOA_OK;
}

/* Aggregates -------------------------------------------------------------------------------- */

static stoa_status check_keys(const stoa_output *keys, size_t n, stoa_error *err)
{
    if (n > STOA_MAX_KEYS) {
        return stoa_fail(err, STOA_ERANGE,
                         "by: %zu group columns are more than the %d there can be", n,
                         STOA_MAX_KEYS);
    }
    for (size_t i = 0; i < n; i++) {
        if (keys[i].expr->type.domain == STOA_DOMAIN_OTHER) {
            return STOA_FAIL_SYNTAX(err, STOA_ETYPE, keys[i].syntax,
                                    "'%s' is a list or a struct, which makes no groups",
                                    keys[i].name);
        }
    }
    return STOA_OK;
}

/* Group keys of dictionary columns are output as texts, or as values of their labels' type. */
static void key_types(const stoa_scope *scope, stoa_output *keys, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const stoa_expr *const expr = keys[i].expr;
        const stoa_type plain = stoa_type_of_expr(expr);
        if (plain.kind == STOA_KIND_STRING || plain.kind == STOA_KIND_BINARY) {
            keys[i].type = plain;
        } else if (expr->op == STOA_OP_COLUMN) {
            keys[i].type = scope->columns[expr->column].plain;
        }
    }
}

/* The keys: those of `by`, or all that is shown where distinct rows are asked for. */
static stoa_status bind_keys(stoa_query *query, size_t n_items, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_names names = stoa_scope_names(&query->scope);
    const char *const text = query->options.distinct ? query->options.columns : query->options.by;
    stoa_item *keys = NULL;

    if (query->options.distinct && text == NULL) {
        STOA_RETURN_NOT_OK(bind_all(query, err));
        query->n_by = query->n_outputs;
        return STOA_OK;
    }
    if (text != NULL) {
        STOA_RETURN_NOT_OK(stoa_parse_list(query->options.distinct ? "columns" : "by", text, &names,
                                           &query->arena, &keys, &query->n_by, err));
    }
    query->outputs = make(query, query->n_by + n_items, sizeof *query->outputs, &status, err);
    STOA_RETURN_NOT_OK(status);
    return bind_items(query, query->outputs, query->n_by, keys, err);
}

static stoa_status bind_aggregates(stoa_query *query, stoa_error *err)
{
    const stoa_names names = {.parameters = &query->parameters};
    const stoa_syntax *having = NULL;
    stoa_item *items = NULL;
    size_t n = 0;

    if (query->options.aggregates != NULL) {
        STOA_RETURN_NOT_OK(stoa_parse_list("aggregates", query->options.aggregates, &names,
                                           &query->arena, &items, &n, err));
    }
    STOA_RETURN_NOT_OK(bind_keys(query, n, err));
    STOA_RETURN_NOT_OK(check_keys(query->outputs, query->n_by, err));
    key_types(&query->scope, query->outputs, query->n_by);
    for (size_t i = 0; i < n; i++) {
        query->outputs[query->n_by + i] =
            (stoa_output){.name = items[i].name, .syntax = items[i].syntax};
    }
    query->aggregated = true;
    query->n_outputs = query->n_by + n;
    if (query->options.having != NULL) {
        STOA_RETURN_NOT_OK(
            stoa_parse("having", query->options.having, &names, &query->arena, &having, err));
    }
    STOA_RETURN_NOT_OK(parse_orders(query, err));
    return stoa_group_outputs_bind(query, items, n, having, err);
}

/* Schemas ----------------------------------------------------------------------------------- */

/* A list within a list is output as a large list, whatever the stored types are. */
static stoa_status list_schema(const stoa_query *query, const stoa_output *output,
                               struct ArrowSchema *out, stoa_error *err)
{
    const struct ArrowSchema *field = stoa_expr_field(&query->scope, output->expr);

    STOA_RETURN_NOT_OK(stoa_schema_make(out, output->name, "+L", err));
    STOA_RETURN_NOT_OK(stoa_schema_children(out, 1, err));
    return stoa_schema_copy(field->children[0], out->children[0], err);
}

/* A group key keeps the units and the description of its column, and an aggregate of values the
 * units. Times are counted in units of their own. */
static stoa_status keep_notes(const stoa_query *query, const stoa_output *output,
                              struct ArrowSchema *field, stoa_error *err)
{
    static const char *const notes[] = {"units", "units_vocabulary", "description"};
    const stoa_expr *const expr = output->expr;
    const bool is_key = expr != NULL && expr->op == STOA_OP_COLUMN;
    const size_t column = is_key                      ? expr->column
                          : output->aggregate != NULL ? output->aggregate->column
                                                      : SIZE_MAX;

    if (column == SIZE_MAX || stoa_kind_is_ticks(output->type.kind) ||
        stoa_kind_is_ticks(query->scope.columns[column].type.kind)) {
        return STOA_OK;
    }
    for (size_t i = 0; i < (is_key ? 3 : 2); i++) {
        char *text = NULL;
        STOA_RETURN_NOT_OK(
            stoa_schema_get_text(query->scope.columns[column].schema, notes[i], &text, err));
        const stoa_status status =
            text != NULL ? stoa_schema_set(field, notes[i], text, err) : STOA_OK;
        free(text);
        STOA_RETURN_NOT_OK(status);
    }
    return STOA_OK;
}

/* The schema as in the query's own batches (`coded`), or as the caller sees it. */
static stoa_status output_schema(const stoa_query *query, const stoa_output *output, bool coded,
                                 struct ArrowSchema *out, stoa_error *err)
{
    const stoa_expr *expr = output->expr;
    const stoa_column *text = coded ? NULL : stoa_output_text(query, output);

    if (expr != NULL && stoa_expr_is_lists(expr)) {
        return list_schema(query, output, out, err);
    }
    if (query->aggregated || expr == NULL || expr->op != STOA_OP_COLUMN) {
        STOA_RETURN_NOT_OK(output->aggregate != NULL
                               ? stoa_aggregate_schema(output->aggregate, output->name, out, err)
                               : stoa_schema_make_type(out, output->name, &output->type, err));
        return query->aggregated ? keep_notes(query, output, out, err) : STOA_OK;
    }
    /* A column that is output unchanged keeps its units and description. */
    STOA_RETURN_NOT_OK(text != NULL
                           ? stoa_column_schema(text, out, err)
                           : stoa_schema_copy(query->scope.columns[expr->column].schema, out, err));
    return stoa_schema_rename(out, output->name, err);
}

static stoa_status key_schema(const stoa_query *query, const stoa_order *order,
                              struct ArrowSchema *out, stoa_error *err)
{
    if (order->of_group != NULL && order->of_group->op == STOA_OP_COLUMN) {
        return stoa_schema_copy(query->group_schema.children[order->of_group->column], out, err);
    }
    if (order->of_group == NULL && query->aggregated) {
        return stoa_schema_copy(query->schema.children[order->output], out, err);
    }
    if (order->of_group != NULL) {
        const stoa_type type = stoa_type_of_expr(order->of_group);
        return stoa_schema_make_type(out, "", &type, err);
    }
    if (order->expr->op == STOA_OP_COLUMN) {
        return stoa_schema_copy(query->scope.columns[order->expr->column].schema, out, err);
    }
    const stoa_type type = stoa_type_of_expr(order->expr);
    return stoa_schema_make_type(out, "", &type, err);
}

/* A struct of n columns, to be filled in, followed by the sort keys. */
static stoa_status make_sort_schema(const stoa_query *query, int64_t n, struct ArrowSchema *out,
                                    stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_schema_make(out, "", "+s", err));
    STOA_RETURN_NOT_OK(stoa_schema_children(out, n + (int64_t)query->n_orders, err));
    for (size_t i = 0; i < query->n_orders; i++) {
        STOA_RETURN_NOT_OK(
            key_schema(query, &query->orders[i], out->children[n + (int64_t)i], err));
    }
    return STOA_OK;
}

static stoa_status make_schemas(stoa_query *query, stoa_error *err)
{
    const int64_t n = (int64_t)query->n_outputs;

    STOA_RETURN_NOT_OK(stoa_schema_make(&query->schema, "", "+s", err));
    STOA_RETURN_NOT_OK(stoa_schema_children(&query->schema, n, err));
    for (int64_t i = 0; i < n; i++) {
        STOA_RETURN_NOT_OK(
            output_schema(query, &query->outputs[i], false, query->schema.children[i], err));
    }
    for (size_t i = 0; !query->aggregated && i < query->table->n_metadata; i++) {
        STOA_RETURN_NOT_OK(stoa_schema_set(&query->schema, query->table->metadata[i].key,
                                           query->table->metadata[i].value, err));
    }
    if (query->n_orders > 0) {
        STOA_RETURN_NOT_OK(make_sort_schema(query, n, &query->sort_schema, err));
        for (int64_t i = 0; i < n; i++) {
            STOA_RETURN_NOT_OK(output_schema(query, &query->outputs[i], true,
                                             query->sort_schema.children[i], err));
        }
        STOA_RETURN_NOT_OK(make_sort_schema(query, 1, &query->find_schema, err));
        STOA_RETURN_NOT_OK(stoa_schema_make(query->find_schema.children[0], "row",
                                            stoa_kind_format(STOA_KIND_UINT64), err));
    }
    return STOA_OK;
}

static stoa_status mark_wanted(stoa_query *query, stoa_error *err)
{
    stoa_status status = STOA_OK;

    query->wanted = make(query, query->scope.n_columns, sizeof *query->wanted, &status, err);
    STOA_RETURN_NOT_OK(status);
    query->key_columns =
        make(query, query->scope.n_columns, sizeof *query->key_columns, &status, err);
    STOA_RETURN_NOT_OK(status);
    for (size_t i = 0; i < query->n_outputs; i++) {
        if (query->outputs[i].expr != NULL) {
            stoa_expr_columns(query->outputs[i].expr, query->wanted);
        }
    }
    for (size_t i = 0; i < query->n_aggregates; i++) {
        if (query->aggregates[i].arg != NULL) {
            (query->aggregates[i].kind->need == STOA_NEED_PRESENCE
                 ? stoa_expr_presence
                 : stoa_expr_columns)(query->aggregates[i].arg, query->wanted);
        }
        if (query->aggregates[i].by != NULL) {
            stoa_expr_columns(query->aggregates[i].by, query->wanted);
        }
    }
    for (size_t i = 0; i < query->n_orders; i++) {
        if (query->orders[i].expr != NULL) {
            stoa_expr_columns(query->orders[i].expr, query->wanted);
            stoa_expr_columns(query->orders[i].expr, query->key_columns);
        }
    }
    return status;
}

stoa_status stoa_query_bind(stoa_query *query, stoa_error *err)
{
    if (query->options.aggregates != NULL || query->options.distinct) {
        STOA_RETURN_NOT_OK(bind_aggregates(query, err));
    } else {
        STOA_RETURN_NOT_OK(bind_columns(query, err));
        STOA_RETURN_NOT_OK(parse_orders(query, err));
    }
    for (size_t i = 0; i < query->n_orders; i++) {
        STOA_RETURN_NOT_OK(bind_order(query, &query->orders[i], err));
    }
    STOA_RETURN_NOT_OK(mark_wanted(query, err));
    STOA_RETURN_NOT_OK(make_schemas(query, err));
    for (size_t i = 0; i < query->n_outputs; i++) {
        STOA_RETURN_NOT_OK(stoa_output_labels(query, &query->outputs[i], err));
    }
    return STOA_OK;
}
