/* count, sum, mean: aggregates that add up. `n` counts the values. */
#include <math.h>
#include <string.h>

#include "query/aggregate/aggregate.h"

/* The group that corresponds to group i of another state. */
#define GROUP_OF(ids, i) ((ids) != NULL ? (ids)[i] : 0)

/* count ------------------------------------------------------------------------------------- */

static stoa_status count_bind(const stoa_binder *binder, stoa_aggregate *aggregate, stoa_error *err)
{
    (void)binder;
    (void)err;
    aggregate->result.domain = STOA_DOMAIN_I64;
    return STOA_OK;
}

static stoa_status count_update(stoa_aggregate *aggregate, const stoa_operand *operand,
                                const uint32_t *ids, stoa_error *err)
{
    stoa_cell *cells = stoa_cells(aggregate);

    (void)err;
    if (ids == NULL) {
        cells->n += operand->n_kept;
        return STOA_OK;
    }
    if (operand->mask == NULL) {
        for (int64_t row = 0; row < operand->n; row++) {
            cells[ids[row]].n++;
        }
        return STOA_OK;
    }
    STOA_EACH_KEPT(row, operand)
    {
        cells[ids[row]].n++;
    }
    return STOA_OK;
}

static stoa_status count_merge(stoa_aggregate *aggregate, const stoa_aggregate *from,
                               const uint32_t *ids, stoa_error *err)
{
    (void)err;
    for (uint32_t i = 0; i < from->n_groups; i++) {
        stoa_cells(aggregate)[GROUP_OF(ids, i)].n += stoa_cells(from)[i].n;
    }
    return STOA_OK;
}

stoa_status stoa_count_result(stoa_aggregate *aggregate, uint32_t first, uint32_t n,
                              stoa_arena *arena, stoa_vector *out, stoa_error *err)
{
    int64_t *counts = stoa_arena_alloc(arena, n, sizeof *counts);

    STOA_RETURN_NO_MEMORY(err, counts);
    for (uint32_t i = 0; i < n; i++) {
        counts[i] = stoa_cells(aggregate)[first + i].n;
    }
    out->as.i64 = counts;
    return STOA_OK;
}

const stoa_aggregate_kind stoa_aggregate_count = {
    .text = {"count", NULL, "count(), count(x)",
             "rows, or values that are not missing; 0 of no rows", NULL},
    .form = STOA_TAKES_ROWS,
    .need = STOA_NEED_PRESENCE,
    .bind = count_bind,
    .update = count_update,
    .merge = count_merge,
    .result = stoa_count_result,
    .tally = stoa_count_tally,
};

/* Sums ---------------------------------------------------------------------------------------- */

/* Integers cast to double are summed as integers: the sum is exact, rounded once, and takes no cast
 * of each value. */
static stoa_expr *addends_of(stoa_expr *arg)
{
    const bool is_cast = arg->op == STOA_OP_CAST && arg->type.domain == STOA_DOMAIN_F64 &&
                         (arg->args[0]->type.domain == STOA_DOMAIN_I64 ||
                          arg->args[0]->type.domain == STOA_DOMAIN_U64);

    return is_cast ? arg->args[0] : arg;
}

/* Accepts numbers, and durations, which are integers in a unit. */
static stoa_status bind_addends(const stoa_binder *binder, stoa_aggregate *aggregate,
                                stoa_error *err)
{
    if (aggregate->arg->type.domain != STOA_DOMAIN_DURATION) {
        return stoa_aggregate_check_number(binder, aggregate, err);
    }
    aggregate->result = aggregate->arg->type;
    return STOA_OK;
}

static stoa_status sum_bind(const stoa_binder *binder, stoa_aggregate *aggregate, stoa_error *err)
{
    STOA_RETURN_NOT_OK(bind_addends(binder, aggregate, err));
    aggregate->result.domain = aggregate->arg->type.domain;
    aggregate->arg = addends_of(aggregate->arg);
    return STOA_OK;
}

