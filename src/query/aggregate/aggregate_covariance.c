/*
 * covar_samp, covar_pop, corr: of the rows in which both values are there. A cell's `n` counts
 * them. Beside it are sums of the values' differences from two centers, of their squares, and of
 * their products, all as in aggregate_stddev.c. The centers are one of the pairs.
 */
#include <math.h>

#include "core/cpu.h"
#include "query/aggregate/aggregate.h"
#include "query/aggregate/double_double.h"

typedef struct moments {
    double center[2];
    stoa_double_double off[2];
    stoa_double_double squares[2];
    stoa_double_double products; /* not finite if a value is not, or if a sum is not */
} moments;

static moments *moments_of(const stoa_aggregate *aggregate)
{
    return (moments *)(void *)aggregate->moments.data;
}

static stoa_status grow(stoa_aggregate *aggregate, stoa_error *err)
{
    return stoa_aggregate_grow(aggregate, &aggregate->moments, sizeof(moments), err);
}

static stoa_status covariance_bind(const stoa_binder *binder, stoa_aggregate *aggregate,
                                   stoa_error *err)
{
    stoa_aggregate second = *aggregate;

    second.arg = aggregate->by;
    STOA_RETURN_NOT_OK(stoa_aggregate_bind_f64(binder, &second, err));
    aggregate->by = second.arg;
    aggregate->column = SIZE_MAX; /* its units are not those of a column */
    return stoa_aggregate_bind_f64(binder, aggregate, err);
}

/* Only a correlation needs the squares. */
static bool has_squares(const stoa_aggregate *aggregate)
{
    return aggregate->kind == &stoa_aggregate_corr;
}

static void add_pair(stoa_cell *cell, moments *m, double x, double y, bool squares)
{
    if (cell->n++ == 0) {
        m->center[0] = x;
        m->center[1] = y;
    }
    if (!isfinite(x) || !isfinite(y)) {
        m->products.sum = NAN;
        return;
    }
    const stoa_double_double off[2] = {stoa_dd_minus(x, m->center[0]),
                                       stoa_dd_minus(y, m->center[1])};
    for (int i = 0; i < 2; i++) {
        m->off[i] = stoa_dd_plus(m->off[i], off[i]);
        if (squares) {
            m->squares[i] = stoa_dd_plus(m->squares[i], stoa_dd_times(off[i], off[i]));
        }
    }
    m->products = stoa_dd_plus(m->products, stoa_dd_times(off[0], off[1]));
}

static void add_in_order(stoa_aggregate *aggregate, const stoa_operand *operand,
                         const uint32_t *ids)
{
    const bool squares = has_squares(aggregate);
    stoa_block x;
    stoa_block y;

    x.at = 0;
    y.at = 0;
    while (stoa_block_next(&x, operand, ids) && stoa_block_next(&y, operand->by, NULL)) {
        for (int64_t i = 0; i < x.n; i++) {
            const uint32_t group = ids != NULL ? x.ids[i] : 0;
            add_pair(&stoa_cells(aggregate)[group], &moments_of(aggregate)[group], x.values[i].f64,
                     y.values[i].f64, squares);
        }
    }
}

/* Pairs of one group, side by side. Row i of a block goes to lane i % LANES. */
enum { LANES = 8 };
typedef struct lanes {
    double sum[5][LANES]; /* off[0], off[1], products, squares[0], squares[1] */
    double lost[5][LANES];
} lanes;

static inline void add_to(lanes *to, int which, int lane, stoa_double_double value)
{
    to->lost[which][lane] += value.lost;
    stoa_two_sum(value.sum, &to->sum[which][lane], &to->lost[which][lane]);
}

