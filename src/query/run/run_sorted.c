/*
 * Sorted output. All rows are sorted, except in two cases with a limit. An index may know which
 * rows come first. Or the limit is small: the first rows are found by their keys alone, and only
 * then read. Most rows are found to be too late by a threshold on the first key (threshold.h).
 */
#include <stdlib.h>

#include "core/min_of.h"
#include "query/run/query.h"

enum {
    FIND_SHARE = 16,      /* a limit is small below 1/16 of the candidates */
    FOUND_ROW_BYTES = 64, /* most memory per row that was found */
    PROBED_ROWS = 8192    /* rows that are looked at for a threshold, unless the limit is larger */
};

/* Add all remaining rows of the scan (or of the groups) to the sorter. */
static stoa_status feed_sorter(stoa_query *query, uint64_t *n_rows, stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowArray batch = {0};

    for (*n_rows = 0;;) {
        STOA_TRY(stoa_query_next_unsorted(query, &batch, err));
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
    const stoa_sort_request request = {
        .schema = &query->sort_schema,
        .n_outputs = query->n_outputs,
        .descending = query->descending,
        .limit = query->n_left,
        .memory = query->sort_memory,
        .workers = query->workers,
        .listener = &query->options.listener,
    };

    return stoa_sorter_open(&query->sorter, &request, err);
}

/* Restart the scan with other rows. */
static void restart(stoa_query *query, const stoa_rowset *rows, const stoa_rowset *certain)
{
    stoa_scan_restart(&query->scan, (stoa_candidates){rows, certain});
    stoa_query_restart_rows(query);
}

/* Scan the candidates of the first `count` ranks, except those scanned before. */
static stoa_status scan_places(stoa_query *query, uint64_t count, bool *found, uint64_t *n_rows,
                               stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_plan *plan = &query->plan;
    stoa_rowset places = {0};

    *n_rows = 0;
    STOA_TRY(stoa_index_order_first(&plan->index_order, count, &places, found, err));
    if (!*found) {
        goto done;
    }
    STOA_TRY(stoa_rowset_combine(&places, &plan->rows, false, err));
    STOA_TRY(stoa_rowset_subtract(&places, &query->ranked, &query->ranked_now, err));
    restart(query, &query->ranked_now, &plan->certain);
    STOA_TRY(feed_sorter(query, n_rows, err));
    STOA_TRY(stoa_rowset_combine(&query->ranked, &query->ranked_now, true, err));
    query->n_places = count;

done:
    stoa_rowset_clear(&places);
    return status;
}

/* Sort rows in the order of their ranks until the limit is reached. *found is false if sorting
 * all rows would be faster; the sorter is closed then. */
static stoa_status sort_first_places(stoa_query *query, bool *found, stoa_error *err)
{
    const stoa_index_order *index_order = &query->plan.index_order;
    uint64_t n_found = 0;
    uint64_t n_rows;

    *found = true;
    for (uint64_t count = index_order->first; *found && n_found < query->n_left; count *= 4) {
        *found = count <= index_order->most;
        if (*found) {
            STOA_RETURN_NOT_OK(scan_places(query, count, found, &n_rows, err));
            n_found += n_rows;
        }
    }
    if (!*found) {
        query->n_places = 0;
        stoa_sorter_clear(&query->sorter);
        restart(query, &query->plan.rows, &query->plan.certain);
    }
    return STOA_OK;
}

/* The first rows by their keys alone -------------------------------------------------------- */

/* Whether so few rows are wanted that finding them first pays off. */
static bool is_worth_finding(const stoa_query *query)
{
    const uint64_t limit = query->n_left;

    return !query->aggregated && limit > 0 &&
           limit < stoa_rowset_count(&query->plan.rows) / FIND_SHARE &&
           limit < query->sort_memory / FOUND_ROW_BYTES;
}

/* Make a set of the rows that the sorter found, which went to a file on the way. */
static stoa_status make_found_set(stoa_query *query, stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowArray batch = {0};
    stoa_buffer numbers = {0};

    STOA_TRY(stoa_sorter_finish(&query->sorter, err));
    for (;;) {
        STOA_TRY(stoa_sorter_next(&query->sorter, STOA_OUTPUT_ROWS, &batch, err));
        if (batch.release == NULL) {
            break;
        }
        STOA_TRY(stoa_buffer_append(&numbers, batch.children[0]->buffers[1],
                                    (size_t)batch.length * sizeof(uint64_t), err));
        stoa_array_release(&batch);
    }
    const size_t n = numbers.size / sizeof(uint64_t);
    uint64_t *rows = (uint64_t *)(void *)numbers.data;
    if (n > 0) {
        qsort(rows, n, sizeof *rows, stoa_order_u64);
    }
    for (size_t i = 0; i < n; i++) {
        STOA_TRY(stoa_rowset_push(&query->found, rows[i], 1, err));
    }

done:
    stoa_buffer_clear(&numbers);
    stoa_array_release(&batch);
    return status;
}

/* A row that was found. */
typedef struct found_row {
    uint64_t number;
    int64_t at; /* in the order */
} found_row;

static int order_found(const void *a, const void *b)
{
    return stoa_order_u64(&((const found_row *)a)->number, &((const found_row *)b)->number);
}

/* Make a set of the rows that the sorter found, and keep their keys, in the order of the rows. */
static stoa_status keep_found(stoa_query *query, stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowArray batch = {0};
    found_row *rows = NULL;
    stoa_row_source *picks = NULL;
    stoa_view view;
    const stoa_view *const views[] = {&view};

    STOA_TRY(stoa_sorter_drain(&query->sorter, &batch, err));
    if (batch.release == NULL) {
        goto done;
    }
    const size_t n = (size_t)batch.length;
    const uint64_t *numbers = batch.children[0]->buffers[1];
    rows = stoa_alloc(n, sizeof *rows);
    picks = stoa_alloc(n, sizeof *picks);
    STOA_TRY(rows != NULL && picks != NULL ? STOA_OK : stoa_fail_memory(err));
    for (size_t i = 0; i < n; i++) {
        rows[i] = (found_row){numbers[i], (int64_t)i};
    }
    qsort(rows, n, sizeof *rows, order_found);
    for (size_t i = 0; i < n; i++) {
        picks[i] = (stoa_row_source){rows[i].at, 0};
        STOA_TRY(stoa_rowset_push(&query->found, rows[i].number, 1, err));
    }
    STOA_TRY(stoa_view_of(&query->find_schema, &batch, &view, err));
    STOA_TRY(stoa_take(views, 1, picks, (int64_t)n, &query->found_keys, err));

done:
    stoa_array_release(&batch);
    free(rows);
    free(picks);
    return status;
}

/* Whether the first key can be tested against a threshold. No other key may fail for a row, since
 * it is not computed for rows that do not pass. */
static bool suits_threshold(const stoa_query *query)
{
    bool suits = stoa_threshold_suits(&query->scope, query->orders[0].expr);

    for (size_t i = 1; i < query->n_orders; i++) {
        suits = suits && !stoa_expr_may_fail(query->orders[i].expr);
    }
    return suits;
}

/* The last rows of the candidates: where times increase, the latest ones. */
static stoa_status push_last_rows(const stoa_rowset *rows, uint64_t limit, stoa_rowset *out,
                                  stoa_error *err)
{
    const stoa_range *last = &rows->ranges[rows->n_ranges - 1];
    const uint64_t wanted = limit < PROBED_ROWS / 8 ? PROBED_ROWS : STOA_UNIT_ROWS;
    const uint64_t n = stoa_min_of(last->count, wanted);

    return stoa_rowset_push(out, last->first + last->count - n, n, err);
}

/* Scan rows into the finding sorter, which is cleared afterwards. */
static stoa_status probe_rows(stoa_query *query, const stoa_rowset *rows, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_sort_row last;
    uint64_t n_rows;

    restart(query, rows, &query->plan.certain);
    STOA_TRY(stoa_query_open_finder(query, &query->sorter, false, err));
    STOA_TRY(feed_sorter(query, &n_rows, err));
    STOA_TRY(stoa_sorter_cut(&query->sorter, err));
    if (stoa_sorter_last(&query->sorter, &last)) {
        STOA_TRY(stoa_threshold_set(&query->probed, query->orders[0].expr, &last.views[1], last.row,
                                    query->descending[0], false, err));
    }

done:
    stoa_query_clear_rows(query); /* first, since its finders refer to the sorter */
    stoa_sorter_clear(&query->sorter);
    return status;
}

/* Look for a threshold in some of the rows, which are scanned again with the others. */
static stoa_status probe(stoa_query *query, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_scan_counts counts = query->scan.counts;
    stoa_rowset rows = {0};

    STOA_TRY(push_last_rows(&query->plan.rows, query->n_left, &rows, err));
    STOA_TRY(probe_rows(query, &rows, err));

done:
    query->scan.counts = counts;
    restart(query, &query->plan.rows, &query->plan.certain);
    stoa_rowset_clear(&rows);
    return status;
}

/* Scan for the rows that come first. The scan's counts cover this pass and the bytes read later. */
static stoa_status find_rows(stoa_query *query, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t column = query->orders[0].expr->column;
    uint64_t n_rows;

    query->is_finding = true;
    query->has_threshold = suits_threshold(query);
    const stoa_use tested = query->has_threshold ? query->scan.tested[column] : STOA_USE_NONE;
    stoa_scan_want(&query->scan, query->key_columns);
    if (query->has_threshold) {
        STOA_TRY(stoa_scan_test(&query->scan, column, STOA_USE_VALUES, err));
        STOA_TRY(probe(query, err));
    }
    STOA_TRY(stoa_query_open_finder(query, &query->sorter, false, err));
    STOA_TRY(feed_sorter(query, &n_rows, err));
    STOA_TRY(query->sorter.runs.n_rows > 0 ? make_found_set(query, err) : keep_found(query, err));
    if (query->has_threshold) {
        STOA_TRY(stoa_scan_test(&query->scan, column, tested, err));
    }

done:
    query->is_finding = false;
    stoa_threshold_clear(&query->probed);
    stoa_query_clear_rows(query); /* first, since its finders refer to the sorter */
    stoa_sorter_clear(&query->sorter);
    return status;
}

/* Read only what the keys of the found rows do not tell. */
static stoa_status want_others(stoa_query *query, stoa_error *err)
{
    stoa_use *others = stoa_arena_zero(&query->arena, query->scope.n_columns, sizeof *others);

    STOA_RETURN_NO_MEMORY(err, others);
    for (size_t i = 0; i < query->n_outputs; i++) {
        if (query->outputs[i].expr != NULL &&
            stoa_query_key_of(query, &query->outputs[i]) == SIZE_MAX) {
            stoa_expr_columns(query->outputs[i].expr, others);
        }
    }
    stoa_scan_want(&query->scan, others);
    return STOA_OK;
}

/* Read the rows that were found into the sorter. They are already counted. */
static stoa_status read_found(stoa_query *query, stoa_error *err)
{
    const stoa_scan_counts counts = query->scan.counts;
    uint64_t n_rows;

    if (query->found_keys.release != NULL) {
        STOA_RETURN_NOT_OK(want_others(query, err));
    } else {
        stoa_scan_want(&query->scan, query->wanted);
    }
    restart(query, &query->found, &query->found);
    query->scan.morsel_rows = query->scan.unit_rows; /* each row may need a chunk of its own */
    STOA_RETURN_NOT_OK(open_sorter(query, err));
    STOA_RETURN_NOT_OK(feed_sorter(query, &n_rows, err));
    const double n_bytes = query->scan.counts.bytes;
    query->scan.counts = counts;
    query->scan.counts.bytes = n_bytes;
    stoa_array_release(&query->found_keys);
    return STOA_OK;
}

/* All rows ---------------------------------------------------------------------------------- */

static stoa_status sort_unranked(stoa_query *query, stoa_error *err)
{
    uint64_t n_rows;

    if (is_worth_finding(query)) {
        STOA_RETURN_NOT_OK(find_rows(query, err));
        STOA_RETURN_NOT_OK(read_found(query, err));
    } else {
        STOA_RETURN_NOT_OK(open_sorter(query, err));
        STOA_RETURN_NOT_OK(feed_sorter(query, &n_rows, err));
    }
    return STOA_OK;
}

stoa_status stoa_query_sort_rows(stoa_query *query, stoa_error *err)
{
    bool found = false;

    if (query->plan.is_ranked) {
        STOA_RETURN_NOT_OK(open_sorter(query, err));
        STOA_RETURN_NOT_OK(sort_first_places(query, &found, err));
    }
    if (!found) {
        STOA_RETURN_NOT_OK(sort_unranked(query, err));
    }
    return stoa_sorter_finish(&query->sorter, err);
}
