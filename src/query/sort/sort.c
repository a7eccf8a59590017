/* Sorters: adding rows, cutting to the limit, and spilling to the file. */
#include "query/sort/sort.h"

#include <stdlib.h>

#include "core/min_of.h"
#include "core/progress.h"

enum {
    WINDOW_ROWS = 4096, /* keys are compared before this many rows are kept */
    SLACK_ROWS = 64,    /* rows kept beyond twice the limit before a cut */
    HELD_ROWS = 262144, /* rows of batches, beyond twice the limit, before a compaction */
    WHOLE_LIMIT =
        16384,    /* with a larger limit, rows are first chosen when twice as many are there */
    TOGETHER = 4, /* arrays that a thread makes at a time */
    MIN_MEMORY = 1 << 16
};

/* Whether rows are only held at first, and what they are is left to all threads. */
static bool is_whole(const stoa_sorter *sorter)
{
    return sorter->is.limit > WHOLE_LIMIT && sorter->is.before == NULL;
}

stoa_status stoa_sorter_open(stoa_sorter *sorter, const stoa_sort_request *request, stoa_error *err)
{
    *sorter = (stoa_sorter){.is = *request, .is_open = true};
    if (request->memory < MIN_MEMORY) {
        sorter->is.memory = MIN_MEMORY;
    }
    stoa_sort_rows_make(&sorter->rows, request->schema, &sorter->keys, is_whole(sorter));
    stoa_runs_make(&sorter->runs, &sorter->rows, sorter->is.memory, request->workers,
                   request->listener);
    return stoa_sort_keys_open(&sorter->keys, request->schema, request->n_outputs,
                               request->descending, err);
}

void stoa_sorter_clear(stoa_sorter *sorter)
{
    stoa_merge_clear(&sorter->merge);
    stoa_runs_clear(&sorter->runs);
    stoa_sort_rows_clear(&sorter->rows);
    stoa_sort_keys_clear(&sorter->keys);
    for (size_t i = sorter->ready_at; i < sorter->n_ready; i++) {
        stoa_array_release(&sorter->ready[i]);
    }
    free(sorter->ready);
    free(sorter->order);
    *sorter = (stoa_sorter){.is_open = false};
}

/* The best rows ----------------------------------------------------------------------------- */

/* Sort the rows; *n of them are within the limit. */
static stoa_status sort_rows(const stoa_sorter *sorter, stoa_sort_entry **order, uint64_t *n,
                             stoa_error *err)
{
    const uint64_t n_rows = stoa_sort_rows_count(&sorter->rows);

    *n = n_rows < sorter->is.limit ? n_rows : sorter->is.limit;
    return stoa_sort_order(&sorter->keys, stoa_sort_rows_get, &sorter->rows, (uint32_t)n_rows,
                           sorter->is.workers, sorter->is.listener, order, err);
}

/* Keep only the rows within the limit. */
static stoa_status cut(stoa_sorter *sorter, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_sort_entry *order = NULL;
    uint64_t n;

    STOA_TRY(sort_rows(sorter, &order, &n, err));
    STOA_TRY(stoa_sort_rows_keep(&sorter->rows, order, n, err));
    sorter->has_cut = n == sorter->is.limit;

done:
    free(order);
    return status;
}

stoa_status stoa_sorter_cut(stoa_sorter *sorter, stoa_error *err)
{
    const uint64_t n = stoa_sort_rows_count(&sorter->rows);

    return n > sorter->is.limit || (n == sorter->is.limit && !sorter->has_cut) ? cut(sorter, err)
                                                                               : STOA_OK;
}

bool stoa_sorter_last(const stoa_sorter *sorter, stoa_sort_row *row)
{
    if (sorter == NULL || !sorter->has_cut) {
        return false;
    }
    *row = stoa_sort_rows_get(&sorter->rows, (uint32_t)(sorter->is.limit - 1));
    return true;
}

/* Copy the kept rows out of their batches, which can then be released. */
static stoa_status compact(stoa_sorter *sorter, stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowArray kept = {0};
    const bool had_cut = sorter->has_cut;

    STOA_TRY(stoa_sorter_drain(sorter, &kept, err));
    if (kept.release != NULL) {
        const int64_t n = kept.length;
        STOA_TRY(stoa_sort_rows_hold(&sorter->rows, &kept, err));
        STOA_TRY(stoa_sort_rows_add(&sorter->rows, 0, n, err));
        sorter->has_cut = had_cut || (uint64_t)n == sorter->is.limit;
    }

done:
    stoa_array_release(&kept);
    return status;
}

