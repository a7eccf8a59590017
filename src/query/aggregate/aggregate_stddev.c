/*
 * stddev of a sample. A cell's `n` counts the values. Beside it are the sum of their differences
 * from a center and the sum of the squares of these. The center is one of the values.
 *
 * Each sum is kept in two doubles, and values are not rounded before they are added. So the result
 * does not depend on which rows were added up together. Since the center is one of the values,
 * squares that cancel out are at most n times those that remain.
 */
#include <math.h>

#include "query/aggregate/aggregate.h"
#include "query/aggregate/double_double.h"

typedef struct moments {
    double center;
    stoa_double_double off;
    stoa_double_double squares; /* not finite: NaN if a value is not finite, else infinity */
} moments;

static moments *moments_of(const stoa_aggregate *aggregate)
{
    return (moments *)(void *)aggregate->moments.data;
}

static stoa_status grow(stoa_aggregate *aggregate, stoa_error *err)
{
    return stoa_aggregate_grow(aggregate, &aggregate->moments, sizeof(moments), err);
}

/* Rows -------------------------------------------------------------------------------------- */

static void add_value(stoa_cell *cell, moments *m, double value)
{
    if (cell->n++ == 0) {
        m->center = value;
    }
    if (isfinite(value)) {
        stoa_two_square(value, m->center, &m->off.sum, &m->off.lost, &m->squares.sum,
                        &m->squares.lost);
    } else {
        m->squares.sum = NAN;
    }
}

static void add_in_order(stoa_aggregate *aggregate, const stoa_operand *operand,
                         const uint32_t *ids)
{
    stoa_block block;

    for (block.at = 0; stoa_block_next(&block, operand, ids);) {
        for (int64_t i = 0; i < block.n; i++) {
            const uint32_t group = ids != NULL ? block.ids[i] : 0;
            add_value(&stoa_cells(aggregate)[group], &moments_of(aggregate)[group],
                      block.values[i].f64);
        }
    }
}

static double first_value(const stoa_operand *operand)
{
    const stoa_operand first = stoa_operand_row(operand, stoa_operand_first(operand));
    stoa_block block;

    block.at = 0;
    (void)stoa_block_next(&block, &first, NULL);
    return block.values->f64;
}

/* Add rows of one group. *is_done is false if the result would not be finite. */
static void add_all(const stoa_aggregate *aggregate, const stoa_operand *operand, bool *is_done)
{
    stoa_cell *cell = stoa_cells(aggregate);
    moments *m = moments_of(aggregate);
    const double center = cell->n > 0 ? m->center : first_value(operand);
    stoa_word sums[4];

    *is_done = isnan(m->squares.sum); /* it stays NaN */
    if (*is_done) {
        cell->n += operand->n_kept;
        return;
    }
    aggregate->reduce->squares[operand->kind](operand->values, operand->mask, operand->n, center,
                                              sums);
    *is_done = isfinite(sums[2].f64) && isfinite(m->squares.sum);
    if (*is_done) {
        m->center = center;
        m->off = stoa_dd_plus(m->off, (stoa_double_double){sums[0].f64, sums[1].f64});
        m->squares = stoa_dd_plus(m->squares, (stoa_double_double){sums[2].f64, sums[3].f64});
        cell->n += operand->n_kept;
    }
}

static stoa_status stddev_update(stoa_aggregate *aggregate, const stoa_operand *operand,
                                 const uint32_t *ids, stoa_error *err)
{
    bool is_done = false;

    STOA_RETURN_NOT_OK(grow(aggregate, err));
    if (ids == NULL) {
        add_all(aggregate, operand, &is_done);
    }
    if (!is_done) {
        add_in_order(aggregate, operand, ids);
    }
    return STOA_OK;
}

/* Parts ------------------------------------------------------------------------------------- */

/* Move the sums of n values to another center. */
static void move_center(moments *m, double n, double center)
{
    const stoa_double_double shift = stoa_dd_minus(m->center, center);
    const stoa_double_double all = stoa_dd_times((stoa_double_double){n, 0}, shift);
    const stoa_double_double twice = stoa_dd_plus(stoa_dd_plus(m->off, m->off), all);
    m->squares = stoa_dd_plus(m->squares, stoa_dd_times(shift, twice));
    m->off = stoa_dd_plus(m->off, all);
    m->center = center;
}

