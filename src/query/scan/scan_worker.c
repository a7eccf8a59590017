/* Scan worker: tests predicate columns first, one window at a time. Blocks whose rows are all
 * certain are not tested. */
#include "query/scan/scan_worker.h"

#include <stdlib.h>

#include "core/progress.h"

/* Chunks with this many rows that pass, on average, are likely all to be read. */
enum { MANY_IN_CHUNK = 8 };

/* The block's rows of a column are about to be read. Announce the next blocks if they are likely
 * to be read too. */
static void tell_unit(stoa_scan_worker *scan_worker, size_t column)
{
    stoa_scan *scan = scan_worker->scan;
    const bool is_read =
        scan->is.predicate == NULL || scan->tested[column] ||
        scan_worker->counts.passed * scan->unit_rows / MANY_IN_CHUNK >= scan_worker->counts.rows;

    if (is_read) {
        stoa_prefetch_announce(&scan->prefetch, column, &scan_worker->fetches[column],
                               scan_worker->first,
                               scan->is.predicate != NULL && !scan->wanted[column]);
    }
}

/* The same for n ascending rows that passed. */
static void tell_rows(stoa_scan_worker *scan_worker, size_t column, const uint64_t *rows,
                      uint64_t first, uint64_t n)
{
    stoa_scan *scan = scan_worker->scan;
    const uint64_t low = rows != NULL ? rows[0] : first;
    const uint64_t length = rows != NULL ? rows[n - 1] - low + 1 : n;

    const uint64_t chunk = scan->sources[column].chunk_rows;

    if (n * ((chunk != 0 ? chunk : STOA_DIRECT_ROWS) / MANY_IN_CHUNK) >= length) {
        stoa_prefetch_announce(&scan->prefetch, column, &scan_worker->fetches[column], low, false);
    }
}

static stoa_status open_fetch(stoa_scan_worker *scan_worker, size_t column, stoa_fetch **fetch,
                              stoa_error *err)
{
    const stoa_scan *scan = scan_worker->scan;

    *fetch = &scan_worker->fetches[column];
    return (*fetch)->source != NULL
               ? STOA_OK
               : stoa_fetch_open(*fetch, &scan->sources[column], scan->is.workers, err);
}

static stoa_status fetch_column(void *context, size_t column, stoa_view *view, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_scan_worker *scan_worker = context;
    stoa_fetch *fetch = NULL;

    STOA_TRY(open_fetch(scan_worker, column, &fetch, err));
    tell_unit(scan_worker, column);
    STOA_TRY(
        stoa_fetch_view(fetch, scan_worker->rows, scan_worker->first, scan_worker->n, view, err));
    if (fetch->source->zones != NULL && scan_worker->rows == NULL) {
        stoa_zones_learn(fetch->source->zones, scan_worker->first, view);
    }

done:
    if (status != STOA_OK) {
        view->length = -1;
    }
    return status;
}

/* View a column of the block in place, if its rows are consecutive. */
static stoa_status peek_column(void *context, size_t column, const stoa_view **view,
                               stoa_error *err)
{
    stoa_scan_worker *scan_worker = context;
    stoa_view *peek = &scan_worker->peeks[column];
    stoa_fetch *fetch = NULL;

    *view = NULL;
    if (scan_worker->rows != NULL) {
        return STOA_OK;
    }
    if (peek->length < 0) {
        STOA_RETURN_NOT_OK(open_fetch(scan_worker, column, &fetch, err));
        STOA_RETURN_NOT_OK(stoa_fetch_peek(fetch, scan_worker->first, scan_worker->n, peek, err));
        if (peek->length > 0) {
            tell_unit(scan_worker, column);
        }
    }
    *view = peek->length > 0 ? peek : NULL;
    return STOA_OK;
}

static bool find_zone(void *context, size_t column, stoa_zone *zone)
{
    const stoa_scan_worker *scan_worker = context;
    const stoa_zones *zones = scan_worker->scan->sources[column].zones;

    return zones != NULL && scan_worker->rows == NULL &&
           stoa_zones_of(zones, scan_worker->first, scan_worker->n, zone);
}

