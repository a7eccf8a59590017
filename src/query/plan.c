/* From a predicate to the rows that its indexes leave. */
#include "query/plan.h"

#include <stdlib.h>
#include <string.h>

/* The indexes of one column, opened when it is first asked. */
typedef struct asked_column {
    bool tried;
    stoa_index_link *links;
    size_t n_links;
    stoa_index **indexes; /* beside the links; NULL: not usable */
    size_t n_usable;
} asked_column;

typedef struct planner {
    stoa_plan *plan;
    stoa_table *table;
    const stoa_scope *scope;
    bool dry; /* only find out which columns have indexes that could help */
    stoa_pool pool;
    asked_column *columns;
} planner;

/* Indexes ----------------------------------------------------------------------------------- */

/* An index that cannot be used is said, and passed by; only a lack of memory is a failure. */
static stoa_status note_problem(planner *p, size_t column, const char *kind, stoa_status problem,
                                const stoa_error *why, stoa_error *err)
{
    if (problem == STOA_ENOMEM) {
        return stoa_fail_memory(err);
    }
    return stoa_buffer_print(&p->plan->notes, err, "note  the %s index of %s is left out: %s\n",
                             kind[0] != '\0' ? kind : "(nameless)", p->scope->columns[column].name,
                             why->message);
}

static stoa_status open_index(planner *p, size_t column, size_t i, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_error why = STOA_ERROR_INIT;
    asked_column *asked = &p->columns[column];
    const stoa_index_link *link = &asked->links[i];

    if (link->dataset < 0 || link->kind == NULL || link->kind->prune == NULL) {
        return p->dry ? STOA_OK
                      : stoa_buffer_print(&p->plan->notes, err,
                                          "note  an index of %s of kind '%s' is unknown and left "
                                          "out\n",
                                          p->scope->columns[column].name, link->kind_text);
    }
    if (!p->dry) {
        status = link->kind->open(stoa_table_column(p->table, column), link->dataset,
                                  p->plan->n_rows, &asked->indexes[i], &why);
        if (status != STOA_OK) {
            asked->indexes[i] = NULL;
            return note_problem(p, column, link->kind_text, status, &why, err);
        }
    }
    asked->n_usable++;
    return STOA_OK;
}

static stoa_status open_indexes(planner *p, size_t column, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_error why = STOA_ERROR_INIT;
    asked_column *asked = &p->columns[column];

    if (asked->tried) {
        return STOA_OK;
    }
    asked->tried = true;
    status =
        stoa_index_links(stoa_table_column(p->table, column), &asked->links, &asked->n_links, &why);
    if (status != STOA_OK) {
        return p->dry ? STOA_OK : note_problem(p, column, "search", status, &why, err);
    }
    asked->indexes = stoa_alloc_zero(asked->n_links, sizeof *asked->indexes);
    STOA_TRY(asked->indexes != NULL ? STOA_OK : stoa_fail_memory(err));
    for (size_t i = 0; i < asked->n_links; i++) {
        STOA_TRY(open_index(p, column, i, err));
    }

done:
    return status;
}

static stoa_status all_rows(const planner *p, stoa_rowset *out, stoa_error *err)
{
    out->n_ranges = 0;
    return p->plan->n_rows > 0 ? stoa_rowset_push(out, 0, p->plan->n_rows, err) : STOA_OK;
}

/* out becomes what is in both (or either) of itself and `other`. */
static stoa_status combine(stoa_rowset *out, const stoa_rowset *other, bool unite, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_rowset both = {0};

    STOA_TRY(unite ? stoa_rowset_unite(out, other, &both, err)
                   : stoa_rowset_intersect(out, other, &both, err));
    stoa_rowset_clear(out);
    *out = both;
    both = (stoa_rowset){0};

done:
    stoa_rowset_clear(&both);
    return status;
}