stoa_status stoa_sorter_drain(stoa_sorter *sorter, struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_sort_entry *order = NULL;
    uint64_t n;

    *out = (struct ArrowArray){0};
    STOA_TRY(sort_rows(sorter, &order, &n, err));
    if (n > 0) {
        STOA_TRY(stoa_sort_rows_take(&sorter->rows, order, n, (size_t)sorter->is.schema->n_children,
                                     out, err));
    }
    stoa_sort_rows_empty(&sorter->rows);
    sorter->has_cut = false;

done:
    free(order);
    return status;
}

/* Memory ------------------------------------------------------------------------------------ */

/* Write the held rows as a sorted run of the file. */
static stoa_status spill(stoa_sorter *sorter, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_sort_entry *order = NULL;
    uint64_t n;

    STOA_TRY(sort_rows(sorter, &order, &n, err));
    STOA_TRY(stoa_runs_add(&sorter->runs, &sorter->rows, order, n, err));
    stoa_sort_rows_clear(&sorter->rows); /* frees the buffers too, which count as memory in use */
    sorter->rows.is_whole = is_whole(sorter);
    sorter->has_cut = false;

done:
    free(order);
    return status;
}

static bool is_full(const stoa_sorter *sorter)
{
    return stoa_sort_rows_bytes(&sorter->rows) > sorter->is.memory ||
           stoa_sort_rows_count(&sorter->rows) > STOA_SORT_MAX_ROWS / 2;
}

/* Release batches of which few rows are kept. If that is not enough, spill. */
static stoa_status make_room(stoa_sorter *sorter, stoa_error *err)
{
    const stoa_sort_rows *rows = &sorter->rows;
    const uint64_t limit = sorter->is.limit;

    if (rows->n_held / 2 > limit && (rows->n_held > HELD_ROWS || is_full(sorter))) {
        STOA_RETURN_NOT_OK(compact(sorter, err));
    }
    if (is_full(sorter)) {
        STOA_RETURN_NOT_OK(spill(sorter, err));
    }
    return STOA_OK;
}

/* Batches ----------------------------------------------------------------------------------- */

static stoa_status cut_many(stoa_sorter *sorter, stoa_error *err)
{
    const uint64_t n_rows = stoa_sort_rows_count(&sorter->rows);

    return n_rows > SLACK_ROWS && (n_rows - SLACK_ROWS) / 2 > sorter->is.limit ? cut(sorter, err)
                                                                               : STOA_OK;
}

/* Add those rows of [first, first + n) of the held batch that may be among the best. */
static stoa_status add_window(stoa_sorter *sorter, int64_t first, int64_t n, bool *any,
                              stoa_error *err)
{
    stoa_sort_rows *rows = &sorter->rows;
    const uint64_t at = stoa_sort_rows_count(rows);
    stoa_sort_row last;
    stoa_sort_row bar;

    STOA_RETURN_NOT_OK(stoa_sort_rows_add(rows, first, n, err));
    const bool has_last = stoa_sorter_last(sorter, &last);
    const bool has_bar = stoa_sorter_last(sorter->is.before, &bar);
    if (has_last || has_bar) {
        stoa_sort_rows_drop(rows, at, has_last ? &last : NULL, has_bar ? &bar : NULL);
    }
    *any |= stoa_sort_rows_count(rows) > at;
    return cut_many(sorter, err);
}

stoa_status stoa_sorter_add(stoa_sorter *sorter, struct ArrowArray *batch, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const int64_t n = batch->length;
    bool any = false;

    if (sorter->is.limit == 0 || n == 0) {
        goto done;
    }
    STOA_TRY(stoa_sort_rows_hold(&sorter->rows, batch, err));
    if (sorter->rows.is_whole) {
        STOA_TRY(cut_many(sorter, err));
        STOA_TRY(make_room(sorter, err));
        goto done;
    }
    for (int64_t at = 0; at < n; at += WINDOW_ROWS) {
        STOA_TRY(add_window(sorter, at, n - at < WINDOW_ROWS ? n - at : WINDOW_ROWS, &any, err));
    }
    if (!any) {
        stoa_sort_rows_unhold(&sorter->rows);
    }
    STOA_TRY(make_room(sorter, err));

done:
    stoa_array_release(batch);
    return status;
}

