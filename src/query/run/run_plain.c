/*
 * Queries without aggregates, in batch groups. The morsels of a batch group are processed in
 * parallel, one thread each, and then handed out in order.
 *
 * A batch group is small, because it is held in memory. With a limit the first one is a single
 * morsel, or a few if rows are found for an order. The sizes do not depend on the number of threads
 * then, so neither does what is read.
 */
#include <stdlib.h>

#include "core/min_of.h"
#include "query/eval/lists.h"
#include "query/run/decode_categories.h"

enum {
    BATCH_GROUP_BYTES = 33554432, /* of rows that pass, beyond one morsel per thread */
    MORSELS_A_THREAD = 16,        /* at most */
    LIMITED_GROUP_MORSELS = 16,   /* at most */
    FINDING_MORSELS = 4 /* at first, for any number of threads: groups share a threshold */
};

/* A processed morsel. */
typedef struct stoa_batch_group_part {
    stoa_morsel morsel;
    stoa_scan_counts counts;
    bool is_counted;
    stoa_buffer batches; /* struct ArrowArray; released when handed out */
    bool is_whole;       /* it ended without a failure */
    stoa_status status;  /* if not whole: its failure, or if OK that of the batch group */
    stoa_error error;
} stoa_batch_group_part;

/* What a thread keeps from morsel to morsel. */
typedef struct stoa_batch_group_worker {
    stoa_batcher batcher;
    stoa_evaluation evaluation; /* used for the outputs */
    stoa_sorter finder;         /* keeps the morsel's first rows of the query's order */
    stoa_threshold threshold;   /* what further rows must pass */
} stoa_batch_group_worker;

/* Output rows ------------------------------------------------------------------------------- */

static stoa_status row_numbers(const stoa_batch *batch, struct ArrowArray *out, stoa_error *err)
{
    uint64_t *rows = stoa_alloc((size_t)batch->n, sizeof *rows);

    STOA_RETURN_NO_MEMORY(err, rows);
    for (int64_t i = 0; i < batch->n; i++) {
        rows[i] = batch->rows != NULL ? batch->rows[i] : batch->first + (uint64_t)i;
    }
    return stoa_array_make(out, batch->n, 0, 2, (void *[]){NULL, rows}, err);
}

static bool asks_for_rows(const stoa_query *query)
{
    bool asks = query->is_finding || query->is_sampling || query->found_keys.release != NULL;

    for (size_t i = 0; i < query->n_outputs; i++) {
        asks = asks || query->outputs[i].expr == NULL;
    }
    return asks;
}

/* Evaluate an expression for the whole batch. Plain columns are shared with the batch. */
static stoa_status column_of_expr(stoa_evaluation *ev, stoa_batch *batch, const stoa_expr *expr,
                                  struct ArrowArray *out, stoa_error *err)
{
    stoa_lists lists;
    stoa_vector values;

    if (expr->op == STOA_OP_COLUMN) {
        return stoa_array_share(&batch->arrays[expr->column], out, err);
    }
    stoa_evaluation_move(ev, batch->views, 0, batch->n);
    if (stoa_expr_is_lists(expr)) {
        STOA_RETURN_NOT_OK(stoa_lists_of(ev, expr, &lists, err));
        return stoa_lists_to_array(&lists, batch->n, out, err);
    }
    STOA_RETURN_NOT_OK(stoa_eval(ev, expr, &values, err));
    const stoa_type type = stoa_type_of_expr(expr);
    return stoa_emit(&values, &type, out, err);
}

size_t stoa_query_key_of(const stoa_query *query, const stoa_output *output)
{
    for (size_t k = 0; k < query->n_orders && output->expr != NULL; k++) {
        const stoa_expr *key = query->orders[k].expr;
        if (output->expr->op == STOA_OP_COLUMN && key->op == STOA_OP_COLUMN &&
            key->column == output->expr->column) {
            return k;
        }
    }
    return SIZE_MAX;
}

/* Key k of a batch of rows that were found: all found rows from its first one on. */
static stoa_status key_found(const stoa_query *query, const stoa_batch *batch, size_t k,
                             struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const struct ArrowArray *found = &query->found_keys;
    const size_t at = stoa_place_of_u64(found->children[0]->buffers[1], (size_t)found->length,
                                        batch->rows != NULL ? batch->rows[0] : batch->first);
    stoa_view view;
    const stoa_view *const views[] = {&view};
    stoa_row_source *picks = stoa_alloc((size_t)batch->n, sizeof *picks);

    STOA_TRY(picks != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_view_of(query->find_schema.children[k + 1], found->children[k + 1], &view, err));
    for (int64_t i = 0; i < batch->n; i++) {
        picks[i] = (stoa_row_source){(int64_t)at + i, 0};
    }
    STOA_TRY(stoa_take(views, 1, picks, batch->n, out, err));

done:
    free(picks);
    return status;
}

