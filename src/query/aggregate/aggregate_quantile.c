/* median, quantile: aggregates that need every value. Each is kept as a double, with its group
 * if there are several. Values beyond the memory limit go to temporary files (spilled_values.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "query/aggregate/aggregate.h"

#define ENTRIES(buffer, ctype) ((ctype *)(void *)(buffer).data)

static stoa_status median_bind(const stoa_binder *binder, stoa_aggregate *aggregate,
                               stoa_error *err)
{
    aggregate->p = 0.5;
    return stoa_aggregate_bind_f64(binder, aggregate, err);
}

/* Gathering --------------------------------------------------------------------------------- */

/* Grow by at least half, so that many appends copy little. */
static stoa_status reserve(stoa_buffer *buffer, size_t extra, stoa_error *err)
{
    if (buffer->capacity - buffer->size >= extra) {
        return STOA_OK;
    }
    return stoa_buffer_reserve(buffer, extra < buffer->size / 2 ? buffer->size / 2 : extra, err);
}

/* Append n values. `ids` NULL: there is only one group. */
static stoa_status append(stoa_aggregate *aggregate, const void *values, const uint32_t *ids,
                          size_t n, stoa_error *err)
{
    const size_t before = aggregate->list.size / sizeof(double) * sizeof *ids;

    STOA_RETURN_NOT_OK(reserve(&aggregate->list, n * sizeof(double), err));
    if (ids != NULL) {
        STOA_RETURN_NOT_OK(
            stoa_buffer_grow(&aggregate->owners, before - aggregate->owners.size, err));
        STOA_RETURN_NOT_OK(reserve(&aggregate->owners, n * sizeof *ids, err));
        STOA_RETURN_NOT_OK(stoa_buffer_append(&aggregate->owners, ids, n * sizeof *ids, err));
    } else if (aggregate->owners.size > 0) {
        STOA_RETURN_NOT_OK(stoa_buffer_grow(&aggregate->owners, n * sizeof *ids, err));
    }
    return stoa_buffer_append(&aggregate->list, values, n * sizeof(double), err);
}

/* Move the values in memory to the files. */
static stoa_status spill(stoa_aggregate *aggregate, stoa_error *err)
{
    const size_t n = aggregate->list.size / sizeof(double);

    STOA_RETURN_NOT_OK(stoa_spilled_append(
        &aggregate->spilled, ENTRIES(aggregate->list, double),
        aggregate->owners.size > 0 ? ENTRIES(aggregate->owners, uint32_t) : NULL, n, err));
    aggregate->list.size = 0;
    aggregate->owners.size = 0;
    return STOA_OK;
}

/* Make room in memory for n values. */
static stoa_status spill_if_full(stoa_aggregate *aggregate, size_t n, stoa_error *err)
{
    return aggregate->list.size + n * sizeof(double) > aggregate->most_bytes ? spill(aggregate, err)
                                                                             : STOA_OK;
}

static stoa_status quantile_update(stoa_aggregate *aggregate, const stoa_operand *operand,
                                   const uint32_t *ids, stoa_error *err)
{
    stoa_cell *cells = stoa_cells(aggregate);
    stoa_block block;

    for (block.at = 0; stoa_block_next(&block, operand, ids);) {
        STOA_RETURN_NOT_OK(spill_if_full(aggregate, (size_t)block.n, err));
        STOA_RETURN_NOT_OK(append(aggregate, block.values, block.ids, (size_t)block.n, err));
        for (int64_t i = 0; block.ids != NULL && i < block.n; i++) {
            cells[block.ids[i]].n++;
        }
    }
    if (ids == NULL) {
        cells->n += operand->n_kept;
    }
    return STOA_OK;
}