/* What the column's indexes leave of the rows, for one test. */
static stoa_status prune(planner *p, const stoa_ask *ask, stoa_rowset *out, bool *known,
                         stoa_error *err)
{
    stoa_status status = STOA_OK;
    const asked_column *asked = &p->columns[ask->column];
    stoa_rowset candidates = {0};
    stoa_rowset certain = {0};

    STOA_TRY(all_rows(p, out, err));
    *known = p->dry;
    for (size_t i = 0; !p->dry && i < asked->n_links; i++) {
        stoa_error why = STOA_ERROR_INIT;
        if (asked->indexes[i] == NULL) {
            continue;
        }
        status =
            asked->links[i].kind->prune(asked->indexes[i], &ask->test, &candidates, &certain, &why);
        if (status != STOA_OK) {
            STOA_TRY(note_problem(p, ask->column, asked->links[i].kind_text, status, &why, err));
            continue;
        }
        STOA_TRY(combine(out, &candidates, false, err));
        *known = true;
    }

done:
    stoa_rowset_clear(&candidates);
    stoa_rowset_clear(&certain);
    return status;
}

/* Predicates -------------------------------------------------------------------------------- */

/* Rows for which the expression may be `wanted`; all of them where that is not known. */
static stoa_status narrow(planner *p, const stoa_expr *expr, bool wanted, stoa_rowset *out,
                          bool *known, stoa_error *err);

/* `a and b` is true where both are and false where either is; for `or` the other way round. Of rows
 * that must satisfy all, one that is known helps; of rows that may satisfy any, all must be known.
 */
static stoa_status narrow_logic(planner *p, const stoa_expr *expr, bool wanted, stoa_rowset *out,
                                bool *known, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const bool unite = (expr->op == STOA_OP_OR) == wanted;
    stoa_rowset part = {0};

    *known = unite;
    if (unite) {
        out->n_ranges = 0;
    } else {
        STOA_TRY(all_rows(p, out, err));
    }
    for (size_t i = 0; i < expr->n_args; i++) {
        bool part_known;
        STOA_TRY(narrow(p, expr->args[i], wanted, &part, &part_known, err));
        STOA_TRY(combine(out, &part, unite, err));
        *known = unite ? *known && part_known : *known || part_known;
        if (unite && !part_known) {
            break; /* all rows */
        }
    }

done:
    stoa_rowset_clear(&part);
    return status;
}

static stoa_status narrow_leaf(planner *p, const stoa_expr *expr, bool wanted, stoa_rowset *out,
                               bool *known, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_ask ask;

    STOA_TRY(stoa_ask_of(p->scope, p->table, expr, wanted, &p->pool, &ask, known, err));
    if (*known) {
        STOA_TRY(open_indexes(p, ask.column, err));
        *known = p->columns[ask.column].n_usable > 0;
    }
    if (*known) {
        STOA_TRY(prune(p, &ask, out, known, err));
    } else {
        STOA_TRY(all_rows(p, out, err));
    }

done:
    return status;
}

static stoa_status narrow(planner *p, const stoa_expr *expr, bool wanted, stoa_rowset *out,
                          bool *known, stoa_error *err)
{
    switch (expr->op) {
    case STOA_OP_AND:
    case STOA_OP_OR:
        return narrow_logic(p, expr, wanted, out, known, err);
    case STOA_OP_NOT:
        return narrow(p, expr->args[0], !wanted, out, known, err);
    case STOA_OP_CONSTANT:
        *known = true;
        out->n_ranges = 0;
        return !stoa_expr_is_null(expr) && (expr->value.as.bits[0] & 1) == wanted
                   ? all_rows(p, out, err)
                   : STOA_OK;
    default:
        return narrow_leaf(p, expr, wanted, out, known, err);
    }
}

/* The plan ---------------------------------------------------------------------------------- */

uint64_t stoa_plan_chunks(const stoa_rowset *rows, uint64_t chunk_rows)
{
    uint64_t n = 0;
    uint64_t next = 0;

    for (size_t i = 0; i < rows->n_ranges; i++) {
        const uint64_t low = rows->ranges[i].first / chunk_rows;
        const uint64_t high = (rows->ranges[i].first + rows->ranges[i].count - 1) / chunk_rows + 1;
        n += high > next ? high - (low > next ? low : next) : 0;
        next = high > next ? high : next;
    }
    return n;
}