/* Output ------------------------------------------------------------------------------------ */

stoa_status stoa_sorter_finish(stoa_sorter *sorter, stoa_error *err)
{
    sorter->is_merged = sorter->runs.n_rows > 0;
    if (sorter->is_merged) {
        STOA_RETURN_NOT_OK(spill(sorter, err));
        STOA_RETURN_NOT_OK(stoa_merge_open(&sorter->merge, &sorter->runs, err));
        const uint64_t n = sorter->runs.n_rows;
        sorter->n_left = n < sorter->is.limit ? n : sorter->is.limit;
    } else {
        STOA_RETURN_NOT_OK(sort_rows(sorter, &sorter->order, &sorter->n_left, err));
    }
    return STOA_OK;
}

/* What the arrays that are made together have in common. */
typedef struct making {
    stoa_sorter *sorter;
    uint64_t n_rows; /* of each, but the last */
} making;

static stoa_status make_ready(void *context, unsigned worker, uint64_t number, stoa_error *err)
{
    const making *m = context;
    stoa_sorter *sorter = m->sorter;
    const uint64_t from = number * m->n_rows;

    (void)worker;
    return stoa_sort_rows_take(&sorter->rows, sorter->order + sorter->at + from,
                               stoa_min_of(m->n_rows, sorter->n_left - from), sorter->is.n_outputs,
                               &sorter->ready[number], err);
}

/* How many arrays are made together: some by each worker, if they fit into a part of the memory. */
static size_t arrays_together(const stoa_sorter *sorter, uint64_t n_rows)
{
    const stoa_sort_rows *rows = &sorter->rows;
    const uint64_t n_bytes = (rows->n_bytes / (rows->n_held + 1) + 1) * n_rows;
    const uint64_t n_fitting = sorter->is.memory / 16 / n_bytes + 1;
    const uint64_t n_wanted = (sorter->n_left + n_rows - 1) / n_rows;
    const size_t n = TOGETHER * stoa_workers_count(sorter->is.workers);

    return (size_t)stoa_min_of(n, stoa_min_of(n_fitting, n_wanted));
}

/* The next rows that were sorted in memory. */
static stoa_status next_ready(stoa_sorter *sorter, uint64_t n_rows, struct ArrowArray *out,
                              stoa_error *err)
{
    making m = {sorter, n_rows};

    if (sorter->ready_at == sorter->n_ready) {
        const size_t n = arrays_together(sorter, n_rows);
        free(sorter->ready);
        sorter->ready_at = sorter->n_ready = 0;
        sorter->ready = stoa_alloc_zero(n, sizeof *sorter->ready);
        STOA_RETURN_NO_MEMORY(err, sorter->ready);
        sorter->n_ready = n;
        STOA_RETURN_NOT_OK(
            stoa_workers_run(sorter->is.workers, sorter->n_ready, make_ready, &m, err));
    }
    stoa_array_move(&sorter->ready[sorter->ready_at++], out);
    return STOA_OK;
}

/* Leave at most n rows in an array. */
static void shorten(struct ArrowArray *array, int64_t n)
{
    if (array->length <= n) {
        return;
    }
    array->length = n;
    for (int64_t c = 0; c < array->n_children; c++) {
        array->children[c]->length = n;
        array->children[c]->null_count = -1;
    }
}

stoa_status stoa_sorter_next(stoa_sorter *sorter, int64_t n_rows, struct ArrowArray *out,
                             stoa_error *err)
{
    const int64_t n = sorter->n_left < (uint64_t)n_rows ? (int64_t)sorter->n_left : n_rows;

    const stoa_progress progress = {
        .stage = "sorting", .rows = sorter->at, .total_rows = sorter->at + sorter->n_left};

    *out = (struct ArrowArray){0};
    if (n == 0) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(stoa_report_progress(sorter->is.listener, &progress, err));
    if (sorter->is_merged) {
        STOA_RETURN_NOT_OK(stoa_merge_next(&sorter->merge, sorter->is.n_outputs, n_rows, out, err));
        shorten(out, (int64_t)stoa_min_of(sorter->n_left, INT64_MAX));
    } else {
        STOA_RETURN_NOT_OK(next_ready(sorter, (uint64_t)n_rows, out, err));
    }
    sorter->at += (uint64_t)out->length;
    sorter->n_left -= (uint64_t)out->length;
    return STOA_OK;
}
