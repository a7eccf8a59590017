/*
 * The conditions that `and` joins are bound again, to the columns of each part, and asked one by
 * one. A condition that a part cannot answer removes nothing: it lacks the column, or the condition
 * names where rows come from.
 */
#include "query/run/prune_parts.h"

#include <stdlib.h>
#include <stoa/index.h>

#include "table/open/table.h"

typedef struct pruning {
    stoa_query *query;
    stoa_rowset left;   /* rows of all parts that may pass */
    size_t n_asked;     /* parts whose indexes were asked */
    size_t n_left;      /* of them, those with rows left */
    size_t n_untrusted; /* parts with indexes that are not trusted */
} pruning;

/* A table with the columns that conditions are bound to. */
typedef struct part {
    stoa_table *table;
    struct ArrowSchema schema;
    stoa_scope scope;
    stoa_arena arena;
    stoa_rowset rows; /* that may pass */
    bool is_trusted;
    bool is_asked;
    bool would_help;
} part;

static bool is_trusted(const stoa_query_options *options, const stoa_table *table)
{
    uint64_t generation = 0;

    if (options->use_indexes) {
        return true;
    }
    const bool has = stoa_trust_generation(table->group, table->path, &generation);
    return stoa_trust_get(table->file, table->path, has ? &generation : NULL) == STOA_TRUST_HOLDS;
}

/* Ask about one condition. */
static stoa_status ask(pruning *p, part *at, const stoa_syntax *syntax, stoa_error *err)
{
    const stoa_binder binder = {&at->scope, &at->arena};
    stoa_status status = STOA_OK;
    stoa_error ignored = STOA_ERROR_INIT;
    stoa_plan plan = {.n_rows = 0};
    stoa_expr *predicate = NULL;

    status = stoa_bind_predicate(&binder, syntax, &predicate, &ignored);
    if (status != STOA_OK) {
        return status == STOA_ENOMEM ? stoa_fail_memory(err) : STOA_OK;
    }
    const stoa_plan_request request = {
        .predicate = predicate,
        .rows = {0, UINT64_MAX},
        .use_indexes = at->is_trusted,
        .n_threads = p->query->options.threads,
        .order_column = SIZE_MAX,
        .limit = UINT64_MAX,
    };
    STOA_RETURN_NOT_OK(stoa_plan_make(&plan, at->table, &at->scope, &request, err));
    at->is_asked = at->is_asked || plan.has_asked;
    at->would_help = at->would_help || (!at->is_trusted && plan.hint != NULL);
    status = stoa_rowset_combine(&at->rows, &plan.rows, false, err);
    stoa_plan_clear(&plan);
    return status;
}

static stoa_status ask_all(pruning *p, part *at, const stoa_syntax *where, stoa_error *err)
{
    if (where->kind != STOA_SYNTAX_AND) {
        return ask(p, at, where, err);
    }
    for (const stoa_syntax *one = where->first; one != NULL; one = one->next) {
        STOA_RETURN_NOT_OK(ask_all(p, at, one, err));
    }
    return STOA_OK;
}

static stoa_status prune(pruning *p, size_t k, const stoa_syntax *where, stoa_error *err)
{
    const stoa_table_parts *const parts = p->query->table->parts;
    const stoa_table_part *const is = &parts->items[k];
    stoa_status status = STOA_OK;
    part at = {.table = NULL};

    if (!is->has_indexes || is->n_rows == 0) {
        return stoa_rowset_push(&p->left, is->first, is->n_rows, err);
    }
    STOA_TRY(parts->open(parts->context, k, &at.table, err));
    STOA_TRY(stoa_rowset_push(&at.rows, 0, is->n_rows, err));
    if (stoa_table_n_rows(at.table) == is->n_rows) {
        at.is_trusted = is_trusted(&p->query->options, at.table);
        STOA_TRY(stoa_scope_of_table(at.table, &at.schema, &at.arena, &at.scope, err));
        at.scope.parameters = &p->query->parameters;
        at.scope.aliases = p->query->scope.aliases;
        at.scope.n_aliases = p->query->scope.n_aliases;
        STOA_TRY(ask_all(p, &at, where, err));
    }
    for (size_t i = 0; i < at.rows.n_ranges; i++) {
        STOA_TRY(stoa_rowset_push(&p->left, is->first + at.rows.ranges[i].first,
                                  at.rows.ranges[i].count, err));
    }
    p->n_asked += at.is_asked;
    p->n_left += at.is_asked && at.rows.n_ranges > 0;
    p->n_untrusted += at.would_help;

done:
    stoa_rowset_clear(&at.rows);
    stoa_schema_release(&at.schema);
    stoa_arena_clear(&at.arena);
    return status;
}

static stoa_status note(const pruning *p, stoa_error *err)
{
    stoa_plan *const plan = &p->query->plan;

    if (p->n_untrusted > 0 && plan->hint == NULL) {
        plan->hint = stoa_format("indexes of %zu of %zu tables are not used, because they have not "
                                 "been verified (HEP001 §16); 'stoa index verify' checks them, "
                                 "--trust uses them as they are",
                                 p->n_untrusted, p->query->table->parts->n);
        STOA_RETURN_NO_MEMORY(err, plan->hint);
    }
    if (p->n_asked == 0) {
        return STOA_OK;
    }
    return stoa_buffer_print(&plan->notes, err,
                             "index  %zu of %zu tables have rows left; their indexes were asked\n"
                             "rows  %llu of %llu rows\n",
                             p->n_left, p->n_asked,
                             (unsigned long long)stoa_rowset_count(&plan->rows),
                             (unsigned long long)plan->n_rows);
}

stoa_status stoa_query_prune_parts(stoa_query *query, const stoa_syntax *where, stoa_error *err)
{
    stoa_status status = STOA_OK;
    pruning p = {.query = query};

    for (size_t k = 0; k < query->table->parts->n; k++) {
        STOA_TRY(prune(&p, k, where, err));
    }
    STOA_TRY(stoa_rowset_combine(&query->plan.rows, &p.left, false, err));
    STOA_TRY(note(&p, err));

done:
    stoa_rowset_clear(&p.left);
    return status;
}
