#include "query/run/group_outputs.h"

#include <stdlib.h>
#include <string.h>

#include "arrow/take.h"
#include "query/functions/functions.h"

/* Aggregates within expressions --------------------------------------------------------------- */

bool stoa_has_fresh_value(const stoa_syntax *syntax)
{
    bool has = syntax->kind == STOA_SYNTAX_PARAM && syntax->length == 1 && syntax->text[0] == '?';

    for (const stoa_syntax *arg = syntax->first; !has && arg != NULL; arg = arg->next) {
        has = stoa_has_fresh_value(arg);
    }
    return has;
}

static bool is_aggregate(const stoa_syntax *syntax)
{
    return syntax->kind == STOA_SYNTAX_CALL &&
           stoa_aggregate_find(syntax->text, syntax->length) != NULL;
}

static size_t count_aggregates(const stoa_syntax *syntax)
{
    size_t n = 0;

    if (is_aggregate(syntax)) {
        return 1;
    }
    for (const stoa_syntax *arg = syntax->first; arg != NULL; arg = arg->next) {
        n += count_aggregates(arg);
    }
    return n;
}

/* The calls of aggregates so far; each is a column of the groups behind the keys. */
typedef struct calls {
    const stoa_syntax **items;
    size_t n;
    const stoa_item *named; /* what the names of `having` and `sort` may mean; NULL: none */
    size_t n_named;
} calls;

static bool is_same_call(const stoa_syntax *a, const stoa_syntax *b)
{
    const size_t length = a->end - a->start;

    return a == b || (length == b->end - b->start &&
                      memcmp(a->source + a->start, b->source + b->start, length) == 0 &&
                      !stoa_has_fresh_value(a));
}

/* The number of a call; it is added if it is new. */
static size_t number_call(calls *all, const stoa_syntax *call)
{
    size_t i = 0;

    while (i < all->n && !is_same_call(all->items[i], call)) {
        i++;
    }
    if (i == all->n) {
        all->items[all->n++] = call;
    }
    return i;
}

static bool is_called(const stoa_syntax *syntax, const char *name)
{
    return strlen(name) == syntax->length && memcmp(name, syntax->text, syntax->length) == 0;
}

/* The entry that a name stands for in `having` or `sort`; NULL if it is a group column, or nothing.
 */
static const stoa_item *find_named(const stoa_query *query, const calls *all,
                                   const stoa_syntax *syntax)
{
    if (syntax->kind != STOA_SYNTAX_NAME) {
        return NULL;
    }
    for (size_t i = 0; all->named != NULL && i < query->n_by; i++) {
        if (is_called(syntax, query->outputs[i].name)) {
            return NULL;
        }
    }
    for (size_t i = 0; all->named != NULL && i < all->n_named; i++) {
        if (all->named[i].has_alias && is_called(syntax, all->named[i].name)) {
            return &all->named[i];
        }
    }
    return NULL;
}

/* Copy a tree, with columns of the groups in place of the calls of aggregates. */
static stoa_status replace_calls(stoa_query *query, calls *all, const stoa_syntax *from,
                                 stoa_syntax **out, stoa_error *err)
{
    stoa_syntax *copy = stoa_arena_alloc(&query->arena, 1, sizeof *copy);

    const stoa_item *const named = find_named(query, all, from);

    STOA_RETURN_NO_MEMORY(err, copy);
    if (named != NULL) {
        calls inner = {all->items, all->n, NULL, 0};
        STOA_RETURN_NOT_OK(replace_calls(query, &inner, named->syntax, out, err));
        all->n = inner.n; /* as before: the entry's calls are numbered already */
        return STOA_OK;
    }
    *copy = *from;
    *out = copy;
    copy->next = NULL;
    if (is_aggregate(from)) {
        copy->kind = STOA_SYNTAX_COLUMN;
        copy->column = query->n_by + number_call(all, from);
        copy->first = copy->last = NULL;
        copy->n_args = 0;
        return STOA_OK;
    }
    if (from->kind == STOA_SYNTAX_CALL &&
        stoa_function_next(from->text, from->length, NULL) == NULL) {
        return STOA_FAIL_SYNTAX(err, STOA_ESYNTAX, from,
                                "%.*s() is no aggregate and no function; stoa functions lists both",
                                (int)from->length, from->text);
    }
    copy->first = copy->last = NULL;
    for (const stoa_syntax *arg = from->first; arg != NULL; arg = arg->next) {
        stoa_syntax *own = NULL;
        STOA_RETURN_NOT_OK(replace_calls(query, all, arg, &own, err));
        *(copy->last != NULL ? &copy->last->next : &copy->first) = own;
        copy->last = own;
    }
    return STOA_OK;
}

/* Binding ------------------------------------------------------------------------------------- */

static stoa_status bind_calls(stoa_query *query, const calls *all, stoa_error *err)
{
    const stoa_binder binder = {&query->scope, &query->arena};

    query->aggregates = stoa_arena_zero(&query->arena, all->n, sizeof *query->aggregates);
    STOA_RETURN_NO_MEMORY(err, query->aggregates != NULL || all->n == 0);
    for (size_t i = 0; i < all->n; i++) {
        STOA_RETURN_NOT_OK(stoa_aggregate_bind(&binder, all->items[i], &query->aggregates[i], err));
    }
    query->n_aggregates = all->n;
    return stoa_aggregates_share(query->aggregates, all->n, err);
}