/* "13 of 49 chunks, 53248 of 200000 rows" */
static stoa_status note_candidates(const stoa_plan *plan, stoa_buffer *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const uint64_t chunk = plan->chunk_rows;

    if (chunk != 0) {
        STOA_TRY(stoa_buffer_print(out, err, "%llu of %llu chunks, ",
                                   (unsigned long long)stoa_plan_chunks(&plan->rows, chunk),
                                   (unsigned long long)((plan->n_rows + chunk - 1) / chunk)));
    }
    STOA_TRY(stoa_buffer_print(out, err, "%llu of %llu rows\n",
                               (unsigned long long)stoa_rowset_count(&plan->rows),
                               (unsigned long long)plan->n_rows));

done:
    return status;
}

/* A line for each index that was asked; what they leave together ends the last one. */
static stoa_status note_indexes(planner *p, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_plan *plan = p->plan;

    for (size_t c = 0; c < p->scope->n_columns; c++) {
        const asked_column *asked = &p->columns[c];
        for (size_t i = 0; i < asked->n_links && asked->indexes != NULL; i++) {
            if (asked->indexes[i] != NULL) {
                STOA_TRY(stoa_buffer_print(&plan->notes, err, "%sindex  %s  %s",
                                           plan->narrowed ? "\n" : "", p->scope->columns[c].name,
                                           asked->links[i].kind_text));
                const uint64_t chunk_rows = stoa_table_column(p->table, c)->chunk_rows;
                plan->chunk_rows = chunk_rows > plan->chunk_rows ? chunk_rows : plan->chunk_rows;
                plan->narrowed = true;
            }
        }
    }
    if (plan->narrowed) {
        STOA_TRY(stoa_buffer_print(&plan->notes, err, ": "));
        STOA_TRY(note_candidates(plan, &plan->notes, err));
    }

done:
    return status;
}

static stoa_status make_hint(planner *p, bool known, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_buffer names = {0};

    for (size_t c = 0; known && c < p->scope->n_columns; c++) {
        if (p->columns[c].n_usable > 0) {
            STOA_TRY(stoa_buffer_print(&names, err, "%s'%s'", names.size > 0 ? ", " : "",
                                       p->scope->columns[c].name));
        }
    }
    if (names.size > 0) {
        p->plan->hint = stoa_format("indexes of %s are not used: nobody said that they can be "
                                    "trusted (HEP001 §16); 'stoa index verify' checks them, "
                                    "--trust takes them as they are",
                                    (const char *)names.data);
        STOA_TRY(p->plan->hint != NULL ? STOA_OK : stoa_fail_memory(err));
    }

done:
    stoa_buffer_clear(&names);
    return status;
}

static void planner_clear(planner *p)
{
    for (size_t c = 0; p->columns != NULL && c < p->scope->n_columns; c++) {
        asked_column *asked = &p->columns[c];
        for (size_t i = 0; asked->indexes != NULL && i < asked->n_links; i++) {
            if (asked->indexes[i] != NULL) {
                asked->links[i].kind->close(asked->indexes[i]);
            }
        }
        free(asked->indexes);
        stoa_index_links_clear(asked->links, asked->n_links);
    }
    free(p->columns);
    stoa_pool_clear(&p->pool);
}

stoa_status stoa_plan_make(stoa_plan *plan, stoa_table *table, const stoa_scope *scope,
                           const stoa_expr *predicate, bool use_indexes, stoa_error *err)
{
    stoa_status status = STOA_OK;
    planner p = {.plan = plan, .table = table, .scope = scope, .dry = !use_indexes};
    bool known = false;

    *plan = (stoa_plan){.n_rows = stoa_table_n_rows(table)};
    STOA_TRY(all_rows(&p, &plan->rows, err));
    if (predicate == NULL) {
        goto done;
    }
    p.columns = stoa_alloc_zero(scope->n_columns, sizeof *p.columns);
    STOA_TRY(p.columns != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(narrow(&p, predicate, true, &plan->rows, &known, err));
    STOA_TRY(use_indexes ? note_indexes(&p, err) : make_hint(&p, known, err));

done:
    planner_clear(&p);
    if (status != STOA_OK) {
        stoa_plan_clear(plan);
    }
    return status;
}

void stoa_plan_clear(stoa_plan *plan)
{
    stoa_rowset_clear(&plan->rows);
    stoa_buffer_clear(&plan->notes);
    free(plan->hint);
    *plan = (stoa_plan){0};
}