/* Make output columns followed by sort keys from a batch; if rows are being found, row numbers
 * and keys; for a sample, row numbers. */
static stoa_status make_answer(const stoa_query *query, stoa_evaluation *ev, stoa_batch *batch,
                               struct ArrowArray *out, stoa_error *err)
{
    const bool are_numbers = query->is_finding || query->is_sampling;
    const size_t n_outputs = are_numbers ? 1 : query->n_outputs;
    const size_t n_orders = query->is_sampling ? 0 : query->n_orders;
    const bool has_keys = query->found_keys.release != NULL;
    STOA_RETURN_NOT_OK(stoa_struct_of(batch->n, n_outputs + n_orders, out, err));
    for (size_t i = 0; i < n_outputs; i++) {
        const stoa_expr *expr = are_numbers ? NULL : query->outputs[i].expr;
        const size_t key = has_keys ? stoa_query_key_of(query, &query->outputs[i]) : SIZE_MAX;
        STOA_RETURN_NOT_OK(expr == NULL ? row_numbers(batch, out->children[i], err)
                           : key != SIZE_MAX
                               ? key_found(query, batch, key, out->children[i], err)
                               : column_of_expr(ev, batch, expr, out->children[i], err));
    }
    for (size_t i = 0; i < n_orders; i++) {
        struct ArrowArray *child = out->children[n_outputs + i];
        STOA_RETURN_NOT_OK(has_keys ? key_found(query, batch, i, child, err)
                                    : column_of_expr(ev, batch, query->orders[i].expr, child, err));
    }
    return STOA_OK;
}

/* Morsels ----------------------------------------------------------------------------------- */

static stoa_status open_worker(const stoa_query *query, stoa_scan_worker *scan_worker,
                               stoa_batch_group_worker *worker, stoa_error *err)
{
    stoa_status status = STOA_OK;

    if (worker->batcher.scan_worker == NULL) {
        STOA_RETURN_NOT_OK(stoa_evaluation_open(&worker->evaluation, &query->scope, err));
        status = stoa_batcher_open(&worker->batcher, scan_worker, err);
        if (status != STOA_OK) {
            stoa_evaluation_clear(&worker->evaluation);
        }
    }
    return status;
}

stoa_status stoa_query_open_finder(const stoa_query *query, stoa_sorter *sorter, bool is_worker,
                                   stoa_error *err)
{
    const stoa_sort_request request = {
        .schema = &query->find_schema,
        .n_outputs = 1,
        .descending = query->descending,
        .limit = query->n_left,
        .memory = is_worker ? UINT64_MAX : query->sort_memory,
        .workers = is_worker ? NULL : query->workers,
        .listener = is_worker ? NULL : &query->options.listener,
        .before = is_worker ? &query->sorter : NULL,
    };

    return stoa_sorter_open(sorter, &request, err);
}

/* Demand that further rows of the morsel come before the best that are known: its own, or those of
 * the morsels before it. All these precede the rows, so that a row with the same only key is too
 * late. */
static stoa_status set_threshold(const stoa_query *query, stoa_batch_group_worker *worker,
                                 stoa_error *err)
{
    stoa_evaluation *ev = &worker->batcher.scan_worker->evaluation;
    const stoa_order *first = &query->orders[0];
    stoa_sort_row last;

    ev->threshold = query->probed.is_set ? &query->probed.test : NULL;
    if (query->has_threshold &&
        (stoa_sorter_last(&worker->finder, &last) || stoa_sorter_last(&query->sorter, &last))) {
        STOA_RETURN_NOT_OK(stoa_threshold_set(&worker->threshold, first->expr, &last.views[1],
                                              last.row, query->descending[0], query->n_orders == 1,
                                              err));
        ev->threshold = worker->threshold.is_set ? &worker->threshold.test : ev->threshold;
    }
    return STOA_OK;
}

/* The morsel's rows that may be among the first of the order: row numbers and keys, as one
 * batch. */
