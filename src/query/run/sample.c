#include "query/run/sample.h"

#include <math.h>
#include <stdlib.h>

#include "core/min_of.h"

/* Random numbers ---------------------------------------------------------------------------- */

/* SplitMix64 (Steele, Lea, Flood 2014). */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);

    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/* The logarithm of a number above 0 and below 1. */
static double log_of_random(uint64_t *state)
{
    return log(((double)(next_random(state) >> 12) + 0.5) * 0x1p-52);
}

/* A number below n, which is at most 2^53. */
static uint64_t random_below(uint64_t *state, uint64_t n)
{
    const uint64_t below = (uint64_t)((double)(next_random(state) >> 11) * 0x1p-53 * (double)n);

    return below < n ? below : n - 1;
}

/* The reservoir ----------------------------------------------------------------------------- */

/* Choose the next row to take, behind the one at `at`. */
static void skip(stoa_reservoir *r, uint64_t at)
{
    r->weight *= exp(log_of_random(&r->state) / (double)r->wanted);
    const double gap = floor(log_of_random(&r->state) / log1p(-r->weight));

    r->next = gap < 0x1p62 && r->weight > 0 ? at + 1 + (uint64_t)gap : UINT64_MAX;
}

stoa_status stoa_reservoir_offer(stoa_reservoir *r, uint64_t first, uint64_t n,
                                 const uint64_t *listed, stoa_error *err)
{
    const uint64_t end = r->n_seen + n;
    uint64_t at = r->n_seen;

    for (; at < end && at < r->wanted; at++) {
        const uint64_t i = at - r->n_seen;
        const uint64_t row = listed != NULL ? listed[i] : first + i;
        STOA_RETURN_NOT_OK(stoa_buffer_append(&r->rows, &row, sizeof row, err));
        if (at + 1 == r->wanted) {
            r->weight = 1;
            skip(r, at);
        }
    }
    uint64_t *const rows = (uint64_t *)(void *)r->rows.data;
    while (end > r->wanted && r->next < end) {
        const uint64_t i = r->next - r->n_seen;
        rows[random_below(&r->state, r->wanted)] = listed != NULL ? listed[i] : first + i;
        skip(r, r->next);
    }
    r->n_seen = end;
    return STOA_OK;
}

void stoa_reservoir_clear(stoa_reservoir *r)
{
    stoa_buffer_clear(&r->rows);
}

/* Rows of a query --------------------------------------------------------------------------- */

/* Scan for the rows that pass, and offer them. */
static stoa_status offer_passing(stoa_query *query, const stoa_scan_request *request,
                                 stoa_reservoir *r, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_scan_request numbers = *request;
    struct ArrowArray batch = {0};
    const uint64_t n_left = query->n_left;

    numbers.is_folded = false;
    numbers.wanted = stoa_arena_zero(&query->arena, query->scope.n_columns, sizeof(stoa_use));
    STOA_RETURN_NO_MEMORY(err, numbers.wanted);
    query->is_sampling = true;
    query->n_left = UINT64_MAX;
    STOA_TRY(stoa_scan_open(&query->scan, &numbers, err));
    for (;;) {
        STOA_TRY(stoa_query_next_rows(query, &batch, err));
        if (batch.release == NULL) {
            break;
        }
        STOA_TRY(
            stoa_reservoir_offer(r, 0, (uint64_t)batch.length, batch.children[0]->buffers[1], err));
        stoa_array_release(&batch);
    }

done:
    stoa_array_release(&batch);
    stoa_query_clear_rows(query);
    query->batch_group = (stoa_batch_group){0};
    query->sampled = query->scan.counts;
    stoa_scan_clear(&query->scan);
    query->scan = (stoa_scan){.n_testers = 0};
    query->n_left = n_left;
    query->is_sampling = false;
    return status;
}

/* Make the rows of the reservoir the plan's. */
static stoa_status replace_rows(stoa_plan *plan, stoa_reservoir *r, stoa_error *err)
{
    uint64_t *const rows = (uint64_t *)(void *)r->rows.data;
    const size_t n = r->rows.size / sizeof *rows;

    stoa_rowset_clear(&plan->rows);
    stoa_rowset_clear(&plan->certain);
    if (n > 0) {
        qsort(rows, n, sizeof *rows, stoa_order_u64);
    }
    for (size_t i = 0; i < n; i++) {
        STOA_RETURN_NOT_OK(stoa_rowset_push(&plan->rows, rows[i], 1, err));
        STOA_RETURN_NOT_OK(stoa_rowset_push(&plan->certain, rows[i], 1, err));
    }
    return STOA_OK;
}

stoa_status stoa_query_sample(stoa_query *query, const stoa_scan_request *request, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_plan *const plan = &query->plan;
    const uint64_t n = stoa_rowset_count(&plan->rows);
    const bool all_pass = stoa_query_passes_all(query);
    stoa_reservoir r = {.wanted = query->options.sample, .state = query->options.seed};

    if (query->options.sample == 0 || n <= query->options.sample) {
        return STOA_OK;
    }
    if (!all_pass) {
        STOA_TRY(offer_passing(query, request, &r, err));
    }
    for (size_t i = 0; all_pass && i < plan->rows.n_ranges; i++) {
        STOA_TRY(stoa_reservoir_offer(&r, plan->rows.ranges[i].first, plan->rows.ranges[i].count,
                                      NULL, err));
    }
    STOA_TRY(replace_rows(plan, &r, err));

done:
    stoa_reservoir_clear(&r);
    return status;
}