static void add_part(moments *m, stoa_cell *cell, moments part, int64_t n)
{
    if (cell->n == 0) {
        *m = part;
    } else if (isfinite(m->squares.sum) && isfinite(part.squares.sum)) {
        move_center(&part, (double)n, m->center);
        m->off = stoa_dd_plus(m->off, part.off);
        m->squares = stoa_dd_plus(m->squares, part.squares);
        m->squares.sum = isfinite(m->squares.sum) ? m->squares.sum : INFINITY;
    } else {
        m->squares.sum += part.squares.sum;
    }
    cell->n += n;
}

static stoa_status stddev_merge(stoa_aggregate *aggregate, const stoa_aggregate *from,
                                const uint32_t *ids, stoa_error *err)
{
    STOA_RETURN_NOT_OK(grow(aggregate, err));
    for (uint32_t i = 0; i < from->n_groups; i++) {
        const uint32_t group = ids != NULL ? ids[i] : 0;
        const int64_t n = stoa_cells(from)[i].n;
        if (n > 0) { /* otherwise the sums may not be set */
            add_part(&moments_of(aggregate)[group], &stoa_cells(aggregate)[group],
                     moments_of(from)[i], n);
        }
    }
    return STOA_OK;
}

/* Results ------------------------------------------------------------------------------------- */

/* The sum of the squared differences from the mean. */
static double spread_of(const moments *m, double n)
{
    const double squares = stoa_dd_spread(m->squares, m->off, m->off, n);
    return squares < 0 ? 0 : squares;
}

/* `less` is 1 for a sample and 0 for a whole population; a value is missing for too few. */
static stoa_status result_of(stoa_aggregate *aggregate, int less, bool is_root, uint32_t first,
                             uint32_t n, stoa_arena *arena, stoa_vector *out, stoa_error *err)
{
    const stoa_cell *cells = stoa_cells(aggregate) + first;
    double *values = stoa_arena_zero(arena, n, sizeof *values);
    uint8_t *validity = NULL;

    STOA_RETURN_NO_MEMORY(err, values);
    STOA_RETURN_NOT_OK(
        stoa_aggregate_validity(aggregate, 1 + less, first, n, arena, &validity, err));
    for (uint32_t i = 0; i < n; i++) {
        if (cells[i].n > less) {
            const double count = (double)cells[i].n;
            values[i] = spread_of(&moments_of(aggregate)[first + i], count) / (count - less);
            values[i] = is_root ? sqrt(values[i]) : values[i];
        }
    }
    out->validity = validity;
    out->as.f64 = values;
    return STOA_OK;
}

/* A square has not the units of its column. */
static stoa_status var_bind(const stoa_binder *binder, stoa_aggregate *aggregate, stoa_error *err)
{
    aggregate->column = SIZE_MAX;
    return stoa_aggregate_bind_f64(binder, aggregate, err);
}

#define DEFINE_SPREAD(name, also, less, is_root, help)                                             \
    static stoa_status name##_result(stoa_aggregate *aggregate, uint32_t first, uint32_t n,        \
                                     stoa_arena *arena, stoa_vector *out, stoa_error *err)         \
    {                                                                                              \
        return result_of(aggregate, less, is_root, first, n, arena, out, err);                     \
    }                                                                                              \
    const stoa_aggregate_kind stoa_aggregate_##name = {                                            \
        .text = {#name, also, #name "(x)", help, NULL},                                            \
        .form = STOA_TAKES_VALUE,                                                                  \
        .bind = (is_root) ? stoa_aggregate_bind_f64 : var_bind,                                    \
        .update = stddev_update,                                                                   \
        .merge = stddev_merge,                                                                     \
        .result = name##_result,                                                                   \
    };
DEFINE_SPREAD(stddev, "stddev_samp", 1, true, "of a sample (n - 1); missing for a single value")
DEFINE_SPREAD(stddev_pop, NULL, 0, true, "of a whole population (n)")
DEFINE_SPREAD(var, "var_samp variance", 1, false, "the square of stddev(x)")
DEFINE_SPREAD(var_pop, NULL, 0, false, "the square of stddev_pop(x)")