/* The scope of the groups: the keys by their names, and the aggregates, which have none. */
static stoa_status open_scope(stoa_query *query, stoa_error *err)
{
    const size_t n = query->n_by + query->n_aggregates;
    struct ArrowSchema *const schema = &query->group_schema;

    STOA_RETURN_NOT_OK(stoa_schema_make(schema, "", "+s", err));
    STOA_RETURN_NOT_OK(stoa_schema_children(schema, (int64_t)n, err));
    for (size_t i = 0; i < n; i++) {
        const stoa_output *const key = i < query->n_by ? &query->outputs[i] : NULL;
        STOA_RETURN_NOT_OK(
            key != NULL ? stoa_schema_make_type(schema->children[i], key->name, &key->type, err)
                        : stoa_aggregate_schema(&query->aggregates[i - query->n_by], "",
                                                schema->children[i], err));
    }
    STOA_RETURN_NOT_OK(stoa_scope_open(schema, &query->arena, &query->group_scope, err));
    query->group_scope.parameters = &query->parameters;
    query->group_scope.is_of_groups = true;
    return STOA_OK;
}

/* Bind the sort keys that are no outputs. */
static stoa_status bind_orders(stoa_query *query, stoa_syntax *const *trees, stoa_error *err)
{
    const stoa_binder binder = {&query->group_scope, &query->arena};

    for (size_t i = 0; i < query->n_orders; i++) {
        if (trees[i] != NULL) {
            STOA_RETURN_NOT_OK(stoa_bind(&binder, trees[i], &query->orders[i].of_group, err));
        }
    }
    return STOA_OK;
}

stoa_status stoa_group_outputs_bind(stoa_query *query, const stoa_item *items, size_t n_items,
                                    const stoa_syntax *having, stoa_error *err)
{
    const stoa_binder binder = {&query->group_scope, &query->arena};
    stoa_syntax **trees =
        stoa_arena_zero(&query->arena, n_items + 1 + query->n_orders, sizeof *trees);
    stoa_syntax **const order_trees = trees + n_items + 1;
    calls all = {0};
    size_t n_calls = having != NULL ? count_aggregates(having) : 0;

    STOA_RETURN_NO_MEMORY(err, trees);
    for (size_t i = 0; i < n_items; i++) {
        n_calls += count_aggregates(items[i].syntax);
    }
    for (size_t i = 0; i < query->n_orders; i++) {
        n_calls += count_aggregates(query->orders[i].item->syntax);
    }
    all.items = stoa_arena_alloc(&query->arena, n_calls + 1, sizeof *all.items);
    STOA_RETURN_NO_MEMORY(err, all.items);
    for (size_t i = 0; i < n_items; i++) {
        STOA_RETURN_NOT_OK(replace_calls(query, &all, items[i].syntax, &trees[i], err));
    }
    all.named = items;
    all.n_named = n_items;
    if (having != NULL) {
        STOA_RETURN_NOT_OK(replace_calls(query, &all, having, &trees[n_items], err));
    }
    for (size_t i = 0; i < query->n_orders; i++) {
        const stoa_order *const order = &query->orders[i];
        if (order->output == SIZE_MAX) {
            STOA_RETURN_NOT_OK(
                replace_calls(query, &all, order->item->syntax, &order_trees[i], err));
        }
    }
    STOA_RETURN_NOT_OK(bind_calls(query, &all, err));
    STOA_RETURN_NOT_OK(open_scope(query, err));
    for (size_t i = 0; i < n_items; i++) {
        stoa_output *const output = &query->outputs[query->n_by + i];
        const bool is_call = trees[i]->kind == STOA_SYNTAX_COLUMN;
        STOA_RETURN_NOT_OK(stoa_bind(&binder, trees[i], &output->of_group, err));
        output->aggregate = is_call ? &query->aggregates[trees[i]->column - query->n_by] : NULL;
        output->type = is_call ? output->aggregate->type : stoa_type_of_expr(output->of_group);
    }
    STOA_RETURN_NOT_OK(bind_orders(query, order_trees, err));
    return having != NULL ? stoa_bind_predicate(&binder, trees[n_items], &query->having, err)
                          : STOA_OK;
}

/* Evaluation ---------------------------------------------------------------------------------- */

/* The groups of a window that pass `having`, as rows of the batch. */
static stoa_status find_passing(const stoa_query *query, stoa_evaluation *ev, int64_t *rows,
                                int64_t *n, stoa_error *err)
{
    uint8_t selected[STOA_WINDOW_ROWS / 8] = {0};
    int64_t n_selected = 0;

    STOA_RETURN_NOT_OK(stoa_eval_filter(ev, query->having, selected, &n_selected, err));
    for (int64_t i = 0; i < ev->n; i++) {
        if (stoa_bit_get(selected, (uint64_t)i)) {
            rows[(*n)++] = ev->first + i;
        }
    }
    return STOA_OK;
}

