/*
 * Filters: which rows pass a predicate.
 *
 * A missing result does not pass, just like a false one, so two values are enough. Each part leaves
 * those rows open for which it is true (or false, under a `not`). Parts are not evaluated when no
 * row is open.
 *
 * The parts of an `and` are reordered as the scan learns their selectivity. The rows that pass do
 * not depend on the order, and errors must not either. So parts that may fail keep their place, and
 * no other part is moved past them.
 */
#include <stdlib.h>
#include <string.h>

#include "query/eval/eval.h"

struct stoa_conjunct {
    const stoa_expr *expr;
    stoa_range_predicate band; /* range of `column`, from all comparisons of an `and` with it */
    size_t column;             /* SIZE_MAX: no range */
    bool may_fail;
    double cost;   /* per row, about: bytes to read, plus the test in units of the same time */
    double tested; /* rows tested */
    double passed;
};

/* Narrowing --------------------------------------------------------------------------------- */

static uint64_t any_open(const stoa_evaluation *ev, const uint64_t *open)
{
    uint64_t any = 0;

    for (size_t i = 0; i < stoa_window_words(ev); i++) {
        any |= open[i];
    }
    return any;
}

/* Returns the number of rows that are still open. */
static int64_t keep_where(const stoa_evaluation *ev, const stoa_truth *truth, bool wanted,
                          uint64_t *open)
{
    return ev->filter->leave(truth->bits, wanted ? 0 : UINT64_MAX, truth->known,
                             stoa_window_words(ev), open);
}

/* Leave open those rows for which the predicate is `wanted` (true or false). */
static stoa_status narrow(stoa_evaluation *ev, const stoa_expr *predicate, bool wanted,
                          uint64_t *open, stoa_error *err);

/* Rows for which all operands are `wanted`. */
static stoa_status narrow_every(stoa_evaluation *ev, const stoa_expr *expr, bool wanted,
                                uint64_t *open, stoa_error *err)
{
    for (size_t i = 0; i < expr->n_args && any_open(ev, open); i++) {
        STOA_RETURN_NOT_OK(narrow(ev, expr->args[i], wanted, open, err));
    }
    return STOA_OK;
}

/* Rows for which any operand is `wanted`. */
static stoa_status narrow_some(stoa_evaluation *ev, const stoa_expr *expr, bool wanted,
                               uint64_t *open, stoa_error *err)
{
    const size_t n_words = stoa_window_words(ev);
    uint64_t *rest = stoa_arena_alloc(&ev->arena, n_words, sizeof *rest);
    uint64_t *found = stoa_arena_alloc(&ev->arena, n_words, sizeof *found);

    STOA_RETURN_NO_MEMORY(err, rest != NULL && found != NULL);
    memcpy(rest, open, n_words * sizeof *rest);
    for (size_t i = 0; i < expr->n_args && any_open(ev, rest); i++) {
        memcpy(found, rest, n_words * sizeof *found);
        STOA_RETURN_NOT_OK(narrow(ev, expr->args[i], wanted, found, err));
        for (size_t w = 0; w < n_words; w++) {
            rest[w] &= ~found[w];
        }
    }
    for (size_t w = 0; w < n_words; w++) {
        open[w] &= ~rest[w];
    }
    return STOA_OK;
}

static stoa_status narrow_let(stoa_evaluation *ev, const stoa_expr *expr, bool wanted,
                              uint64_t *open, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_vector *outer = ev->operand;
    stoa_vector operand;

    STOA_TRY(stoa_eval(ev, expr->args[0], &operand, err));
    ev->operand = &operand;
    STOA_TRY(narrow(ev, expr->args[1], wanted, open, err));

done:
    ev->operand = outer;
    return status;
}

/* A window's bits are too few for the hardware prefetcher to detect the sequence. */
static void ask_for_bits(const stoa_row_bits *rows, uint64_t row)
{
    enum { LINE_ROWS = 512 };

    for (uint64_t i = 0; i < STOA_WINDOW_ROWS && row + i < rows->n_rows; i += LINE_ROWS) {
        __builtin_prefetch(rows->bits + (row + i) / 8);
    }
}

/* The same by a bitmap that an index has for all rows. */
static stoa_status narrow_marked(stoa_evaluation *ev, const stoa_row_bits *rows, uint64_t *open,
                                 stoa_error *err)
{
    const size_t n_words = stoa_window_words(ev);
    uint64_t *bits = stoa_arena_alloc(&ev->arena, n_words, sizeof *bits);

    STOA_RETURN_NO_MEMORY(err, bits);
    bits[n_words - 1] = 0;
    stoa_copy_bits(rows->bits, (int64_t)ev->row + ev->first, ev->n, (uint8_t *)bits);
    for (size_t w = 0; w < n_words; w++) {
        open[w] &= bits[w];
    }
    ask_for_bits(rows, ev->row + (uint64_t)ev->first + (uint64_t)ev->n);
    return STOA_OK;
}