static inline void add_rows(lanes *to, const stoa_word *x, const stoa_word *y, int64_t n,
                            const double center[2], bool squares)
{
    for (int64_t i = 0; i < n; i += LANES) {
        for (int lane = 0; lane < LANES; lane++) {
            const stoa_double_double a = stoa_dd_minus(x[i + lane].f64, center[0]);
            const stoa_double_double b = stoa_dd_minus(y[i + lane].f64, center[1]);
            add_to(to, 0, lane, a);
            add_to(to, 1, lane, b);
            add_to(to, 2, lane, stoa_dd_times(a, b));
            if (squares) {
                add_to(to, 3, lane, stoa_dd_times(a, a));
                add_to(to, 4, lane, stoa_dd_times(b, b));
            }
        }
    }
}

STOA_CLONES static void add_covariances(lanes *to, const stoa_word *x, const stoa_word *y,
                                        int64_t n, const double center[2])
{
    lanes own = *to;

    add_rows(&own, x, y, n, center, false);
    *to = own;
}

STOA_CLONES static void add_correlations(lanes *to, const stoa_word *x, const stoa_word *y,
                                         int64_t n, const double center[2])
{
    lanes own = *to;

    add_rows(&own, x, y, n, center, true);
    *to = own;
}

/* Add rows of one group. *is_done is false if a value is not finite, or a sum. */
static void add_all(const stoa_aggregate *aggregate, const stoa_operand *operand, bool *is_done)
{
    const bool squares = has_squares(aggregate);
    stoa_cell cell = *stoa_cells(aggregate);
    moments m = *moments_of(aggregate);
    stoa_double_double *const sums[] = {&m.off[0], &m.off[1], &m.products, &m.squares[0],
                                        &m.squares[1]};
    lanes side = {.sum = {{0}}};
    stoa_block x;
    stoa_block y;

    x.at = 0;
    y.at = 0;
    while (stoa_block_next(&x, operand, NULL) && stoa_block_next(&y, operand->by, NULL)) {
        const int64_t first = cell.n == 0 ? 1 : 0; /* it is the center */
        const int64_t n = (x.n - first) / LANES * LANES;

        if (first > 0) {
            add_pair(&cell, &m, x.values[0].f64, y.values[0].f64, squares);
        }
        (squares ? add_correlations : add_covariances)(&side, x.values + first, y.values + first, n,
                                                       m.center);
        cell.n += n;
        for (int64_t i = first + n; i < x.n; i++) {
            add_pair(&cell, &m, x.values[i].f64, y.values[i].f64, squares);
        }
    }
    *is_done = true;
    for (int which = 0; which < 5; which++) {
        for (int lane = 0; lane < LANES; lane++) {
            const stoa_double_double one = {side.sum[which][lane], side.lost[which][lane]};
            *sums[which] = stoa_dd_plus(*sums[which], one);
        }
        *is_done = *is_done && isfinite(sums[which]->sum);
    }
    if (*is_done) {
        *stoa_cells(aggregate) = cell;
        *moments_of(aggregate) = m;
    }
}

static stoa_status covariance_update(stoa_aggregate *aggregate, const stoa_operand *operand,
                                     const uint32_t *ids, stoa_error *err)
{
    bool is_done = false;

    STOA_RETURN_NOT_OK(grow(aggregate, err));
    if (ids == NULL && !isnan(moments_of(aggregate)->products.sum)) {
        add_all(aggregate, operand, &is_done);
    }
    if (!is_done) {
        add_in_order(aggregate, operand, ids);
    }
    return STOA_OK;
}

/* Move the sums of n pairs to other centers. */
static void move_centers(moments *m, double n, const double center[2])
{
    const stoa_double_double count = {n, 0};
    stoa_double_double shift[2];
    stoa_double_double all[2];

    for (int i = 0; i < 2; i++) {
        shift[i] = stoa_dd_minus(m->center[i], center[i]);
        all[i] = stoa_dd_times(count, shift[i]);
        const stoa_double_double twice = stoa_dd_plus(stoa_dd_plus(m->off[i], m->off[i]), all[i]);
        m->squares[i] = stoa_dd_plus(m->squares[i], stoa_dd_times(shift[i], twice));
    }
    m->products = stoa_dd_plus(m->products, stoa_dd_times(shift[0], m->off[1]));
    m->products =
        stoa_dd_plus(m->products, stoa_dd_times(shift[1], stoa_dd_plus(m->off[0], all[0])));
    for (int i = 0; i < 2; i++) {
        m->off[i] = stoa_dd_plus(m->off[i], all[i]);
        m->center[i] = center[i];
    }
}