/* Add the values of one group one by one, since a partial sum may overflow although the whole
 * sum does not. */
static void add_in_order(stoa_cell *cells, const stoa_operand *operand, const uint32_t *ids)
{
    stoa_block block;

    for (block.at = 0; stoa_block_next(&block, operand, ids);) {
        for (int64_t i = 0; i < block.n; i++) {
            stoa_cell *cell = &cells[ids != NULL ? block.ids[i] : 0];
            stoa_two_sum(block.values[i].f64, &cell->a.f64, &cell->b.f64);
            cell->n++;
        }
    }
}

/* If few rows count, add them one by one and do not load the others. The bits are the same. */
static const stoa_reductions *reductions_of(const stoa_aggregate *aggregate,
                                            const stoa_operand *operand)
{
    enum { FEW_PART = 32 };

    return operand->n_kept <= operand->n / FEW_PART ? &stoa_reductions_scalar : aggregate->reduce;
}

static void sum_all(const stoa_aggregate *aggregate, const stoa_operand *operand, bool floats)
{
    stoa_cell *cell = stoa_cells(aggregate);
    stoa_word sum[2];

    if (floats && isnan(cell->a.f64)) { /* it stays NaN */
        cell->n += operand->n_kept;
        return;
    }
    reductions_of(aggregate, operand)
        ->sum[operand->kind](operand->values, operand->mask, operand->n, sum);
    if (floats && !isfinite(sum[0].f64)) {
        add_in_order(cell, operand, NULL);
        return;
    }
    if (floats) {
        stoa_cell_add_float(cell, sum[0].f64, sum[1].f64);
    } else {
        stoa_cell_add_integer(cell, sum[0].u64, sum[1].i64);
    }
    cell->n += operand->n_kept;
}

/* With few groups, neighbouring rows are often of one group, and an addition would wait for the
 * one before. Each group has N_TURNS cells that are used in turn, so nothing waits. */
enum { N_TURNS = 4, FEW_GROUPS = 64, ROWS_A_CELL = 8 };

static void add_in_turns(stoa_cell *cells, const stoa_operand *operand, const uint32_t *ids)
{
    stoa_block block;

    for (block.at = 0; stoa_block_next(&block, operand, ids);) {
        for (int64_t i = 0; i < block.n; i++) {
            stoa_cell *cell = &cells[(size_t)block.ids[i] * N_TURNS + (size_t)i % N_TURNS];
            stoa_two_sum(block.values[i].f64, &cell->a.f64, &cell->b.f64);
            cell->n++;
        }
    }
}

static bool all_finite(const stoa_cell *cells, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(cells[i].a.f64)) {
            return false;
        }
    }
    return true;
}

static stoa_status sum_floats(stoa_aggregate *aggregate, const stoa_operand *operand,
                              const uint32_t *ids, stoa_error *err)
{
    stoa_cell *cells = stoa_cells(aggregate);
    const size_t n_turns = (size_t)aggregate->n_groups * N_TURNS;

    if (operand->is_ordered || aggregate->n_groups > FEW_GROUPS ||
        operand->n_kept < (int64_t)n_turns * ROWS_A_CELL) {
        add_in_order(cells, operand, ids);
        return STOA_OK;
    }
    aggregate->scratch.size = 0;
    STOA_RETURN_NOT_OK(stoa_buffer_grow(&aggregate->scratch, n_turns * sizeof *cells, err));
    stoa_cell *turns = (stoa_cell *)(void *)aggregate->scratch.data;
    add_in_turns(turns, operand, ids);
    if (!all_finite(turns, n_turns)) {
        add_in_order(cells, operand, ids);
        return STOA_OK;
    }
    for (size_t i = 0; i < n_turns; i++) {
        stoa_cell_add_float(&cells[i / N_TURNS], turns[i].a.f64, turns[i].b.f64);
        cells[i / N_TURNS].n += turns[i].n;
    }
    return STOA_OK;
}

