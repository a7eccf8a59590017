/*
 * Groups as batches of columns, in the order in which they first appeared.
 *
 * The groups of each partition are in this order, too. So a batch has consecutive groups of each
 * partition. All threads make them, one partition each, and then bring them into order, one column
 * each.
 */
#include "query/run/group_batches.h"

#include <stdlib.h>
#include <string.h>

#include "arrow/take.h"

/* The keys and aggregates of groups [first, first + n) of one state. */
static stoa_status make_columns(const stoa_query *query, const stoa_groups *groups,
                                stoa_aggregate *aggregates, uint32_t first, uint32_t n,
                                const stoa_listener *listener, struct ArrowArray *out,
                                stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_arena arena = {0};
    stoa_vector values;

    STOA_TRY(stoa_struct_of(n, query->n_by + query->n_aggregates, out, err));
    for (size_t i = 0; i < query->n_by; i++) {
        STOA_TRY(stoa_groups_key(groups, i, first, n, &arena, &values, err));
        STOA_TRY(stoa_emit(&values, &query->outputs[i].type, out->children[i], err));
    }
    for (size_t i = 0; i < query->n_aggregates; i++) {
        stoa_aggregate *const aggregate = &aggregates[i];
        aggregate->listener = listener;
        STOA_TRY(stoa_aggregate_array(aggregate, first, n, out->children[query->n_by + i], err));
    }

done:
    stoa_arena_clear(&arena);
    return status;
}

/* Partitions -------------------------------------------------------------------------------- */

/* Pick the next n groups of all partitions, and count those of each. */
static void pick_groups(const stoa_partition *partitions, uint32_t n, uint32_t *counts,
                        stoa_row_source *picks)
{
    const uint64_t *next[STOA_PARTITIONS];
    uint64_t first[STOA_PARTITIONS];
    const uint64_t *ends[STOA_PARTITIONS];

    for (size_t p = 0; p < STOA_PARTITIONS; p++) {
        const uint64_t *const firsts = (const uint64_t *)(const void *)partitions[p].firsts.data;
        next[p] = firsts + partitions[p].next;
        ends[p] = firsts + partitions[p].groups.n_groups;
        first[p] = next[p] < ends[p] ? *next[p] : UINT64_MAX;
        counts[p] = 0;
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t best = 0;
        for (uint32_t p = 1; p < STOA_PARTITIONS; p++) {
            best = first[p] < first[best] ? p : best;
        }
        picks[i] = (stoa_row_source){counts[best]++, best};
        next[best]++;
        first[best] = next[best] < ends[best] ? *next[best] : UINT64_MAX;
    }
}

/* A batch that threads make together. */
typedef struct making {
    const stoa_query *query;
    struct ArrowArray parts[STOA_PARTITIONS];
    uint32_t counts[STOA_PARTITIONS];
    stoa_row_source *picks;
    struct ArrowArray *out;
} making;

static stoa_status make_part(void *context, stoa_scan_worker *scan_worker, uint64_t p,
                             stoa_error *err)
{
    making *const m = context;
    stoa_partition *const from = &m->query->partitions[p];

    STOA_RETURN_NOT_OK(make_columns(m->query, &from->groups, from->aggregates, from->next,
                                    m->counts[p], &scan_worker->listener, &m->parts[p], err));
    from->next += m->counts[p];
    return STOA_OK;
}

/* Bring one column of the partitions' groups into order. */
static stoa_status order_column(void *context, stoa_scan_worker *scan_worker, uint64_t i,
                                stoa_error *err)
{
    making *const m = context;
    stoa_view views[STOA_PARTITIONS];
    const stoa_view *sources[STOA_PARTITIONS];

    (void)scan_worker;
    for (size_t p = 0; p < STOA_PARTITIONS; p++) {
        STOA_RETURN_NOT_OK(stoa_view_of_sound(m->query->group_schema.children[i],
                                              m->parts[p].children[i], &views[p], err));
        sources[p] = &views[p];
    }
    return stoa_take(sources, STOA_PARTITIONS, m->picks, m->out->length, m->out->children[i], err);
}

static stoa_status make_ordered(stoa_query *query, uint32_t n, struct ArrowArray *out,
                                stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t n_columns = query->n_by + query->n_aggregates;
    making m = {.query = query, .picks = stoa_alloc(n, sizeof *m.picks), .out = out};

    STOA_TRY(m.picks != NULL ? STOA_OK : stoa_fail_memory(err));
    pick_groups(query->partitions, n, m.counts, m.picks);
    STOA_TRY(stoa_scan_run(&query->scan, STOA_PARTITIONS, make_part, &m, err));
    STOA_TRY(stoa_struct_of(n, n_columns, out, err));
    STOA_TRY(stoa_scan_run(&query->scan, n_columns, order_column, &m, err));

done:
    for (size_t p = 0; p < STOA_PARTITIONS; p++) {
        stoa_array_release(&m.parts[p]);
    }
    free(m.picks);
    return status;
}

/* Batches ----------------------------------------------------------------------------------- */

/* The keys and aggregates of the next n groups. */
static stoa_status make_groups(stoa_query *query, uint32_t n, struct ArrowArray *out,
                               stoa_error *err)
{
    STOA_RETURN_NOT_OK(query->partitions != NULL
                           ? make_ordered(query, n, out, err)
                           : make_columns(query, &query->groups, query->aggregates,
                                          (uint32_t)query->next_group, n, &query->options.listener,
                                          out, err));
    query->next_group += n;
    return STOA_OK;
}

stoa_status stoa_query_next_groups(stoa_query *query, struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowArray groups = {0};

    if (!query->grouped) {
        STOA_TRY(stoa_query_group(query, err));
        query->grouped = true;
    }
    while (query->next_group < query->n_groups && (out->release == NULL || out->length == 0)) {
        const uint64_t left = query->n_groups - query->next_group;
        STOA_TRY(query->next_group > 0 ? stoa_scan_tell(&query->scan, err) : STOA_OK);
        stoa_array_release(out);
        STOA_TRY(make_groups(query, left < STOA_OUTPUT_ROWS ? (uint32_t)left : STOA_OUTPUT_ROWS,
                             &groups, err));
        STOA_TRY(stoa_group_outputs_make(query, &groups, out, err));
    }
    if (out->release != NULL && out->length == 0) {
        stoa_array_release(out); /* no group is left that passes */
        *out = (struct ArrowArray){0};
    }
    for (size_t i = 0; out->release != NULL && i < query->n_orders; i++) {
        const stoa_order *const order = &query->orders[i];
        STOA_TRY(order->of_group == NULL
                     ? stoa_array_share(out->children[order->output],
                                        out->children[query->n_outputs + i], err)
                     : STOA_OK);
    }

done:
    stoa_array_release(&groups);
    return status;
}
