/* The one run of a query: scan -> columns, or scan -> groups; then the order; then the limit. */
#include "query/query.h"

#include <stdlib.h>
#include <string.h>

/* Rows of the answer ------------------------------------------------------------------------ */

/* A struct array of n rows with room for the children. */
static stoa_status struct_of(int64_t n, size_t n_children, struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_array_make(out, n, 0, 1, (void *[]){NULL}, err));
    STOA_TRY(stoa_array_children(out, (int64_t)n_children, err));

done:
    return status;
}

static stoa_status row_numbers(const stoa_batch *batch, struct ArrowArray *out, stoa_error *err)
{
    uint64_t *rows = stoa_alloc((size_t)batch->n, sizeof *rows);

    if (rows == NULL) {
        return stoa_fail_memory(err);
    }
    for (int64_t i = 0; i < batch->n; i++) {
        rows[i] = batch->rows != NULL ? batch->rows[i] : batch->first + (uint64_t)i;
    }
    return stoa_array_make(out, batch->n, 0, 2, (void *[]){NULL, rows}, err);
}

/* An expression over the whole batch; columns as they are, shared with the batch. */
static stoa_status column_of_expr(stoa_query *query, const stoa_batch *batch, const stoa_expr *expr,
                                  struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_vector values;

    if (expr->op == STOA_OP_COLUMN) {
        return stoa_array_share(&batch->arrays[expr->column], out, err);
    }
    stoa_evaluation_move(&query->evaluation, batch->views, 0, batch->n);
    STOA_TRY(stoa_eval(&query->evaluation, expr, &values, err));
    const stoa_type type = stoa_type_of_values(&expr->type);
    STOA_TRY(stoa_emit(&values, &type, out, err));

done:
    return status;
}

/* The next rows that pass, as output columns followed by sort keys. */
static stoa_status next_plain(stoa_query *query, struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_batch *batch = NULL;

    STOA_TRY(stoa_scan_next(&query->scan, &batch, err));
    if (batch == NULL) {
        query->drained = true;
        goto done;
    }
    STOA_TRY(struct_of(batch->n, query->n_outputs + query->n_orders, out, err));
    for (size_t i = 0; i < query->n_outputs; i++) {
        const stoa_expr *expr = query->outputs[i].expr;
        STOA_TRY(expr == NULL ? row_numbers(batch, out->children[i], err)
                              : column_of_expr(query, batch, expr, out->children[i], err));
    }
    for (size_t i = 0; i < query->n_orders; i++) {
        STOA_TRY(column_of_expr(query, batch, query->orders[i].expr,
                                out->children[query->n_outputs + i], err));
    }

done:
    return status;
}

/* Groups ------------------------------------------------------------------------------------ */

static stoa_status group_window(stoa_query *query, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_evaluation *ev = &query->evaluation;

    if (query->n_by > 0) {
        STOA_TRY(stoa_groups_assign(&query->groups, ev, NULL, ev->n, query->ids, err));
        query->n_groups = query->groups.n_groups;
    }
    for (size_t i = 0; i < query->n_aggregates; i++) {
        STOA_TRY(stoa_aggregate_update(&query->aggregates[i], ev, NULL, ev->n,
                                       query->n_by > 0 ? query->ids : NULL, query->n_groups, err));
    }

done:
    return status;
}

/* Take in every row that passes. */
static stoa_status group_all(stoa_query *query, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_batch *batch = NULL;

    while (!query->drained) {
        STOA_TRY(stoa_scan_next(&query->scan, &batch, err));
        query->drained = batch == NULL;
        for (int64_t at = 0; batch != NULL && at < batch->n; at += STOA_WINDOW_ROWS) {
            const int64_t n = batch->n - at < STOA_WINDOW_ROWS ? batch->n - at : STOA_WINDOW_ROWS;
            stoa_evaluation_move(&query->evaluation, batch->views, at, n);
            STOA_TRY(group_window(query, err));
        }
    }

done:
    return status;
}

