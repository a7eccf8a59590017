/* Builds the tree of an index filter, estimates it, and evaluates the cheapest parts first. */
#include "query/plan/index_filter.h"

#include <stdlib.h>

static size_t n_args(const stoa_index_filter *branch)
{
    return branch->args.size / sizeof(stoa_index_filter *);
}

static stoa_index_filter **args_of(const stoa_index_filter *branch)
{
    return (stoa_index_filter **)(void *)branch->args.data;
}

void stoa_index_filter_clear(stoa_index_filter *branch)
{
    for (size_t i = 0; branch != NULL && i < n_args(branch); i++) {
        stoa_index_filter_clear(args_of(branch)[i]);
    }
    if (branch != NULL) {
        stoa_buffer_clear(&branch->args);
    }
}

/* Building ---------------------------------------------------------------------------------- */

typedef struct growing {
    stoa_lookup *lookup;
    stoa_arena *arena;
} growing;

/* Make the branch for the rows for which the expression is `wanted`. */
static stoa_status grow(const growing *g, const stoa_expr *expr, bool wanted,
                        stoa_index_filter **out, stoa_error *err);

/* Combine tests of one column that must all hold into one test. */
static stoa_status merge_ask(const growing *g, stoa_index_filter *branch,
                             const stoa_index_filter *part, bool *merged, stoa_error *err)
{
    *merged = false;
    for (size_t i = 0; part->kind == STOA_INDEX_FILTER_ASK && i < n_args(branch); i++) {
        stoa_index_filter *other = args_of(branch)[i];
        if (other->kind == STOA_INDEX_FILTER_ASK && other->ask.column == part->ask.column) {
            return stoa_index_predicate_and(g->arena, &other->ask, &part->ask, merged, err);
        }
    }
    return STOA_OK;
}

/* Add `part` to the branch. The branch owns it afterwards, or it is cleared, even on failure. */
static stoa_status add_part(const growing *g, stoa_index_filter *branch, stoa_index_filter *part,
                            stoa_error *err)
{
    stoa_status status = STOA_OK;
    bool merged = false;

    if (part->kind == branch->kind) { /* such as (a and b) and c */
        for (; n_args(part) > 0 && status == STOA_OK;) {
            part->args.size -= sizeof(stoa_index_filter *);
            status = add_part(g, branch, args_of(part)[n_args(part)], err);
        }
        stoa_index_filter_clear(part);
        return status;
    }
    if (branch->kind == STOA_INDEX_FILTER_EVERY) {
        STOA_TRY(merge_ask(g, branch, part, &merged, err));
    }
    if (!merged) {
        part->place = n_args(branch);
        STOA_TRY(stoa_buffer_append(&branch->args, &part, sizeof(stoa_index_filter *), err));
        part = NULL;
    }

done:
    stoa_index_filter_clear(part);
    return status;
}

/* `a and b` is true if both are true, and false if either is false. For `or` it is the other way
 * round. */
static stoa_status grow_logic(const growing *g, const stoa_expr *expr, bool wanted,
                              stoa_index_filter *branch, stoa_error *err)
{
    branch->kind =
        (expr->op == STOA_OP_OR) == wanted ? STOA_INDEX_FILTER_SOME : STOA_INDEX_FILTER_EVERY;
    for (size_t i = 0; i < expr->n_args; i++) {
        stoa_index_filter *part = NULL;
        STOA_RETURN_NOT_OK(grow(g, expr->args[i], wanted, &part, err));
        STOA_RETURN_NOT_OK(add_part(g, branch, part, err));
    }
    return STOA_OK;
}

static stoa_status grow_ask(const growing *g, const stoa_expr *expr, bool wanted,
                            stoa_index_filter *branch, stoa_error *err)
{
    const stoa_lookup *lookup = g->lookup;
    bool known = false;

    STOA_RETURN_NOT_OK(stoa_index_predicate_of(lookup->scope, lookup->table, expr, wanted, g->arena,
                                               &branch->ask, &known, err));
    if (known) {
        STOA_RETURN_NOT_OK(stoa_lookup_column_open(g->lookup, branch->ask.column, err));
        known = lookup->columns[branch->ask.column].n_usable > 0;
    }
    branch->kind = known ? STOA_INDEX_FILTER_ASK : STOA_INDEX_FILTER_OPEN;
    return STOA_OK;
}

static stoa_status grow(const growing *g, const stoa_expr *expr, bool wanted,
                        stoa_index_filter **out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_index_filter *branch = NULL;

    *out = NULL;
    if (expr->op == STOA_OP_NOT) {
        return grow(g, expr->args[0], !wanted, out, err);
    }
    branch = stoa_arena_zero(g->arena, 1, sizeof *branch);
    STOA_TRY(branch != NULL ? STOA_OK : stoa_fail_memory(err));
    if (expr->op == STOA_OP_AND || expr->op == STOA_OP_OR) {
        STOA_TRY(grow_logic(g, expr, wanted, branch, err));
    } else if (expr->op == STOA_OP_CONSTANT) {
        branch->kind = !stoa_expr_is_null(expr) && (expr->value.as.bits[0] & 1) == wanted
                           ? STOA_INDEX_FILTER_ALL
                           : STOA_INDEX_FILTER_NONE;
    } else {
        STOA_TRY(grow_ask(g, expr, wanted, branch, err));
    }
    *out = branch;
    branch = NULL;

done:
    stoa_index_filter_clear(branch);
    return status;
}