/* Keep the groups for which `having` is true. */
static stoa_status keep_passing(const stoa_query *query, stoa_evaluation *ev, stoa_view *views,
                                struct ArrowArray *groups, stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowArray kept = {0};
    int64_t *rows = stoa_alloc((size_t)groups->length + 1, sizeof *rows);
    int64_t n = 0;

    STOA_TRY(rows != NULL ? STOA_OK : stoa_fail_memory(err));
    for (int64_t first = 0; first < groups->length; first += STOA_WINDOW_ROWS) {
        const int64_t left = groups->length - first;
        stoa_evaluation_move(ev, views, first, left < STOA_WINDOW_ROWS ? left : STOA_WINDOW_ROWS);
        STOA_TRY(find_passing(query, ev, rows, &n, err));
    }
    STOA_TRY(stoa_struct_of(n, (size_t)groups->n_children, &kept, err));
    for (int64_t i = 0; i < groups->n_children; i++) {
        STOA_TRY(stoa_take_rows(&views[i], rows, n, kept.children[i], err));
    }
    stoa_array_release(groups);
    *groups = kept;
    kept = (struct ArrowArray){0};

done:
    stoa_array_release(&kept);
    free(rows);
    return status;
}

static stoa_status view_groups(const stoa_query *query, const struct ArrowArray *groups,
                               stoa_view *views, stoa_error *err)
{
    for (int64_t i = 0; i < groups->n_children; i++) {
        STOA_RETURN_NOT_OK(stoa_view_of_sound(query->group_schema.children[i], groups->children[i],
                                              &views[i], err));
    }
    return STOA_OK;
}

static stoa_status make_values(stoa_evaluation *ev, const stoa_expr *expr, const stoa_type *type,
                               const struct ArrowArray *groups, struct ArrowArray *out,
                               stoa_error *err)
{
    stoa_vector values;

    if (expr->op == STOA_OP_COLUMN) {
        return stoa_array_share(groups->children[expr->column], out, err);
    }
    STOA_RETURN_NOT_OK(stoa_eval(ev, expr, &values, err));
    return stoa_emit(&values, type, out, err);
}

/* Evaluate the expressions, for the groups that pass. */
static stoa_status compute(stoa_query *query, struct ArrowArray *groups, struct ArrowArray *out,
                           stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_evaluation ev = {0};
    stoa_view *views = stoa_alloc(query->group_scope.n_columns, sizeof *views);

    STOA_TRY(views != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_evaluation_open(&ev, &query->group_scope, err));
    STOA_TRY(view_groups(query, groups, views, err));
    if (query->having != NULL) {
        STOA_TRY(keep_passing(query, &ev, views, groups, err));
        STOA_TRY(view_groups(query, groups, views, err));
    }
    STOA_TRY(stoa_struct_of(groups->length, query->n_outputs + query->n_orders, out, err));
    stoa_evaluation_move(&ev, views, 0, groups->length);
    for (size_t i = 0; i < query->n_outputs; i++) {
        const stoa_output *const output = &query->outputs[i];
        STOA_TRY(i < query->n_by ? stoa_array_share(groups->children[i], out->children[i], err)
                                 : make_values(&ev, output->of_group, &output->type, groups,
                                               out->children[i], err));
    }
    for (size_t i = 0; i < query->n_orders; i++) {
        const stoa_expr *const expr = query->orders[i].of_group;
        if (expr != NULL) {
            const stoa_type type = stoa_type_of_expr(expr);
            STOA_TRY(
                make_values(&ev, expr, &type, groups, out->children[query->n_outputs + i], err));
        }
    }

done:
    stoa_evaluation_clear(&ev);
    free(views);
    return status;
}

/* Whether the outputs are the groups' own columns, in their order. */
static bool are_own(const stoa_query *query)
{
    bool are = query->having == NULL && query->n_outputs == query->n_by + query->n_aggregates;

    for (size_t i = query->n_by; are && i < query->n_outputs; i++) {
        const stoa_expr *const expr = query->outputs[i].of_group;
        are = expr->op == STOA_OP_COLUMN && expr->column == i;
    }
    for (size_t i = 0; are && i < query->n_orders; i++) {
        are = query->orders[i].of_group == NULL;
    }
    return are;
}

static stoa_status share_all(const stoa_query *query, const struct ArrowArray *groups,
                             struct ArrowArray *out, stoa_error *err)
{
    STOA_RETURN_NOT_OK(
        stoa_struct_of(groups->length, query->n_outputs + query->n_orders, out, err));
    for (size_t i = 0; i < query->n_outputs; i++) {
        STOA_RETURN_NOT_OK(stoa_array_share(groups->children[i], out->children[i], err));
    }
    return STOA_OK;
}

stoa_status stoa_group_outputs_make(stoa_query *query, struct ArrowArray *groups,
                                    struct ArrowArray *out, stoa_error *err)
{
    const stoa_status status =
        are_own(query) ? share_all(query, groups, out, err) : compute(query, groups, out, err);

    stoa_array_release(groups);
    return status;
}