static void sum_integers(stoa_cell *cells, const stoa_operand *operand, const uint32_t *ids)
{
    const int64_t is_signed = operand->kind != STOA_KIND_UINT64;
    stoa_block block;

    for (block.at = 0; stoa_block_next(&block, operand, ids);) {
        for (int64_t i = 0; i < block.n; i++) {
            stoa_cell *cell = &cells[block.ids[i]];
            const stoa_word value = block.values[i];
            stoa_cell_add_integer(cell, value.u64, -(is_signed & (int64_t)(value.u64 >> 63)));
            cell->n++;
        }
    }
}

static stoa_status sum_update(stoa_aggregate *aggregate, const stoa_operand *operand,
                              const uint32_t *ids, stoa_error *err)
{
    const bool floats = aggregate->arg->type.domain == STOA_DOMAIN_F64;

    if (ids == NULL) {
        sum_all(aggregate, operand, floats);
        return STOA_OK;
    }
    if (floats) {
        STOA_RETURN_NOT_OK(sum_floats(aggregate, operand, ids, err));
    } else {
        sum_integers(stoa_cells(aggregate), operand, ids);
    }
    return STOA_OK;
}

static stoa_status sum_merge(stoa_aggregate *aggregate, const stoa_aggregate *from,
                             const uint32_t *ids, stoa_error *err)
{
    const bool floats = aggregate->arg->type.domain == STOA_DOMAIN_F64;

    (void)err;
    for (uint32_t i = 0; i < from->n_groups; i++) {
        const stoa_cell *more = &stoa_cells(from)[i];
        stoa_cell *cell = &stoa_cells(aggregate)[GROUP_OF(ids, i)];
        if (floats) {
            stoa_cell_add_float(cell, more->a.f64, more->b.f64);
        } else {
            stoa_cell_add_integer(cell, more->a.u64, more->b.i64);
        }
        cell->n += more->n;
    }
    return STOA_OK;
}

/* An infinite or NaN sum has no rounding error. All NaNs are made one, because the sign would
 * depend on which rows came first. */
static double float_sum(const stoa_cell *cell)
{
    if (isnan(cell->a.f64)) {
        return (double)NAN;
    }
    return isfinite(cell->a.f64) ? cell->a.f64 + cell->b.f64 : cell->a.f64;
}

/* Usually the high word is only the sign of the low one. Converting the low word alone avoids
 * rounding twice. */
static double integer_sum_as_float(const stoa_cell *cell)
{
    if (cell->b.i64 == -1 && cell->a.u64 > INT64_MAX) {
        return (double)cell->a.i64;
    }
    return (double)cell->b.i64 * 0x1p64 + (double)cell->a.u64;
}

/* The sum as a double, from either kind of state. */
static double sum_as_float(const stoa_aggregate *aggregate, const stoa_cell *cell)
{
    return aggregate->arg->type.domain == STOA_DOMAIN_F64 ? float_sum(cell)
                                                          : integer_sum_as_float(cell);
}

static stoa_status integer_sum(const stoa_aggregate *aggregate, const stoa_cell *cell,
                               uint64_t *out, stoa_error *err)
{
    const bool is_signed = aggregate->result.domain != STOA_DOMAIN_U64;
    const int64_t high = is_signed && cell->a.u64 > INT64_MAX ? -1 : 0;

    *out = cell->a.u64;
    if (cell->b.i64 == high) {
        return STOA_OK;
    }
    if (aggregate->result.domain == STOA_DOMAIN_DURATION) {
        return STOA_FAIL_SYNTAX(err, STOA_ERANGE, aggregate->arg->syntax,
                                "the sum is longer than a duration of its unit can be");
    }
    return STOA_FAIL_SYNTAX(err, STOA_ERANGE, aggregate->arg->syntax,
                            "the sum does not fit %s; sum(1.0 * x) adds floats",
                            is_signed ? "int64" : "uint64");
}