static void add_part(moments *m, stoa_cell *cell, moments part, int64_t n)
{
    if (cell->n == 0) {
        *m = part;
    } else {
        move_centers(&part, (double)n, m->center);
        for (int i = 0; i < 2; i++) {
            m->off[i] = stoa_dd_plus(m->off[i], part.off[i]);
            m->squares[i] = stoa_dd_plus(m->squares[i], part.squares[i]);
        }
        m->products = stoa_dd_plus(m->products, part.products);
    }
    cell->n += n;
}

static stoa_status covariance_merge(stoa_aggregate *aggregate, const stoa_aggregate *from,
                                    const uint32_t *ids, stoa_error *err)
{
    STOA_RETURN_NOT_OK(grow(aggregate, err));
    for (uint32_t i = 0; i < from->n_groups; i++) {
        const uint32_t group = ids != NULL ? ids[i] : 0;
        if (stoa_cells(from)[i].n > 0) { /* otherwise the sums may not be set */
            add_part(&moments_of(aggregate)[group], &stoa_cells(aggregate)[group],
                     moments_of(from)[i], stoa_cells(from)[i].n);
        }
    }
    return STOA_OK;
}

/* `less` is 1 for a sample and 0 for a whole population; a value is missing for too few. */
static stoa_status result_of(stoa_aggregate *aggregate, int less, bool is_correlation,
                             uint32_t first, uint32_t n, stoa_arena *arena, stoa_vector *out,
                             stoa_error *err)
{
    const stoa_cell *const cells = stoa_cells(aggregate) + first;
    double *const values = stoa_arena_zero(arena, n, sizeof *values);
    uint8_t *validity = NULL;

    STOA_RETURN_NO_MEMORY(err, values);
    STOA_RETURN_NOT_OK(
        stoa_aggregate_validity(aggregate, 1 + less, first, n, arena, &validity, err));
    for (uint32_t i = 0; i < n; i++) {
        const double count = (double)cells[i].n;
        if (cells[i].n <= less) {
            continue;
        }
        const moments *const m = &moments_of(aggregate)[first + i];
        const double products = stoa_dd_spread(m->products, m->off[0], m->off[1], count);
        values[i] = products / (count - less);
        if (is_correlation) {
            values[i] =
                products / (sqrt(stoa_dd_spread(m->squares[0], m->off[0], m->off[0], count)) *
                            sqrt(stoa_dd_spread(m->squares[1], m->off[1], m->off[1], count)));
        }
    }
    out->validity = validity;
    out->as.f64 = values;
    return STOA_OK;
}

#define DEFINE_COVARIANCE(name, also, less, is_correlation, help)                                  \
    static stoa_status name##_result(stoa_aggregate *aggregate, uint32_t first, uint32_t n,        \
                                     stoa_arena *arena, stoa_vector *out, stoa_error *err)         \
    {                                                                                              \
        return result_of(aggregate, less, is_correlation, first, n, arena, out, err);              \
    }                                                                                              \
    const stoa_aggregate_kind stoa_aggregate_##name = {                                            \
        .text = {#name, also, #name "(x, y)", help, NULL},                                         \
        .form = STOA_TAKES_PAIR,                                                                   \
        .bind = covariance_bind,                                                                   \
        .update = covariance_update,                                                               \
        .merge = covariance_merge,                                                                 \
        .result = name##_result,                                                                   \
    };
DEFINE_COVARIANCE(covar_samp, "cov", 1, false, "covariance of a sample (n - 1)")
DEFINE_COVARIANCE(covar_pop, NULL, 0, false, "covariance of a whole population (n)")
DEFINE_COVARIANCE(corr, NULL, 0, true, "Pearson's correlation coefficient; NaN of equal values")