/* The next groups as output columns; their sort keys are outputs again. */
static stoa_status next_groups(stoa_query *query, struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_pool pool = {0};
    stoa_vector values;

    STOA_TRY(group_all(query, err));
    const uint32_t first = query->next_group;
    const uint32_t left = query->n_groups - first;
    const uint32_t n = left < STOA_OUTPUT_ROWS ? left : STOA_OUTPUT_ROWS;
    if (n == 0) {
        goto done;
    }
    STOA_TRY(struct_of(n, query->n_outputs + query->n_orders, out, err));
    for (size_t i = 0; i < query->n_outputs; i++) {
        stoa_output *output = &query->outputs[i];
        STOA_TRY(i < query->n_by
                     ? stoa_groups_key(&query->groups, i, first, n, &pool, &values, err)
                     : stoa_aggregate_result(output->aggregate, first, n, &pool, &values, err));
        STOA_TRY(stoa_emit(&values, &output->type, out->children[i], err));
    }
    for (size_t i = 0; i < query->n_orders; i++) {
        STOA_TRY(stoa_array_share(out->children[query->orders[i].output],
                                  out->children[query->n_outputs + i], err));
    }
    query->next_group += n;

done:
    stoa_pool_clear(&pool);
    return status;
}

/* The stream -------------------------------------------------------------------------------- */

static stoa_status next_unsorted(stoa_query *query, struct ArrowArray *out, stoa_error *err)
{
    return query->aggregated ? next_groups(query, out, err) : next_plain(query, out, err);
}

/* Every row that the scan (or the groups) still have, into the sorter. */
static stoa_status feed_sorter(stoa_query *query, uint64_t *n_rows, stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowArray batch = {0};

    for (*n_rows = 0;;) {
        STOA_TRY(next_unsorted(query, &batch, err));
        if (batch.release == NULL) {
            break;
        }
        *n_rows += (uint64_t)batch.length;
        STOA_TRY(stoa_sorter_add(&query->sorter, &batch, err));
    }

done:
    stoa_array_release(&batch);
    return status;
}

static stoa_status open_sorter(stoa_query *query, stoa_error *err)
{
    return stoa_sorter_open(&query->sorter, &query->sort_schema, query->n_outputs,
                            query->descending, query->n_left, err);
}

/* Look at the candidates at the first `count` places of the order, but for those that were looked
 * at before. */
static stoa_status look_at_places(stoa_query *query, uint64_t count, bool *found, uint64_t *n_rows,
                                  stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_plan *plan = &query->plan;
    stoa_rowset places = {0};

    *n_rows = 0;
    STOA_TRY(stoa_ranking_first(&plan->ranking, count, &places, found, err));
    if (!*found) {
        goto done;
    }
    STOA_TRY(stoa_rowset_combine(&places, &plan->rows, false, err));
    STOA_TRY(stoa_rowset_subtract(&places, &query->ranked, &query->ranked_now, err));
    stoa_scan_restart(&query->scan, &query->ranked_now, &plan->certain);
    STOA_TRY(feed_sorter(query, n_rows, err));
    STOA_TRY(stoa_rowset_combine(&query->ranked, &query->ranked_now, true, err));
    query->n_places = count;

done:
    stoa_rowset_clear(&places);
    return status;
}

/* Rows by their place in the order, until the limit is reached. False in *found if that takes
 * longer than to sort them all; the sorter is as good as new then. */
static stoa_status sort_first_places(stoa_query *query, bool *found, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_ranking *ranking = &query->plan.ranking;
    uint64_t n_found = 0;
    uint64_t n_rows;

    *found = true;
    for (uint64_t count = ranking->first; *found && n_found < query->n_left; count *= 4) {
        *found = count <= ranking->most;
        if (*found) {
            STOA_TRY(look_at_places(query, count, found, &n_rows, err));
            n_found += n_rows;
        }
    }
    if (!*found) {
        query->n_places = 0;
        query->drained = false;
        stoa_sorter_clear(&query->sorter);
        stoa_scan_restart(&query->scan, &query->plan.rows, &query->plan.certain);
        STOA_TRY(open_sorter(query, err));
    }

done:
    return status;
}