static stoa_status sum_result(stoa_aggregate *aggregate, uint32_t first, uint32_t n,
                              stoa_arena *arena, stoa_vector *out, stoa_error *err)
{
    const stoa_cell *cells = stoa_cells(aggregate) + first;
    stoa_word *values = stoa_arena_alloc(arena, n, sizeof *values);
    uint8_t *validity = NULL;

    STOA_RETURN_NO_MEMORY(err, values);
    STOA_RETURN_NOT_OK(stoa_aggregate_validity(aggregate, 1, first, n, arena, &validity, err));
    out->validity = validity;
    out->as.u64 = &values->u64;
    for (uint32_t i = 0; i < n; i++) {
        if (aggregate->result.domain == STOA_DOMAIN_F64) {
            values[i].f64 = sum_as_float(aggregate, &cells[i]);
        } else {
            STOA_RETURN_NOT_OK(integer_sum(aggregate, &cells[i], &values[i].u64, err));
        }
    }
    return STOA_OK;
}

const stoa_aggregate_kind stoa_aggregate_sum = {
    .text = {"sum", NULL, "sum(x)", "exact for integers and durations, compensated for floats",
             NULL},
    .form = STOA_TAKES_VALUE,
    .bind = sum_bind,
    .update = sum_update,
    .merge = sum_merge,
    .result = sum_result,
    .tally = stoa_sum_tally,
};

/* mean: the same state as sum --------------------------------------------------------------- */

static stoa_status mean_bind(const stoa_binder *binder, stoa_aggregate *aggregate, stoa_error *err)
{
    aggregate->result.domain = STOA_DOMAIN_F64;
    STOA_RETURN_NOT_OK(bind_addends(binder, aggregate, err));
    aggregate->arg = addends_of(aggregate->arg);
    return STOA_OK;
}

/* The mean rounded to the nearest tick; halves are rounded away from 0. */
static int64_t mean_ticks(const stoa_cell *cell)
{
    __extension__ typedef __int128 wide;
    const wide total = (wide)cell->b.i64 * ((wide)1 << 64) + cell->a.u64;
    const int64_t n = cell->n > 0 ? cell->n : 1;
    const wide rest = total % n;

    const bool is_up = (rest >= 0 ? rest : -rest) * 2 >= n;

    return (int64_t)(total / n) + (!is_up ? 0 : rest < 0 ? -1 : 1);
}

static stoa_status mean_result(stoa_aggregate *aggregate, uint32_t first, uint32_t n,
                               stoa_arena *arena, stoa_vector *out, stoa_error *err)
{
    const stoa_cell *cells = stoa_cells(aggregate) + first;
    const bool is_duration = aggregate->arg->type.domain == STOA_DOMAIN_DURATION;
    stoa_word *values = stoa_arena_alloc(arena, n, sizeof *values);
    uint8_t *validity = NULL;

    STOA_RETURN_NO_MEMORY(err, values);
    STOA_RETURN_NOT_OK(stoa_aggregate_validity(aggregate, 1, first, n, arena, &validity, err));
    for (uint32_t i = 0; i < n; i++) {
        if (is_duration) {
            values[i].i64 = mean_ticks(&cells[i]);
        } else {
            values[i].f64 = sum_as_float(aggregate, &cells[i]) / (double)cells[i].n;
        }
    }
    out->validity = validity;
    out->as.f64 = &values->f64;
    return STOA_OK;
}

const stoa_aggregate_kind stoa_aggregate_mean = {
    .text = {"mean", "avg", "mean(x)", "of durations a duration, rounded to the unit", NULL},
    .form = STOA_TAKES_VALUE,
    .bind = mean_bind,
    .update = sum_update,
    .merge = sum_merge,
    .result = mean_result,
    .tally = stoa_sum_tally,
};