/* Estimating -------------------------------------------------------------------------------- */

/* Fewest rows first, then in the order as written. */
static int by_expected(const void *a, const void *b)
{
    const stoa_index_filter *x = *(stoa_index_filter *const *)a;
    const stoa_index_filter *y = *(stoa_index_filter *const *)b;

    return x->expected != y->expected ? (x->expected > y->expected ? 1 : -1)
                                      : (x->place > y->place) - (x->place < y->place);
}

static stoa_status expect(const growing *g, stoa_index_filter *branch, stoa_error *err);

static stoa_status expect_parts(const growing *g, stoa_index_filter *branch, stoa_error *err)
{
    const uint64_t n_rows = g->lookup->n_rows;
    const bool every = branch->kind == STOA_INDEX_FILTER_EVERY;

    branch->expected = every ? n_rows : 0;
    branch->is_known = !every;
    branch->can_be_certain = every;
    for (size_t i = 0; i < n_args(branch); i++) {
        stoa_index_filter *part = args_of(branch)[i];
        STOA_RETURN_NOT_OK(expect(g, part, err));
        if (every) {
            branch->expected =
                part->expected < branch->expected ? part->expected : branch->expected;
            branch->is_known = branch->is_known || part->is_known;
            branch->can_be_certain = branch->can_be_certain && part->can_be_certain;
        } else {
            branch->expected += part->expected < n_rows - branch->expected
                                    ? part->expected
                                    : n_rows - branch->expected;
            branch->is_known = branch->is_known && part->is_known;
            branch->can_be_certain = branch->can_be_certain || part->can_be_certain;
        }
    }
    qsort(branch->args.data, n_args(branch), sizeof(stoa_index_filter *), by_expected);
    return STOA_OK;
}

static stoa_status expect(const growing *g, stoa_index_filter *branch, stoa_error *err)
{
    branch->expected = branch->kind == STOA_INDEX_FILTER_NONE ? 0 : g->lookup->n_rows;
    branch->is_known = branch->kind != STOA_INDEX_FILTER_OPEN;
    branch->can_be_certain = branch->is_known;
    if (branch->kind == STOA_INDEX_FILTER_EVERY || branch->kind == STOA_INDEX_FILTER_SOME) {
        STOA_RETURN_NOT_OK(expect_parts(g, branch, err));
    } else if (branch->kind == STOA_INDEX_FILTER_ASK) {
        branch->can_be_certain = branch->ask.is_exact;
        if (!g->lookup->dry) {
            STOA_RETURN_NOT_OK(stoa_lookup_expect(g->lookup, &branch->ask, g->arena,
                                                  &branch->expected_of, &branch->expected, err));
        }
        branch->is_known = stoa_lookup_can_help(g->lookup, &branch->ask);
    }
    return STOA_OK;
}

stoa_status stoa_index_filter_make(stoa_lookup *lookup, const stoa_expr *predicate,
                                   stoa_arena *arena, stoa_index_filter **branch, stoa_error *err)
{
    const growing g = {lookup, arena};

    STOA_RETURN_NOT_OK(grow(&g, predicate, true, branch, err));
    return expect(&g, *branch, err);
}

void stoa_index_filter_columns(const stoa_index_filter *branch, bool *marks)
{
    if (!branch->is_known) {
        return;
    }
    if (branch->kind == STOA_INDEX_FILTER_ASK) {
        marks[branch->ask.column] = true;
    }
    for (size_t i = 0; i < n_args(branch); i++) {
        stoa_index_filter_columns(args_of(branch)[i], marks);
    }
}

/* Answers for all rows ---------------------------------------------------------------------- */

static stoa_status mark_leaf(stoa_lookup *lookup, const stoa_expr *leaf, bool wanted,
                             stoa_index_verdicts *marked, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_arena arena = {0};
    stoa_index_predicate ask;
    bool is_known = false;
    stoa_row_bits *rows = NULL;

    STOA_TRY(stoa_index_predicate_of(lookup->scope, lookup->table, leaf, wanted, &arena, &ask,
                                     &is_known, err));
    if (is_known && lookup->columns[ask.column].n_usable > 0) {
        STOA_TRY(stoa_lookup_rows(lookup, &ask, &rows, err));
    }
    if (rows != NULL) {
        marked->parts[marked->n++] = (stoa_index_verdict){leaf, wanted, rows};
    }

done:
    stoa_arena_clear(&arena);
    return status;
}