static stoa_status quantile_merge(stoa_aggregate *aggregate, const stoa_aggregate *from,
                                  const uint32_t *ids, stoa_error *err)
{
    const size_t n = from->list.size / sizeof(double);
    const double *values = ENTRIES(from->list, double);
    const uint32_t *owners = from->owners.size > 0 ? ENTRIES(from->owners, uint32_t) : NULL;
    uint32_t moved[STOA_BLOCK_ROWS];

    for (size_t at = 0; at < n; at += STOA_BLOCK_ROWS) {
        const size_t part = n - at < STOA_BLOCK_ROWS ? n - at : STOA_BLOCK_ROWS;
        for (size_t i = 0; ids != NULL && i < part; i++) {
            moved[i] = ids[owners != NULL ? owners[at + i] : 0];
        }
        STOA_RETURN_NOT_OK(spill_if_full(aggregate, part, err));
        STOA_RETURN_NOT_OK(append(aggregate, values + at, ids != NULL ? moved : NULL, part, err));
        STOA_RETURN_NOT_OK(at % STOA_AGGREGATE_LOOK == 0
                               ? stoa_aggregate_look(aggregate->listener, err)
                               : STOA_OK);
    }
    for (uint32_t i = 0; i < from->n_groups; i++) {
        stoa_cells(aggregate)[ids != NULL ? ids[i] : 0].n += stoa_cells(from)[i].n;
    }
    return STOA_OK;
}

/* Results ----------------------------------------------------------------------------------- */

/* Sort values by group, so that each group's values are contiguous. */
static stoa_status bring_together(stoa_aggregate *aggregate, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t n = aggregate->list.size / sizeof(double);
    const double *from = ENTRIES(aggregate->list, double);
    stoa_buffer together = {0};
    uint64_t *starts = stoa_alloc((size_t)aggregate->n_groups, sizeof *starts);
    uint64_t start = 0;

    STOA_TRY(starts != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_buffer_grow(&together, n * sizeof *from, err));
    for (uint32_t group = 0; group < aggregate->n_groups; group++) {
        starts[group] = start;
        start += (uint64_t)stoa_cells(aggregate)[group].n;
    }
    for (size_t i = 0; i < n; i++) {
        STOA_TRY(i % STOA_AGGREGATE_LOOK == 0 ? stoa_aggregate_look(aggregate->listener, err)
                                              : STOA_OK);
        ENTRIES(together, double)[starts[ENTRIES(aggregate->owners, uint32_t)[i]]++] = from[i];
    }
    stoa_buffer_clear(&aggregate->list);
    stoa_buffer_clear(&aggregate->owners);
    aggregate->list = together;
    together = (stoa_buffer){0};

done:
    stoa_buffer_clear(&together);
    free(starts);
    return status;
}

/* Interpolate linearly between the two values nearest to rank p * (n - 1). */
static stoa_status quantile_of(const stoa_aggregate *aggregate, double *values, int64_t n,
                               double *value, stoa_error *err)
{
    const double place = aggregate->p * (double)(n - 1);
    const int64_t low = (int64_t)floor(place);
    const double rest = place - (double)low;

    *value = 0;
    if (n == 0) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(stoa_select_place(values, n, low, aggregate->listener, err));
    const double a = values[low];
    *value = a;
    if (rest == 0 || low + 1 == n) {
        return STOA_OK;
    }
    double b = values[low + 1];
    for (int64_t i = low + 2; i < n; i++) {
        b = stoa_is_before(values[i], b) ? values[i] : b;
    }
    *value = a == b ? a : a + rest * (b - a);
    return STOA_OK;
}

/* The same for a group whose values are in the files and do not fit into the list. */
static stoa_status quantile_of_many(stoa_aggregate *aggregate, uint32_t group, double *value,
                                    stoa_error *err)
{
    const int64_t n = stoa_cells(aggregate)[group].n;
    const double place = aggregate->p * (double)(n - 1);
    const int64_t low = (int64_t)floor(place);
    const double rest = place - (double)low;
    double *room = ENTRIES(aggregate->list, double);
    const size_t n_room = aggregate->list.capacity / sizeof *room;
    double b = 0;

    STOA_RETURN_NOT_OK(
        stoa_spilled_value_at(&aggregate->spilled, group, (uint64_t)low, room, n_room, value, err));
    if (rest != 0 && low + 1 < n) {
        STOA_RETURN_NOT_OK(stoa_spilled_value_at(&aggregate->spilled, group, (uint64_t)low + 1,
                                                 room, n_room, &b, err));
        *value = *value == b ? b : *value + rest * (b - *value);
    }
    return STOA_OK;
}