/* Everything into the sorter, once; of an order that an index knows, the first rows. */
static stoa_status sort_all(stoa_query *query, stoa_error *err)
{
    stoa_status status = STOA_OK;
    bool found = false;
    uint64_t n_rows;

    STOA_TRY(open_sorter(query, err));
    if (query->plan.is_ranked) {
        STOA_TRY(sort_first_places(query, &found, err));
    }
    if (!found) {
        STOA_TRY(feed_sorter(query, &n_rows, err));
    }
    STOA_TRY(stoa_sorter_finish(&query->sorter, err));

done:
    return status;
}

/* No more rows than the limit leaves. Only groups ever have more: a scan stops by itself. */
static void apply_limit(stoa_query *query, struct ArrowArray *out)
{
    if (out->release == NULL) {
        return;
    }
    if ((uint64_t)out->length > query->n_left) {
        out->length = (int64_t)query->n_left;
    }
    query->n_left -= (uint64_t)out->length;
}

static stoa_status run_next(void *self, struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_query *query = self;

    *out = (struct ArrowArray){0};
    if (query->n_left == 0 && query->n_orders == 0) {
        goto done;
    }
    if (query->n_orders == 0) {
        STOA_TRY(next_unsorted(query, out, err));
        apply_limit(query, out);
        goto done;
    }
    if (query->sorter.schema == NULL) {
        STOA_TRY(sort_all(query, err));
    }
    STOA_TRY(stoa_sorter_next(&query->sorter, STOA_OUTPUT_ROWS, out, err));

done:
    if (status != STOA_OK) {
        stoa_array_release(out);
        *out = (struct ArrowArray){0};
    }
    return status;
}

static stoa_status run_schema(void *self, struct ArrowSchema *out, stoa_error *err)
{
    const stoa_query *query = self;

    return stoa_schema_copy(&query->schema, out, err);
}

const stoa_producer stoa_query_producer = {run_schema, run_next, NULL};

/* Rows that are only counted need no look if they are certain. */
static stoa_status count_certain(stoa_query *query, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_plan *plan = &query->plan;

    if (!query->counting) {
        return STOA_OK;
    }
    STOA_TRY(stoa_rowset_subtract(&plan->rows, &plan->certain, &query->uncertain, err));
    for (size_t i = 0; i < query->n_aggregates; i++) {
        STOA_TRY(stoa_aggregate_count_rows(&query->aggregates[i], stoa_rowset_count(&plan->certain),
                                           err));
    }

done:
    return status;
}

stoa_status stoa_query_start(stoa_query *query, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_expr **keys = NULL;

    query->running = true;
    query->n_left = query->options.limit < 0 ? UINT64_MAX : (uint64_t)query->options.limit;
    query->n_groups = query->aggregated && query->n_by == 0; /* the one group of all rows */
    STOA_TRY(count_certain(query, err));
    STOA_TRY(stoa_scan_open(&query->scan, query->table, &query->scope, query->where, query->wanted,
                            query->counting ? &query->uncertain : &query->plan.rows,
                            &query->plan.certain, err));
    query->scan.listener = query->options.listener;
    if (!query->aggregated && query->n_orders == 0) {
        query->scan.limit = query->n_left;
    }
    STOA_TRY(stoa_evaluation_open(&query->evaluation, &query->scope, err));
    if (query->aggregated) {
        query->ids = stoa_alloc_zero(STOA_WINDOW_ROWS, sizeof *query->ids);
        keys = stoa_alloc_zero(query->n_by, sizeof *keys);
        STOA_TRY(query->ids != NULL && keys != NULL ? STOA_OK : stoa_fail_memory(err));
        for (size_t i = 0; i < query->n_by; i++) {
            keys[i] = query->outputs[i].expr;
        }
        STOA_TRY(stoa_groups_open(&query->groups, keys, query->n_by, err));
    }

done:
    free(keys);
    return status;
}