static stoa_status keep_rows(void *context, size_t column, const void *elements, uint64_t n,
                             uint64_t *mask, uint64_t *n_kept, stoa_error *err)
{
    const stoa_scan_worker *scan_worker = context;

    return stoa_column_reader_keep(&scan_worker->fetches[column].reader, elements, n, mask, n_kept,
                                   err);
}

static bool listen(void *context, const stoa_progress *progress)
{
    (void)progress;
    return stoa_scan_worker_look(context, NULL) == STOA_OK;
}

stoa_status stoa_scan_worker_open(stoa_scan_worker *scan_worker, stoa_scan *scan, unsigned worker,
                                  stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t n = scan->is.scope->n_columns;

    *scan_worker =
        (stoa_scan_worker){.scan = scan, .worker = worker, .listener = {listen, scan_worker}};
    scan_worker->fetches = stoa_alloc_zero(n, sizeof *scan_worker->fetches);
    scan_worker->views = stoa_alloc_zero(n, sizeof *scan_worker->views);
    scan_worker->peeks = stoa_alloc_zero(n, sizeof *scan_worker->peeks);
    scan_worker->selected = stoa_alloc(stoa_bit_bytes(scan->unit_rows), 1);
    STOA_TRY(scan_worker->fetches != NULL && scan_worker->views != NULL &&
                     scan_worker->peeks != NULL && scan_worker->selected != NULL
                 ? STOA_OK
                 : stoa_fail_memory(err));
    STOA_TRY(stoa_evaluation_open(&scan_worker->evaluation, scan->is.scope, err));
    scan_worker->evaluation.fetch = fetch_column;
    scan_worker->evaluation.peek = peek_column;
    scan_worker->evaluation.keep = keep_rows;
    scan_worker->evaluation.zone = find_zone;
    scan_worker->evaluation.fetch_context = scan_worker;
    scan_worker->evaluation.marked = scan->is.marked;

done:
    if (status != STOA_OK) {
        stoa_scan_worker_close(scan_worker);
    }
    return status;
}

void stoa_scan_worker_close(stoa_scan_worker *scan_worker)
{
    if (scan_worker->scan == NULL) {
        return;
    }
    for (size_t i = 0; scan_worker->fetches != NULL && i < scan_worker->scan->is.scope->n_columns;
         i++) {
        if (scan_worker->fetches[i].source != NULL) {
            stoa_fetch_close(&scan_worker->fetches[i]);
        }
    }
    stoa_evaluation_clear(&scan_worker->evaluation);
    free(scan_worker->fetches);
    free(scan_worker->views);
    free(scan_worker->peeks);
    free(scan_worker->selected);
    free(scan_worker->row_space);
    *scan_worker = (stoa_scan_worker){.scan = NULL};
}

void stoa_scan_worker_begin(stoa_scan_worker *scan_worker, const stoa_morsel *morsel)
{
    scan_worker->morsel = *morsel;
    scan_worker->counts = (stoa_scan_counts){.rows = 0};
    for (size_t i = 0; i < scan_worker->scan->is.scope->n_columns; i++) {
        stoa_fetch_recount(&scan_worker->fetches[i]);
    }
}

void stoa_scan_worker_end(stoa_scan_worker *scan_worker)
{
    for (size_t i = 0; i < scan_worker->scan->is.scope->n_columns; i++) {
        scan_worker->counts.bytes += scan_worker->fetches[i].bytes;
    }
    atomic_fetch_add(&scan_worker->scan->bytes_so_far, (uint64_t)scan_worker->counts.bytes);
}

/* Blocks ------------------------------------------------------------------------------------ */

/* Count the chunks of rows [first, end), except those already counted. */
static void count_chunks(stoa_scan_counts *counts, uint64_t chunk_rows, uint64_t first,
                         uint64_t end)
{
    const uint64_t low = first / chunk_rows;
    const uint64_t high = (end - 1) / chunk_rows + 1;
    const uint64_t from = low > counts->next_chunk ? low : counts->next_chunk;

    if (counts->chunks == 0) {
        counts->low_chunk = low;
    }
    counts->chunks += high > from ? high - from : 0;
    counts->next_chunk = high;
}

