/* The run of a query: scan to columns, or scan to groups; then the order; then the limit. */
#include "core/min_of.h"
#include "query/run/decode_categories.h"
#include "query/run/sample.h"
#include "table/open/table.h"

/* An aggregate may use at least this much memory, whatever the query's limit. With less, its
 * files would be read too often. */
enum { MIN_BYTES = 65536 };

/* Cut the batch to the limit. Only groups can exceed it, because a scan stops by itself. */
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

/* Cut the rows of the offset off the front. */
static void skip_rows(stoa_query *query, struct ArrowArray *out)
{
    const uint64_t length = (uint64_t)out->length;
    const int64_t n = (int64_t)(query->n_skip < length ? query->n_skip : length);

    query->n_skip -= (uint64_t)n;
    out->length -= n;
    for (int64_t i = 0; n > 0 && i < out->n_children; i++) {
        out->children[i]->offset += n;
        out->children[i]->length -= n;
        out->children[i]->null_count = -1;
    }
}

static stoa_status next_batch(stoa_query *query, struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;

    *out = (struct ArrowArray){0};
    if (query->n_left == 0 && query->n_orders == 0) {
        goto done;
    }
    if (query->n_orders == 0) {
        STOA_TRY(stoa_query_next_unsorted(query, out, err));
        apply_limit(query, out);
        goto done;
    }
    if (!query->sorted) {
        query->sorted = true;
        STOA_TRY(stoa_query_sort_rows(query, err));
    }
    STOA_TRY(stoa_sorter_next(&query->sorter, STOA_OUTPUT_ROWS, out, err));
    if (out->release != NULL) {
        STOA_TRY(stoa_query_decode_categories(query, out, err));
    }

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

static stoa_status run_next(void *self, struct ArrowArray *out, stoa_error *err)
{
    stoa_query *query = self;

    do {
        stoa_array_release(out);
        STOA_RETURN_NOT_OK(next_batch(query, out, err));
        if (out->release != NULL) {
            skip_rows(query, out);
        }
    } while (out->release != NULL && out->length == 0 && query->n_left > 0);
    return STOA_OK;
}

const stoa_producer stoa_query_producer = {run_schema, run_next, NULL};

/* If rows are only counted, certain rows need not be read. */
static stoa_status count_certain(stoa_query *query, stoa_error *err)
{
    const stoa_plan *plan = &query->plan;

    if (!query->counting) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(stoa_rowset_subtract(&plan->rows, &plan->certain, &query->uncertain, err));
    for (size_t i = 0; i < query->n_aggregates; i++) {
        STOA_RETURN_NOT_OK(stoa_aggregate_count_rows(
            &query->aggregates[i], stoa_rowset_count(&plan->certain) + plan->n_counted, err));
    }
    return STOA_OK;
}

/* Do not read the rows of the offset if it is known which they are. */
static void skip_candidates(stoa_query *query)
{
    stoa_plan *const plan = &query->plan;
    const uint64_t n = stoa_min_of(query->n_skip, stoa_rowset_count(&plan->rows));

    if (query->aggregated || query->n_orders > 0 || !stoa_query_passes_all(query)) {
        return;
    }
    stoa_rowset_drop(&plan->rows, n);
    stoa_rowset_drop(&plan->certain, n);
    query->n_skip -= n;
    if (query->n_left != UINT64_MAX) {
        query->n_left -= n;
    }
}

stoa_status stoa_query_start(stoa_query *query, stoa_error *err)
{
    query->running = true;
    query->n_left = stoa_query_limit(query);
    query->n_skip = query->options.offset;
    const uint64_t memory = query->options.memory != 0 ? query->options.memory : stoa_sort_memory();
    query->batch_memory = memory / 4;
    query->sort_memory = memory - query->batch_memory;
    for (size_t i = 0; i < query->n_aggregates; i++) {
        const uint64_t share = memory / 8 / query->n_aggregates;
        query->aggregates[i].most_bytes = (size_t)(share > MIN_BYTES ? share : MIN_BYTES);
    }
    query->n_groups = query->aggregated && query->n_by == 0; /* the group of all rows */
    STOA_RETURN_NOT_OK(count_certain(query, err));
    STOA_RETURN_NOT_OK(
        stoa_table_borrow_workers(query->table, query->options.threads, &query->workers, err));
    const stoa_scan_request request = {
        .table = query->table,
        .scope = &query->scope,
        .predicate = query->where,
        .marked = &query->plan.marked,
        .wanted = query->wanted,
        .candidates = {query->counting ? &query->uncertain : &query->plan.rows,
                       &query->plan.certain},
        .is_folded = query->aggregated,
        .workers = query->workers,
        .listener = query->options.listener,
    };
    STOA_RETURN_NOT_OK(stoa_query_sample(query, &request, err));
    skip_candidates(query);
    STOA_RETURN_NOT_OK(stoa_scan_open(&query->scan, &request, err));
    if (query->sampled.rows > 0) {
        stoa_scan_count(&query->scan, &query->sampled);
    }
    return STOA_OK;
}