/* Groups from `first` on, as many of n as fit into the list together, but at least one. */
static stoa_status quantiles_of_some(stoa_aggregate *aggregate, uint32_t first, uint32_t n,
                                     double *values, uint32_t *n_done, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_cell *cells = stoa_cells(aggregate) + first;
    double *room = ENTRIES(aggregate->list, double);
    const uint64_t n_room = aggregate->list.capacity / sizeof *room;
    uint64_t *ends = stoa_alloc(n, sizeof *ends);
    uint64_t end = 0;

    *n_done = 0;
    STOA_TRY(ends != NULL ? STOA_OK : stoa_fail_memory(err));
    while (*n_done < n && (uint64_t)cells[*n_done].n <= n_room - end) {
        ends[*n_done] = end;
        end += (uint64_t)cells[*n_done].n;
        *n_done += 1;
    }
    STOA_TRY(stoa_spilled_gather(&aggregate->spilled, first, *n_done, ends, room, err));
    for (uint32_t i = 0; i < *n_done; i++) {
        double *const all = room + ends[i] - cells[i].n;
        STOA_TRY(quantile_of(aggregate, all, cells[i].n, &values[i], err));
    }
    if (*n_done == 0) {
        STOA_TRY(quantile_of_many(aggregate, first, values, err));
        *n_done = 1;
    }

done:
    free(ends);
    return status;
}

static stoa_status quantiles_of_spilled(stoa_aggregate *aggregate, uint32_t first, uint32_t n,
                                        double *values, stoa_error *err)
{
    uint32_t n_done = 0;

    STOA_RETURN_NOT_OK(spill(aggregate, err));
    for (uint32_t i = 0; i < n; i += n_done) {
        STOA_RETURN_NOT_OK(
            quantiles_of_some(aggregate, first + i, n - i, values + i, &n_done, err));
    }
    return STOA_OK;
}

static stoa_status quantile_result(stoa_aggregate *aggregate, uint32_t first, uint32_t n,
                                   stoa_arena *arena, stoa_vector *out, stoa_error *err)
{
    const stoa_cell *cells = stoa_cells(aggregate);
    double *values = stoa_arena_alloc(arena, n, sizeof *values);
    uint8_t *validity = NULL;
    int64_t at = 0;

    STOA_RETURN_NO_MEMORY(err, values);
    STOA_RETURN_NOT_OK(stoa_aggregate_validity(aggregate, 1, first, n, arena, &validity, err));
    out->validity = validity;
    out->as.f64 = values;
    if (aggregate->spilled.n > 0) {
        aggregate->spilled.listener = aggregate->listener;
        STOA_RETURN_NOT_OK(quantiles_of_spilled(aggregate, first, n, values, err));
        return STOA_OK;
    }
    if (aggregate->owners.size > 0) {
        STOA_RETURN_NOT_OK(bring_together(aggregate, err));
    }
    for (uint32_t group = 0; group < first; group++) {
        at += cells[group].n;
    }
    for (uint32_t i = 0; i < n; i++) {
        double *all = ENTRIES(aggregate->list, double) + at;
        STOA_RETURN_NOT_OK(quantile_of(aggregate, all, cells[first + i].n, &values[i], err));
        at += cells[first + i].n;
    }
    return STOA_OK;
}

const stoa_aggregate_kind stoa_aggregate_median = {
    .text = {"median", NULL, "median(x)", "interpolated between the two middle values", NULL},
    .form = STOA_TAKES_VALUE,
    .bind = median_bind,
    .update = quantile_update,
    .merge = quantile_merge,
    .result = quantile_result,
};
const stoa_aggregate_kind stoa_aggregate_quantile = {
    .text = {"quantile", "quantile_cont", "quantile(x, p)",
             "interpolated between the two values nearest to p·(n - 1)", NULL},
    .form = STOA_TAKES_FRACTION,
    .bind = stoa_aggregate_bind_f64,
    .update = quantile_update,
    .merge = quantile_merge,
    .result = quantile_result,
};
