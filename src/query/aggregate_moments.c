/* stddev of a sample: `n` values, `a` their mean, `b` the sum of their squared differences from it.
 */
#include <float.h>
#include <math.h>

#include "query/aggregate.h"

/* Chan's rule for two parts. */
static void add_part(stoa_cell *cell, const stoa_cell *more)
{
    if (more->n == 0) {
        return;
    }
    if (cell->n == 0) {
        *cell = *more;
        return;
    }
    const double share = (double)more->n / (double)(cell->n + more->n);
    const double difference = more->a.f64 - cell->a.f64;
    cell->b.f64 += more->b.f64 + difference * difference * share * (double)cell->n;
    cell->a.f64 += difference * share;
    cell->n += more->n;
}

/* Welford's recurrence. */
static void add_in_order(stoa_cell *cells, const stoa_operand *operand, const uint32_t *ids)
{
    stoa_block block;

    for (block.at = 0; stoa_block_next(&block, operand, ids);) {
        for (int64_t i = 0; i < block.n; i++) {
            stoa_cell *cell = &cells[ids != NULL ? block.ids[i] : 0];
            const double value = block.values[i].f64;
            const double difference = value - cell->a.f64;
            cell->a.f64 += difference / (double)++cell->n;
            cell->b.f64 += difference * (value - cell->a.f64);
        }
    }
}

/* The mean first, then the differences from it: what it is off shows in their sum. Where that is
 * all there is to them, the values are equal. */
static stoa_cell cell_of_all(const stoa_aggregate *aggregate, const stoa_operand *operand)
{
    const double n = (double)operand->n_kept;
    stoa_word sum[2];
    stoa_word off[2];

    aggregate->reduce->sum[operand->kind](operand->values, operand->mask, operand->n, sum);
    const double center = (sum[0].f64 + sum[1].f64) / n;
    aggregate->reduce->squares[operand->kind](operand->values, operand->mask, operand->n, center,
                                              off);
    const double rest = off[1].f64 - off[0].f64 * off[0].f64 / n;
    const bool equal = isfinite(off[1].f64) && rest <= 8 * DBL_EPSILON * off[1].f64;
    return (stoa_cell){
        .n = operand->n_kept, .a.f64 = center + off[0].f64 / n, .b.f64 = equal ? 0.0 : rest};
}

static stoa_status stddev_update(stoa_aggregate *aggregate, const stoa_operand *operand,
                                 const uint32_t *ids, stoa_error *err)
{
    stoa_cell *cells = stoa_cells(aggregate);

    (void)err;
    if (ids != NULL) {
        add_in_order(cells, operand, ids);
        return STOA_OK;
    }
    const stoa_cell part = cell_of_all(aggregate, operand);
    if (isfinite(part.b.f64)) {
        add_part(cells, &part);
    } else {
        add_in_order(cells, operand, NULL);
    }
    return STOA_OK;
}

static stoa_status stddev_merge(stoa_aggregate *aggregate, const stoa_aggregate *from,
                                const uint32_t *ids, stoa_error *err)
{
    (void)err;
    for (uint32_t i = 0; i < from->n_groups; i++) {
        add_part(&stoa_cells(aggregate)[ids != NULL ? ids[i] : 0], &stoa_cells(from)[i]);
    }
    return STOA_OK;
}

static stoa_status stddev_result(stoa_aggregate *aggregate, uint32_t first, uint32_t n,
                                 stoa_pool *pool, stoa_vector *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_cell *cells = stoa_cells(aggregate) + first;
    double *values = stoa_pool_alloc(pool, n, sizeof *values);
    uint8_t *validity = NULL;

    STOA_TRY(values != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_aggregate_validity(aggregate, 2, first, n, pool, &validity, err));
    for (uint32_t i = 0; i < n; i++) {
        values[i] = sqrt(cells[i].b.f64 / (double)(cells[i].n - 1));
    }
    out->validity = validity;
    out->as.f64 = values;

done:
    return status;
}

const stoa_aggregate_kind stoa_aggregate_stddev = {
    "stddev",      1,   STOA_NEED_VALUES, stoa_aggregate_bind_f64, stddev_update, stddev_merge,
    stddev_result, NULL};
