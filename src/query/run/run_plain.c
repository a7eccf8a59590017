/*
 * Queries without aggregates, in batch groups. The morsels of a batch group are processed in
 * parallel, one thread each, and then handed out in order.
 *
 * A batch group is small, because it is held in memory. With a limit the first one is a single
 * morsel. The sizes do not depend on the number of threads then, so neither does what is read.
 */
#include <stdlib.h>

#include "query/eval/lists.h"
#include "query/run/decode_categories.h"

enum {
    WAVE_ROW_BYTES = 33554432, /* of rows that pass, beyond one morsel per thread */
    SPANS_A_THREAD = 16,       /* at most */
    LIMITED_WAVE_SPANS = 16    /* at most */
};

/* A processed morsel. */
typedef struct stoa_wave_part {
    stoa_span span;
    stoa_scan_counts counts;
    bool is_counted;
    stoa_buffer batches; /* struct ArrowArray; released when handed out */
    bool is_whole;       /* it ended without a failure */
    stoa_status status;  /* if not whole: its failure, or if OK that of the batch group */
    stoa_error error;
} stoa_wave_part;

/* What a thread keeps from morsel to morsel. */
typedef struct stoa_wave_worker {
    stoa_batcher batcher;
    stoa_evaluation evaluation; /* used for the outputs */
    stoa_sorter finder;         /* keeps the morsel's first rows of the query's order */
} stoa_wave_worker;

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
    bool asks = query->is_finding;

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
    if (expr->op == STOA_OP_ITEM_AT && expr->type.domain == STOA_DOMAIN_OTHER) {
        STOA_RETURN_NOT_OK(stoa_lists_of(ev, expr, &lists, err));
        return stoa_lists_to_array(&lists, batch->n, out, err);
    }
    STOA_RETURN_NOT_OK(stoa_eval(ev, expr, &values, err));
    const stoa_type type = stoa_type_of_values(&expr->type);
    return stoa_emit(&values, &type, out, err);
}

/* Make output columns followed by sort keys from a batch; if rows are being found, row numbers
 * and keys. */
static stoa_status make_answer(const stoa_query *query, stoa_evaluation *ev, stoa_batch *batch,
                               struct ArrowArray *out, stoa_error *err)
{
    const size_t n_outputs = query->is_finding ? 1 : query->n_outputs;
    STOA_RETURN_NOT_OK(stoa_struct_of(batch->n, n_outputs + query->n_orders, out, err));
    for (size_t i = 0; i < n_outputs; i++) {
        const stoa_expr *expr = query->is_finding ? NULL : query->outputs[i].expr;
        STOA_RETURN_NOT_OK(expr == NULL ? row_numbers(batch, out->children[i], err)
                                        : column_of_expr(ev, batch, expr, out->children[i], err));
    }
    for (size_t i = 0; i < query->n_orders; i++) {
        STOA_RETURN_NOT_OK(
            column_of_expr(ev, batch, query->orders[i].expr, out->children[n_outputs + i], err));
    }
    return STOA_OK;
}

/* Morsels ----------------------------------------------------------------------------------- */

static stoa_status open_worker(const stoa_query *query, stoa_scan_worker *scan_worker,
                               stoa_wave_worker *worker, stoa_error *err)
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
        .listener = is_worker ? NULL : &query->options.listener,
        .before = is_worker ? &query->sorter : NULL,
    };

    return stoa_sorter_open(sorter, &request, err);
}

/* The morsel's rows that may be among the first of the order: row numbers and keys, as one
 * batch. */