stoa_status stoa_lookup_verdicts(stoa_lookup *lookup, const stoa_expr *predicate, bool wanted,
                                 stoa_index_verdicts *marked, stoa_error *err)
{
    if (predicate->op == STOA_OP_CONSTANT || marked->n == STOA_MAX_INDEX_VERDICTS) {
        return STOA_OK;
    }
    if (predicate->op == STOA_OP_NOT) {
        return stoa_lookup_verdicts(lookup, predicate->args[0], !wanted, marked, err);
    }
    if (predicate->op != STOA_OP_AND && predicate->op != STOA_OP_OR) {
        return mark_leaf(lookup, predicate, wanted, marked, err);
    }
    for (size_t i = 0; i < predicate->n_args; i++) {
        STOA_RETURN_NOT_OK(stoa_lookup_verdicts(lookup, predicate->args[i], wanted, marked, err));
    }
    return STOA_OK;
}

/* Evaluation -------------------------------------------------------------------------------- */

/* Intersect all parts, until no row is left. */
static stoa_status narrow_every(stoa_lookup *lookup, const stoa_index_filter *branch,
                                uint64_t n_open, stoa_rowset *candidates, stoa_rowset *certain,
                                stoa_error *err)
{
    stoa_status status = STOA_OK;
    const bool counting = lookup->counting;
    stoa_rowset may = {0};
    stoa_rowset must = {0};

    /* If one part is never certain, the others need not be certain for counting. */
    lookup->counting = counting && branch->can_be_certain;
    STOA_TRY(stoa_lookup_all(lookup, candidates, err));
    STOA_TRY(stoa_lookup_all(lookup, certain, err));
    for (size_t i = 0; i < n_args(branch) && n_open > 0; i++) {
        STOA_TRY(stoa_index_filter_narrow(lookup, args_of(branch)[i], n_open, &may, &must, err));
        STOA_TRY(stoa_rowset_take(candidates, &may, false, err));
        STOA_TRY(stoa_rowset_take(certain, &must, false, err));
        const uint64_t n_left = stoa_rowset_count(candidates);
        n_open = n_left < n_open ? n_left : n_open;
    }
    STOA_TRY(stoa_rowset_combine(certain, candidates, false, err));

done:
    lookup->counting = counting;
    stoa_rowset_clear(&may);
    stoa_rowset_clear(&must);
    return status;
}

/* Unite the parts. If one of them may be any row, the others only help to count. */
static stoa_status narrow_some(stoa_lookup *lookup, const stoa_index_filter *branch,
                               uint64_t n_open, stoa_rowset *candidates, stoa_rowset *certain,
                               stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_rowset may = {0};
    stoa_rowset must = {0};
    bool is_open = !branch->is_known;

    candidates->n_ranges = 0;
    certain->n_ranges = 0;
    /* The longest part first, since it may turn out to be all rows. */
    for (size_t i = n_args(branch); i > 0; i--) {
        const stoa_index_filter *part = args_of(branch)[i - 1];
        if (is_open && !lookup->counting) {
            STOA_TRY(part->kind == STOA_INDEX_FILTER_ASK ? stoa_lookup_skip(lookup, &part->ask, err)
                                                         : STOA_OK);
            continue;
        }
        STOA_TRY(stoa_index_filter_narrow(lookup, part, n_open, &may, &must, err));
        STOA_TRY(stoa_rowset_take(candidates, &may, true, err));
        STOA_TRY(stoa_rowset_take(certain, &must, true, err));
        is_open = is_open || stoa_rowset_count(candidates) == lookup->n_rows;
    }
    if (is_open) {
        STOA_TRY(stoa_lookup_all(lookup, candidates, err));
    }

done:
    stoa_rowset_clear(&may);
    stoa_rowset_clear(&must);
    return status;
}

stoa_status stoa_index_filter_narrow(stoa_lookup *lookup, const stoa_index_filter *branch,
                                     uint64_t n_open, stoa_rowset *candidates, stoa_rowset *certain,
                                     stoa_error *err)
{
    candidates->n_ranges = 0;
    certain->n_ranges = 0;
    switch (branch->kind) {
    case STOA_INDEX_FILTER_EVERY:
        return narrow_every(lookup, branch, n_open, candidates, certain, err);
    case STOA_INDEX_FILTER_SOME:
        return narrow_some(lookup, branch, n_open, candidates, certain, err);
    case STOA_INDEX_FILTER_ASK:
        if (!lookup->dry && branch->is_known) {
            return stoa_lookup_ask(lookup, &branch->ask, branch->expected_of, n_open, candidates,
                                   certain, err);
        }
        return stoa_lookup_all(lookup, candidates, err);
    case STOA_INDEX_FILTER_NONE:
        return STOA_OK;
    case STOA_INDEX_FILTER_ALL:
        STOA_RETURN_NOT_OK(stoa_lookup_all(lookup, certain, err));
        break;
    default:
        break;
    }
    return stoa_lookup_all(lookup, candidates, err);
}