static stoa_status find_rows(const stoa_query *query, stoa_batch_group_worker *worker,
                             stoa_batch_group_part *part, stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowArray answer = {0};
    stoa_batch *batch = NULL;

    if (!worker->finder.is_open) {
        STOA_TRY(stoa_query_open_finder(query, &worker->finder, true, err));
    }
    for (;;) {
        STOA_TRY(set_threshold(query, worker, err));
        STOA_TRY(stoa_batcher_next(&worker->batcher, &batch, err));
        if (batch == NULL) {
            break;
        }
        STOA_TRY(make_answer(query, &worker->evaluation, batch, &answer, err));
        STOA_TRY(stoa_sorter_add(&worker->finder, &answer, err));
    }
    STOA_TRY(stoa_buffer_reserve(&part->batches, sizeof answer, err));
    STOA_TRY(stoa_sorter_drain(&worker->finder, &answer, err));
    if (answer.release != NULL) {
        STOA_TRY(stoa_buffer_append(&part->batches, &answer, sizeof answer, err)); /* reserved */
        answer = (struct ArrowArray){0};
    }

done:
    stoa_array_release(&answer);
    return status;
}

static stoa_status make_batches(const stoa_query *query, stoa_batch_group_worker *worker,
                                stoa_batch_group_part *part, stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowArray answer = {0};
    stoa_batch *batch = NULL;

    for (;;) {
        STOA_TRY(stoa_batcher_next(&worker->batcher, &batch, err));
        if (batch == NULL) {
            break;
        }
        STOA_TRY(stoa_buffer_reserve(&part->batches, sizeof answer, err));
        STOA_TRY(make_answer(query, &worker->evaluation, batch, &answer, err));
        if (query->n_orders == 0 &&
            !query->is_sampling) { /* otherwise the codes are still to be sorted */
            STOA_TRY(stoa_query_decode_categories(query, &answer, err));
        }
        STOA_TRY(stoa_buffer_append(&part->batches, &answer, sizeof answer, err)); /* reserved */
        answer = (struct ArrowArray){0};
    }

done:
    stoa_array_release(&answer);
    return status;
}

/* Process a morsel. A failure takes effect after the rows before it, so a limit that is reached
 * earlier hides it. */
static stoa_status do_morsel(void *context, stoa_scan_worker *scan_worker, uint64_t number,
                             stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_query *query = context;
    stoa_batch_group_part *part = &query->batch_group.parts[number];
    stoa_batch_group_worker *worker = &query->batch_group.workers[scan_worker->worker];

    STOA_TRY(open_worker(query, scan_worker, worker, err));
    stoa_scan_worker_begin(scan_worker, &part->morsel);
    worker->batcher.leaves_rows = !asks_for_rows(query);
    stoa_batcher_begin(&worker->batcher);
    scan_worker->evaluation.threshold = NULL;
    STOA_TRY(query->is_finding ? find_rows(query, worker, part, err)
                               : make_batches(query, worker, part, err));
    part->counts = scan_worker->counts;
    part->counts.passed =
        query->is_finding ? scan_worker->counts.passed : 0; /* otherwise counted when handed out */
    part->is_whole = true;

done:
    part->status = status;
    if (status != STOA_OK && err != NULL) {
        part->error = *err;
    }
    return status;
}

/* Batch groups ------------------------------------------------------------------------------ */

static void drop_parts(stoa_batch_group *group)
{
    for (size_t p = 0; p < group->n_parts; p++) {
        struct ArrowArray *batches = (struct ArrowArray *)(void *)group->parts[p].batches.data;
        for (size_t i = 0; i < group->parts[p].batches.size / sizeof *batches; i++) {
            stoa_array_release(&batches[i]);
        }
        stoa_buffer_clear(&group->parts[p].batches);
    }
    free(group->parts);
    group->parts = NULL;
    group->n_parts = 0;
    group->at = 0;
    group->next_batch = 0;
    group->n_rows = 0;
}

void stoa_query_restart_rows(stoa_query *query)
{
    drop_parts(&query->batch_group);
    query->batch_group.size = 0;
}

void stoa_query_clear_rows(stoa_query *query)
{
    stoa_batch_group *group = &query->batch_group;

    drop_parts(group);
    for (unsigned i = 0; group->workers != NULL && i < query->scan.n_testers; i++) {
        stoa_batcher_clear(&group->workers[i].batcher);
        stoa_evaluation_clear(&group->workers[i].evaluation);
        stoa_sorter_clear(&group->workers[i].finder);
        stoa_threshold_clear(&group->workers[i].threshold);
    }
    free(group->workers);
    group->workers = NULL;
}