static stoa_status narrow_leaf(stoa_evaluation *ev, const stoa_expr *expr, bool wanted,
                               uint64_t *open, stoa_error *err)
{
    stoa_truth truth;
    stoa_vector verdict;
    const stoa_index_verdict *part =
        ev->row != UINT64_MAX ? stoa_index_verdicts_find(ev->marked, expr, wanted) : NULL;

    if (part != NULL) {
        return narrow_marked(ev, part->rows, open, err);
    }
    if (stoa_can_filter_stored(ev->scope, expr)) {
        STOA_RETURN_NOT_OK(stoa_filter_stored(ev, expr, open, &truth, err));
        (void)keep_where(ev, &truth, wanted, open);
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(stoa_eval(ev, expr, &verdict, err));
    STOA_RETURN_NOT_OK(stoa_vector_spread(&ev->arena, &verdict, err));
    for (size_t w = 0; w < stoa_window_words(ev); w++) {
        const size_t at = w * 8;
        const size_t n = (size_t)stoa_bit_bytes((uint64_t)ev->n) - at;
        uint64_t bits = 0;
        uint64_t known = UINT64_MAX;
        memcpy(&bits, verdict.as.bits + at, n < 8 ? n : 8);
        if (verdict.validity != NULL) {
            memcpy(&known, verdict.validity + at, n < 8 ? n : 8);
        }
        open[w] &= (wanted ? bits : ~bits) & known;
    }
    return STOA_OK;
}

static stoa_status narrow(stoa_evaluation *ev, const stoa_expr *predicate, bool wanted,
                          uint64_t *open, stoa_error *err)
{
    const stoa_arena_mark mark = stoa_arena_here(&ev->arena);

    switch (predicate->op) {
    case STOA_OP_AND:
    case STOA_OP_OR:
        STOA_RETURN_NOT_OK((predicate->op == STOA_OP_AND) == wanted
                               ? narrow_every(ev, predicate, wanted, open, err)
                               : narrow_some(ev, predicate, wanted, open, err));
        break;
    case STOA_OP_NOT:
        STOA_RETURN_NOT_OK(narrow(ev, predicate->args[0], !wanted, open, err));
        break;
    case STOA_OP_LET:
        STOA_RETURN_NOT_OK(narrow_let(ev, predicate, wanted, open, err));
        break;
    default:
        STOA_RETURN_NOT_OK(narrow_leaf(ev, predicate, wanted, open, err));
        break;
    }
    stoa_arena_reset(&ev->arena, mark);
    return STOA_OK;
}

/* Splitting a predicate --------------------------------------------------------------------- */

static double column_cost(const stoa_scope_column *column)
{
    if (stoa_scope_column_is_coded(column)) {
        return 1 + stoa_kind_width(column->type.index);
    }
    return stoa_kind_width(column->type.kind) > 0     ? stoa_kind_width(column->type.kind)
           : column->value.domain == STOA_DOMAIN_BOOL ? 0.125
                                                      : 24;
}

static double cost_of(const stoa_scope *scope, const stoa_expr *expr)
{
    const bool texts = expr->n_args > 0 && stoa_domain_is_bytes(expr->args[0]->type.domain);
    double cost = 0.5;

    if (expr->op == STOA_OP_COLUMN || expr->op == STOA_OP_DICTIONARY) {
        return column_cost(&scope->columns[expr->column]);
    }
    if (expr->op == STOA_OP_IS_NULL && expr->args[0]->op == STOA_OP_COLUMN) {
        return 0.125;
    }
    for (size_t i = 0; i < expr->n_args; i++) {
        cost += cost_of(scope, expr->args[i]);
    }
    if (expr->op == STOA_OP_LIKE || (texts && expr->op == STOA_OP_IN)) {
        cost += 200;
    } else if (expr->op == STOA_OP_LIST) {
        cost += 100; /* for items, whose number is not known */
    } else if (expr->op == STOA_OP_IN || texts) {
        cost += 16;
    }
    return cost;
}

/* One bit to read. */
static const double marked_cost = 0.125;

/* Expected selectivity before any row was tested, in percent. */
static double expected_share(const stoa_expr *expr)
{
    const bool is_equality = expr->op == STOA_OP_COMPARE && expr->compare == STOA_EQ;

    return is_equality || expr->op == STOA_OP_IS_NULL ? 5 : expr->op == STOA_OP_COMPARE ? 50 : 30;
}

static size_t count_conjuncts(const stoa_expr *expr)
{
    size_t n = 0;

    if (expr->op != STOA_OP_AND) {
        return 1;
    }
    for (size_t i = 0; i < expr->n_args; i++) {
        n += count_conjuncts(expr->args[i]);
    }
    return n;
}

/* Join a range with an earlier one on the same column. Does not look past a part that may fail. */
static bool join_band(stoa_evaluation *ev, size_t column, const stoa_range_predicate *band)
{
    for (size_t i = ev->n_conjuncts; i-- > 0 && !ev->conjuncts[i].may_fail;) {
        stoa_conjunct *other = &ev->conjuncts[i];
        if (other->column == column && !other->band.others && !band->others) {
            other->band = stoa_range_predicate_and(&other->band, band);
            other->passed *= 0.5;
            return true;
        }
    }
    return false;
}

static void add_conjuncts(stoa_evaluation *ev, const stoa_expr *expr)
{
    stoa_conjunct added = {.expr = expr, .column = SIZE_MAX, .may_fail = stoa_expr_may_fail(expr)};

    if (expr->op == STOA_OP_AND) {
        for (size_t i = 0; i < expr->n_args; i++) {
            add_conjuncts(ev, expr->args[i]);
        }
        return;
    }
    const bool is_marked = stoa_index_verdicts_find(ev->marked, expr, true) != NULL;
    if (stoa_is_range_predicate(ev->scope, expr) && !is_marked) {
        added.column = expr->args[0]->column;
        added.band = stoa_range_predicate_of(expr->compare, &expr->args[1]->value);
        if (join_band(ev, added.column, &added.band)) {
            return;
        }
    }
    const stoa_expr *asked = expr->op == STOA_OP_DICTIONARY ? expr->args[0] : expr;
    added.cost = is_marked ? marked_cost : cost_of(ev->scope, expr);
    added.tested = 100;
    added.passed = expected_share(asked);
    ev->conjuncts[ev->n_conjuncts++] = added;
}

static stoa_status split(stoa_evaluation *ev, const stoa_expr *predicate, stoa_error *err)
{
    if (ev->conjuncts_of == predicate) {
        return STOA_OK;
    }
    free(ev->conjuncts);
    ev->conjuncts_of = NULL;
    ev->n_conjuncts = 0;
    ev->conjuncts = stoa_alloc(count_conjuncts(predicate), sizeof *ev->conjuncts);
    STOA_RETURN_NO_MEMORY(err, ev->conjuncts);
    add_conjuncts(ev, predicate);
    ev->conjuncts_of = predicate;
    ev->is_new_unit = true;
    return STOA_OK;
}

/* Order ------------------------------------------------------------------------------------- */

/* Cost per row that the test rejects; tests with the least are first. */
static double rank_of(const stoa_conjunct *conjunct)
{
    const double taken = 1 - conjunct->passed / conjunct->tested;

    return conjunct->cost / (taken > 0.001 ? taken : 0.001);
}

/* Sort the parts between two that may fail. The sort is stable. */
static void order_conjuncts(stoa_evaluation *ev)
{
    for (size_t i = 0; i < ev->n_conjuncts; i++) {
        const stoa_conjunct moved = ev->conjuncts[i];
        size_t at = i;
        while (!moved.may_fail && at > 0 && !ev->conjuncts[at - 1].may_fail &&
               rank_of(&ev->conjuncts[at - 1]) > rank_of(&moved)) {
            ev->conjuncts[at] = ev->conjuncts[at - 1];
            at--;
        }
        ev->conjuncts[at] = moved;
    }
}

static stoa_status test_conjunct(stoa_evaluation *ev, const stoa_conjunct *conjunct, uint64_t *open,
                                 int64_t *n_open, stoa_error *err)
{
    const stoa_arena_mark mark = stoa_arena_here(&ev->arena);
    stoa_truth truth;

    if (conjunct->column == SIZE_MAX) {
        STOA_RETURN_NOT_OK(narrow(ev, conjunct->expr, true, open, err));
        *n_open = ev->filter->count(open, stoa_window_words(ev));
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(
        stoa_filter_stored_range(ev, conjunct->column, &conjunct->band, &truth, err));
    *n_open = keep_where(ev, &truth, true, open);
    stoa_arena_reset(&ev->arena, mark);
    return STOA_OK;
}

/* Whether some part may fail: then no other test may keep it from that. */
static bool may_fail(const stoa_evaluation *ev, const stoa_expr *predicate)
{
    bool may = false;

    for (size_t i = 0; predicate != NULL && i < ev->n_conjuncts; i++) {
        may |= ev->conjuncts[i].may_fail;
    }
    return may;
}

/* Leave open those rows that pass the threshold, if it is to be tested at this end. */
static stoa_status test_threshold(stoa_evaluation *ev, bool is_now, uint64_t *open, int64_t *n_open,
                                  stoa_error *err)
{
    const stoa_arena_mark mark = stoa_arena_here(&ev->arena);
    stoa_truth truth;

    if (ev->threshold != NULL && is_now && *n_open > 0) {
        STOA_RETURN_NOT_OK(stoa_filter_stored(ev, ev->threshold, open, &truth, err));
        *n_open = keep_where(ev, &truth, true, open);
        stoa_arena_reset(&ev->arena, mark);
    }
    return STOA_OK;
}

/* Leave open those rows that pass the parts of the predicate. */
static stoa_status test_conjuncts(stoa_evaluation *ev, uint64_t *open, int64_t *n_open,
                                  stoa_error *err)
{
    if (ev->is_new_unit) {
        order_conjuncts(ev);
        ev->is_new_unit = false;
    }
    for (size_t i = 0; i<ev->n_conjuncts && * n_open> 0; i++) {
        stoa_conjunct *conjunct = &ev->conjuncts[i];
        conjunct->tested += (double)*n_open;
        STOA_RETURN_NOT_OK(test_conjunct(ev, conjunct, open, n_open, err));
        conjunct->passed += (double)*n_open;
    }
    return STOA_OK;
}

stoa_status stoa_eval_filter(stoa_evaluation *ev, const stoa_expr *predicate, uint8_t *selected,
                             int64_t *n_selected, stoa_error *err)
{
    const size_t n_words = stoa_window_words(ev);
    uint64_t *open = stoa_arena_alloc(&ev->arena, n_words, sizeof *open);
    int64_t n_open = ev->n;

    STOA_RETURN_NO_MEMORY(err, open);
    if (predicate != NULL) {
        STOA_RETURN_NOT_OK(split(ev, predicate, err));
    }
    memset(open, 0xff, n_words * sizeof *open);
    if ((ev->n & 63) != 0) {
        open[n_words - 1] = UINT64_MAX >> (64 - (ev->n & 63));
    }
    const bool is_last = may_fail(ev, predicate);
    STOA_RETURN_NOT_OK(test_threshold(ev, !is_last, open, &n_open, err));
    if (predicate != NULL) {
        STOA_RETURN_NOT_OK(test_conjuncts(ev, open, &n_open, err));
    }
    STOA_RETURN_NOT_OK(test_threshold(ev, is_last, open, &n_open, err));
    memcpy(selected, open, (size_t)stoa_bit_bytes((uint64_t)ev->n));
    *n_selected = n_open;
    return STOA_OK;
}

/* Whether the zone map shows that no value of the block is in the range. */
static bool is_outside(stoa_evaluation *ev, size_t column, const stoa_range_predicate *band)
{
    stoa_zone zone;

    return !band->others && ev->zone(ev->fetch_context, column, &zone) &&
           !stoa_range_predicate_meets(band, ev->scope->columns[column].type.kind, &zone);
}

stoa_status stoa_eval_is_hopeless(stoa_evaluation *ev, const stoa_expr *predicate, bool *is,
                                  stoa_error *err)
{
    const stoa_expr *threshold = ev->threshold;
    bool may = false;

    *is = false;
    if (predicate != NULL) {
        STOA_RETURN_NOT_OK(split(ev, predicate, err));
        may = may_fail(ev, predicate);
    }
    for (size_t i = 0;
         predicate != NULL && i < ev->n_conjuncts && !ev->conjuncts[i].may_fail && !*is; i++) {
        const stoa_conjunct *conjunct = &ev->conjuncts[i];
        *is = conjunct->column != SIZE_MAX && is_outside(ev, conjunct->column, &conjunct->band);
    }
    if (!*is && !may && threshold != NULL && stoa_is_range_predicate(ev->scope, threshold)) {
        const stoa_range_predicate band =
            stoa_range_predicate_of(threshold->compare, &threshold->args[1]->value);
        *is = is_outside(ev, threshold->args[0]->column, &band);
    }
    return STOA_OK;
}