/* Count the chunks of a run, one range of candidates at a time, since there may be gaps between
 * them. */
static void count_row_run(stoa_scan_worker *scan_worker, const stoa_row_run *s)
{
    const stoa_rowset *rows = scan_worker->scan->is.candidates.rows;
    uint64_t done = s->at.done_in_range;
    uint64_t n = s->n;

    for (size_t r = s->at.range; n > 0 && scan_worker->scan->chunk_rows != 0; r++, done = 0) {
        const uint64_t first = rows->ranges[r].first + done;
        const uint64_t left = rows->ranges[r].count - done;
        const uint64_t count = left < n ? left : n;
        count_chunks(&scan_worker->counts, scan_worker->scan->chunk_rows, first, first + count);
        n -= count;
    }
}

/* List the row numbers of a run, unless they are consecutive. */
static stoa_status list_rows(stoa_scan_worker *scan_worker, const stoa_row_run *s, stoa_error *err)
{
    scan_worker->first = s->first;
    scan_worker->rows = NULL;
    if (s->end - s->first == s->n) {
        return STOA_OK;
    }
    if (scan_worker->row_space == NULL) {
        scan_worker->row_space =
            stoa_alloc(scan_worker->scan->unit_rows, sizeof *scan_worker->row_space);
        STOA_RETURN_NO_MEMORY(err, scan_worker->row_space);
    }
    scan_worker->rows = scan_worker->row_space;
    stoa_row_run_rows(&scan_worker->scan->is.candidates, s, scan_worker->rows);
    return STOA_OK;
}

/* What the block's rows are still to be tested by. */
static const stoa_expr *predicate_of(const stoa_scan_worker *scan_worker)
{
    return scan_worker->is_certain ? NULL : scan_worker->scan->is.predicate;
}

/* Go to a run. *may_pass is false if zone maps exclude all its rows. */
static stoa_status enter_unit(stoa_scan_worker *scan_worker, const stoa_row_run *s, bool *may_pass,
                              stoa_error *err)
{
    const stoa_scan *scan = scan_worker->scan;
    bool is_hopeless = false;

    STOA_RETURN_NOT_OK(list_rows(scan_worker, s, err));
    scan_worker->n = s->n;
    scan_worker->is_certain = scan->is.predicate == NULL || s->is_certain;
    scan_worker->is_untested = scan_worker->is_certain && scan_worker->evaluation.threshold == NULL;
    stoa_evaluation_unit(&scan_worker->evaluation, scan_worker->views);
    for (size_t i = 0; i < scan->is.scope->n_columns; i++) {
        scan_worker->peeks[i].length = -1;
    }
    scan_worker->evaluation.row = scan_worker->rows == NULL ? scan_worker->first : UINT64_MAX;
    if (!scan_worker->is_untested) {
        STOA_RETURN_NOT_OK(stoa_eval_is_hopeless(&scan_worker->evaluation,
                                                 predicate_of(scan_worker), &is_hopeless, err));
    }
    *may_pass = !is_hopeless;
    return STOA_OK;
}

stoa_status stoa_scan_tell(stoa_scan *scan, stoa_error *err)
{
    const stoa_progress progress = {.stage = "scanning",
                                    .rows = atomic_load(&scan->rows_so_far),
                                    .total_rows = scan->total_rows,
                                    .bytes = atomic_load(&scan->bytes_so_far)};

    if (atomic_load(&scan->is_cancelled)) {
        return stoa_fail(err, STOA_ECANCELLED, "interrupted");
    }
    if (scan->is.listener.on_progress == NULL) {
        return STOA_OK;
    }
    /* While the callback runs, no thread is in libhdf5. */
    stoa_workers_lock(scan->is.workers);
    const stoa_status status = stoa_report_progress(&scan->is.listener, &progress, err);
    stoa_workers_unlock(scan->is.workers);
    if (status != STOA_OK) {
        atomic_store(&scan->is_cancelled, true);
    }
    return status;
}