/* Choose the number of morsels to process next: double it as long as they have few rows. */
static void grow_batch_group(stoa_query *query)
{
    const stoa_scan *scan = &query->scan;
    stoa_batch_group *group = &query->batch_group;
    const bool is_limited = scan->limit != UINT64_MAX;
    const bool is_sorted = query->n_orders > 0;
    const uint64_t bytes = is_sorted && query->batch_memory < BATCH_GROUP_BYTES
                               ? query->batch_memory
                               : BATCH_GROUP_BYTES;
    const bool is_tight =
        is_sorted && query->batch_memory < scan->n_testers * (uint64_t)STOA_MORSEL_BYTES;
    const size_t least = query->is_finding        ? FINDING_MORSELS
                         : is_limited || is_tight ? 1
                                                  : scan->n_testers;
    const bool is_alone = scan->n_testers == 1 && !is_sorted; /* more would not keep threads busy */
    const size_t most = is_limited ? LIMITED_GROUP_MORSELS
                        : is_alone ? 1
                                   : least * MORSELS_A_THREAD;
    const uint64_t rows =
        group->n_parts > 0 ? group->n_rows / group->n_parts + 1 : 1; /* per morsel */
    const uint64_t fitting = bytes / scan->row_bytes / rows;

    group->size = group->size > 0 ? group->size * 2 : is_sorted && scan->is_little ? most : least;
    group->size = group->size < fitting ? group->size : (size_t)fitting;
    group->size = group->size < most ? group->size : most;
    group->size -= group->size % least; /* equal numbers, so no thread waits for others */
    group->size = group->size > least ? group->size : least;
}

/* Cut the morsels of the next batch group. If all rows pass, do not cut more than the limit. */
static void cut_batch_group(stoa_query *query)
{
    stoa_scan *scan = &query->scan;
    stoa_batch_group *group = &query->batch_group;
    uint64_t left = scan->limit;

    while (group->n_parts < group->size && left > 0 &&
           stoa_scan_cut(scan, &group->parts[group->n_parts].morsel)) {
        stoa_morsel *morsel = &group->parts[group->n_parts++].morsel;
        morsel->limit = left;
        if (query->where == NULL && left != UINT64_MAX) {
            left -= morsel->n < left ? morsel->n : left;
        }
    }
}

static stoa_status run_batch_group(stoa_query *query, stoa_error *err)
{
    stoa_batch_group *group = &query->batch_group;

    if (query->n_orders == 0) {
        query->scan.limit = query->n_left;
    }
    grow_batch_group(query);
    drop_parts(group);
    group->parts = stoa_alloc_zero(group->size, sizeof *group->parts);
    STOA_RETURN_NO_MEMORY(err, group->parts);
    if (group->workers == NULL) {
        group->workers = stoa_alloc_zero(query->scan.n_testers, sizeof *group->workers);
        STOA_RETURN_NO_MEMORY(err, group->workers);
    }
    cut_batch_group(query);
    if (query->is_finding) { /* the best so far are the threshold of this group */
        STOA_RETURN_NOT_OK(stoa_sorter_cut(&query->sorter, err));
    }
    /* A failure is reported when it is reached, since the rows before it may be enough. */
    group->error = (stoa_error)STOA_ERROR_INIT;
    group->status = stoa_scan_run(&query->scan, group->n_parts, do_morsel, query, &group->error);
    return STOA_OK;
}

/* The next batch of a part; out->release is NULL if there are no more. */
static stoa_status hand_out(stoa_query *query, stoa_batch_group_part *part, struct ArrowArray *out,
                            stoa_error *err)
{
    struct ArrowArray *batches = (struct ArrowArray *)(void *)part->batches.data;

    if (!part->is_counted) {
        stoa_scan_count(&query->scan, &part->counts);
        part->is_counted = true;
    }
    if (query->batch_group.next_batch < part->batches.size / sizeof *batches) {
        stoa_array_move(&batches[query->batch_group.next_batch++], out);
        const uint64_t n = (uint64_t)out->length;
        query->batch_group.n_rows += n;
        if (!query->is_finding) {
            query->scan.counts.passed += n < query->scan.limit ? n : query->scan.limit;
        }
        return STOA_OK;
    }
    if (part->is_whole) {
        return STOA_OK;
    }
    const bool has_own = part->status != STOA_OK;
    if (err != NULL) {
        *err = has_own ? part->error : query->batch_group.error;
    }
    return has_own ? part->status : query->batch_group.status;
}

stoa_status stoa_query_next_rows(stoa_query *query, struct ArrowArray *out, stoa_error *err)
{
    stoa_batch_group *group = &query->batch_group;

    *out = (struct ArrowArray){0};
    for (;;) {
        if (group->at == group->n_parts) {
            STOA_RETURN_NOT_OK(run_batch_group(query, err));
            if (group->n_parts == 0) {
                break;
            }
        }
        STOA_RETURN_NOT_OK(hand_out(query, &group->parts[group->at], out, err));
        if (out->release != NULL) {
            break;
        }
        group->at++;
        group->next_batch = 0;
    }
    return STOA_OK;
}