static stoa_status find_rows(const stoa_query *query, stoa_wave_worker *worker,
                             stoa_wave_part *part, stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowArray answer = {0};
    stoa_batch *batch = NULL;

    if (!worker->finder.is_open) {
        STOA_TRY(stoa_query_open_finder(query, &worker->finder, true, err));
    }
    for (;;) {
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

static stoa_status make_batches(const stoa_query *query, stoa_wave_worker *worker,
                                stoa_wave_part *part, stoa_error *err)
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
        if (query->n_orders == 0) { /* otherwise the codes are still to be sorted */
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
static stoa_status do_span(void *context, stoa_scan_worker *scan_worker, uint64_t number,
                           stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_query *query = context;
    stoa_wave_part *part = &query->wave.parts[number];
    stoa_wave_worker *worker = &query->wave.workers[scan_worker->worker];

    STOA_TRY(open_worker(query, scan_worker, worker, err));
    stoa_scan_worker_begin(scan_worker, &part->span);
    worker->batcher.leaves_rows = !asks_for_rows(query);
    stoa_batcher_begin(&worker->batcher);
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

static void drop_parts(stoa_wave *wave)
{
    for (size_t p = 0; p < wave->n_parts; p++) {
        struct ArrowArray *batches = (struct ArrowArray *)(void *)wave->parts[p].batches.data;
        for (size_t i = 0; i < wave->parts[p].batches.size / sizeof *batches; i++) {
            stoa_array_release(&batches[i]);
        }
        stoa_buffer_clear(&wave->parts[p].batches);
    }
    free(wave->parts);
    wave->parts = NULL;
    wave->n_parts = 0;
    wave->at = 0;
    wave->next_batch = 0;
    wave->n_rows = 0;
}

void stoa_query_restart_rows(stoa_query *query)
{
    drop_parts(&query->wave);
    query->wave.size = 0;
}

void stoa_query_clear_rows(stoa_query *query)
{
    stoa_wave *wave = &query->wave;

    drop_parts(wave);
    for (unsigned i = 0; wave->workers != NULL && i < query->scan.n_testers; i++) {
        stoa_batcher_clear(&wave->workers[i].batcher);
        stoa_evaluation_clear(&wave->workers[i].evaluation);
        stoa_sorter_clear(&wave->workers[i].finder);
    }
    free(wave->workers);
    wave->workers = NULL;
}

/* Choose the number of morsels to process next: double it as long as they have few rows. */
static void grow_wave(stoa_query *query)
{
    const stoa_scan *scan = &query->scan;
    stoa_wave *wave = &query->wave;
    const bool is_limited = scan->limit != UINT64_MAX;
    const bool is_sorted = query->n_orders > 0;
    const uint64_t bytes =
        is_sorted && query->wave_memory < WAVE_ROW_BYTES ? query->wave_memory : WAVE_ROW_BYTES;
    const bool is_tight =
        is_sorted && query->wave_memory < scan->n_testers * (uint64_t)STOA_SPAN_BYTES;
    const size_t least = is_limited || is_tight ? 1 : scan->n_testers;
    const bool is_alone = scan->n_testers == 1 && !is_sorted; /* more would not keep threads busy */
    const size_t most = is_limited ? LIMITED_WAVE_SPANS : is_alone ? 1 : least * SPANS_A_THREAD;
    const uint64_t rows = wave->n_parts > 0 ? wave->n_rows / wave->n_parts + 1 : 1; /* per morsel */
    const uint64_t fitting = bytes / scan->row_bytes / rows;

    wave->size = wave->size == 0 ? least : wave->size * 2;
    wave->size = wave->size < fitting ? wave->size : (size_t)fitting;
    wave->size = wave->size < most ? wave->size : most;
    wave->size -= wave->size % least; /* equal numbers, so no thread waits for others */
    wave->size = wave->size > least ? wave->size : least;
}

/* Cut the morsels of the next batch group. If all rows pass, do not cut more than the limit. */
static void cut_wave(stoa_query *query)
{
    stoa_scan *scan = &query->scan;
    stoa_wave *wave = &query->wave;
    uint64_t left = scan->limit;

    while (wave->n_parts < wave->size && left > 0 &&
           stoa_scan_cut(scan, &wave->parts[wave->n_parts].span)) {
        stoa_span *span = &wave->parts[wave->n_parts++].span;
        span->limit = left;
        if (query->where == NULL && left != UINT64_MAX) {
            left -= span->n < left ? span->n : left;
        }
    }
}

static stoa_status run_wave(stoa_query *query, stoa_error *err)
{
    stoa_wave *wave = &query->wave;

    if (query->n_orders == 0) {
        query->scan.limit = query->n_left;
    }
    grow_wave(query);
    drop_parts(wave);
    wave->parts = stoa_alloc_zero(wave->size, sizeof *wave->parts);
    STOA_RETURN_NO_MEMORY(err, wave->parts);
    if (wave->workers == NULL) {
        wave->workers = stoa_alloc_zero(query->scan.n_testers, sizeof *wave->workers);
        STOA_RETURN_NO_MEMORY(err, wave->workers);
    }
    cut_wave(query);
    /* A failure is reported when it is reached, since the rows before it may be enough. */
    wave->error = (stoa_error)STOA_ERROR_INIT;
    wave->status = stoa_scan_run(&query->scan, wave->n_parts, do_span, query, &wave->error);
    return STOA_OK;
}

/* The next batch of a part; out->release is NULL if there are no more. */
static stoa_status hand_out(stoa_query *query, stoa_wave_part *part, struct ArrowArray *out,
                            stoa_error *err)
{
    struct ArrowArray *batches = (struct ArrowArray *)(void *)part->batches.data;

    if (!part->is_counted) {
        stoa_scan_count(&query->scan, &part->counts);
        part->is_counted = true;
    }
    if (query->wave.next_batch < part->batches.size / sizeof *batches) {
        stoa_array_move(&batches[query->wave.next_batch++], out);
        const uint64_t n = (uint64_t)out->length;
        query->wave.n_rows += n;
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
        *err = has_own ? part->error : query->wave.error;
    }
    return has_own ? part->status : query->wave.status;
}

stoa_status stoa_query_next_rows(stoa_query *query, struct ArrowArray *out, stoa_error *err)
{
    stoa_wave *wave = &query->wave;

    *out = (struct ArrowArray){0};
    for (;;) {
        if (wave->at == wave->n_parts) {
            STOA_RETURN_NOT_OK(run_wave(query, err));
            if (wave->n_parts == 0) {
                break;
            }
        }
        STOA_RETURN_NOT_OK(hand_out(query, &wave->parts[wave->at], out, err));
        if (out->release != NULL) {
            break;
        }
        wave->at++;
        wave->next_batch = 0;
    }
    return STOA_OK;
}