stoa_status stoa_scan_worker_look(stoa_scan_worker *scan_worker, stoa_error *err)
{
    stoa_scan *scan = scan_worker->scan;

    return scan_worker->worker == 0 || atomic_load(&scan->is_cancelled) ? stoa_scan_tell(scan, err)
                                                                        : STOA_OK;
}

stoa_status stoa_scan_worker_next(stoa_scan_worker *scan_worker, uint64_t room, stoa_error *err)
{
    stoa_scan *scan = scan_worker->scan;
    stoa_row_run s;
    bool may_pass = false;

    while (!may_pass) {
        scan_worker->n = 0;
        if (!stoa_morsel_next(&scan->is.candidates, &scan_worker->morsel, scan->unit_rows, room,
                              &s)) {
            return STOA_OK;
        }
        atomic_fetch_add(&scan->rows_so_far, s.n);
        STOA_RETURN_NOT_OK(stoa_scan_worker_look(scan_worker, err));
        STOA_RETURN_NOT_OK(enter_unit(scan_worker, &s, &may_pass, err));
    }
    scan_worker->counts.rows += s.n;
    count_row_run(scan_worker, &s);
    scan_worker->counts.untested += scan->is.predicate != NULL && s.is_certain ? s.n : 0;
    return STOA_OK;
}

stoa_status stoa_scan_worker_window(stoa_scan_worker *scan_worker, uint64_t at, uint64_t *n,
                                    uint64_t *n_selected, stoa_error *err)
{
    const uint64_t left = scan_worker->n - at;
    uint8_t *bits = scan_worker->selected + at / 8;
    int64_t n_passed = 0;

    *n = left < STOA_WINDOW_ROWS ? left : STOA_WINDOW_ROWS;
    *n_selected = *n;
    stoa_evaluation_move(&scan_worker->evaluation, scan_worker->views, (int64_t)at, (int64_t)*n);
    if (!scan_worker->is_untested) {
        STOA_RETURN_NOT_OK(stoa_eval_filter(&scan_worker->evaluation, predicate_of(scan_worker),
                                            bits, &n_passed, err));
        *n_selected = (uint64_t)n_passed;
    }
    return STOA_OK;
}

stoa_status stoa_scan_worker_view(stoa_scan_worker *scan_worker, size_t column,
                                  const stoa_view **view, stoa_error *err)
{
    scan_worker->evaluation.views = scan_worker->views;
    return stoa_evaluation_view(&scan_worker->evaluation, column, view, err);
}

stoa_status stoa_scan_worker_rows(stoa_scan_worker *scan_worker, size_t column,
                                  const uint64_t *rows, uint64_t first, uint64_t n,
                                  struct ArrowArray *out, stoa_view *view, stoa_error *err)
{
    stoa_fetch *fetch = NULL;

    scan_worker->views[column].length = -1;
    STOA_RETURN_NOT_OK(open_fetch(scan_worker, column, &fetch, err));
    if (n > 0) {
        tell_rows(scan_worker, column, rows, first, n);
    }
    return stoa_fetch_rows(fetch, rows, first, n, out, view, err);
}

stoa_status stoa_scan_worker_can_choose(stoa_scan_worker *scan_worker, size_t column, bool *can,
                                        stoa_error *err)
{
    stoa_fetch *fetch = NULL;

    STOA_RETURN_NOT_OK(open_fetch(scan_worker, column, &fetch, err));
    *can = !scan_worker->is_untested && scan_worker->rows == NULL &&
           stoa_fetch_can_choose(fetch, scan_worker->first, scan_worker->n);
    return STOA_OK;
}

stoa_status stoa_scan_worker_chosen(stoa_scan_worker *scan_worker, size_t column, uint64_t n,
                                    struct ArrowArray *out, stoa_view *view, stoa_error *err)
{
    scan_worker->views[column].length = -1;
    stoa_prefetch_announce(&scan_worker->scan->prefetch, column, &scan_worker->fetches[column],
                           scan_worker->first, false);
    return stoa_fetch_chosen(&scan_worker->fetches[column], scan_worker->first, scan_worker->n,
                             scan_worker->selected, n, out, view, err);
}
