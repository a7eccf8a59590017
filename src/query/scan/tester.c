/* Scan worker: tests predicate columns first, one window at a time. Blocks whose rows are all
 * certain are not tested. */
#include "query/scan/tester.h"

#include <stdlib.h>

#include "core/progress.h"

/* Chunks with this many rows that pass, on average, are likely all to be read. */
enum { MANY_IN_CHUNK = 8 };

/* The block's rows of a column are about to be read. Announce the next blocks if they are likely
 * to be read too. */
static void tell_unit(stoa_tester *tester, size_t column)
{
    stoa_scan *scan = tester->scan;
    const bool is_read =
        scan->is.predicate == NULL || scan->tested[column] ||
        tester->counts.passed * scan->unit_rows / MANY_IN_CHUNK >= tester->counts.rows;

    if (is_read) {
        stoa_ahead_tell(&scan->ahead, column, &tester->fetches[column], tester->first,
                        scan->is.predicate != NULL && !scan->wanted[column]);
    }
}

/* The same for n ascending rows that passed. */
static void tell_rows(stoa_tester *tester, size_t column, const uint64_t *rows, uint64_t first,
                      uint64_t n)
{
    stoa_scan *scan = tester->scan;
    const uint64_t low = rows != NULL ? rows[0] : first;
    const uint64_t length = rows != NULL ? rows[n - 1] - low + 1 : n;

    const uint64_t chunk = scan->sources[column].chunk_rows;

    if (n * ((chunk != 0 ? chunk : STOA_DIRECT_ROWS) / MANY_IN_CHUNK) >= length) {
        stoa_ahead_tell(&scan->ahead, column, &tester->fetches[column], low, false);
    }
}

static stoa_status open_fetch(stoa_tester *tester, size_t column, stoa_fetch **fetch,
                              stoa_error *err)
{
    const stoa_scan *scan = tester->scan;

    *fetch = &tester->fetches[column];
    return (*fetch)->source != NULL
               ? STOA_OK
               : stoa_fetch_open(*fetch, &scan->sources[column], scan->is.workers, err);
}

static stoa_status fetch_column(void *context, size_t column, stoa_view *view, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_tester *tester = context;
    stoa_fetch *fetch = NULL;

    STOA_TRY(open_fetch(tester, column, &fetch, err));
    tell_unit(tester, column);
    STOA_TRY(stoa_fetch_view(fetch, tester->rows, tester->first, tester->n, view, err));
    if (fetch->source->zones != NULL && tester->rows == NULL) {
        stoa_zones_learn(fetch->source->zones, tester->first, view);
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
    stoa_tester *tester = context;
    stoa_view *peek = &tester->peeks[column];
    stoa_fetch *fetch = NULL;

    *view = NULL;
    if (tester->rows != NULL) {
        return STOA_OK;
    }
    if (peek->length < 0) {
        STOA_RETURN_NOT_OK(open_fetch(tester, column, &fetch, err));
        STOA_RETURN_NOT_OK(stoa_fetch_peek(fetch, tester->first, tester->n, peek, err));
        if (peek->length > 0) {
            tell_unit(tester, column);
        }
    }
    *view = peek->length > 0 ? peek : NULL;
    return STOA_OK;
}

static bool find_zone(void *context, size_t column, stoa_zone *zone)
{
    const stoa_tester *tester = context;
    const stoa_zones *zones = tester->scan->sources[column].zones;

    return zones != NULL && tester->rows == NULL &&
           stoa_zones_of(zones, tester->first, tester->n, zone);
}

static stoa_status keep_rows(void *context, size_t column, const void *elements, uint64_t n,
                             uint64_t *mask, uint64_t *n_kept, stoa_error *err)
{
    const stoa_tester *tester = context;

    return stoa_column_reader_keep(&tester->fetches[column].reader, elements, n, mask, n_kept, err);
}

stoa_status stoa_tester_open(stoa_tester *tester, stoa_scan *scan, unsigned worker, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t n = scan->is.scope->n_columns;

    *tester = (stoa_tester){.scan = scan, .worker = worker};
    tester->fetches = stoa_alloc_zero(n, sizeof *tester->fetches);
    tester->views = stoa_alloc_zero(n, sizeof *tester->views);
    tester->peeks = stoa_alloc_zero(n, sizeof *tester->peeks);
    tester->selected = stoa_alloc(stoa_bit_bytes(scan->unit_rows), 1);
    if (tester->fetches == NULL || tester->views == NULL || tester->peeks == NULL ||
        tester->selected == NULL) {
        STOA_TRY(stoa_fail_memory(err));
    }
    STOA_TRY(stoa_evaluation_open(&tester->evaluation, scan->is.scope, err));
    tester->evaluation.fetch = fetch_column;
    tester->evaluation.peek = peek_column;
    tester->evaluation.keep = keep_rows;
    tester->evaluation.zone = find_zone;
    tester->evaluation.fetch_context = tester;
    tester->evaluation.marked = scan->is.marked;

done:
    if (status != STOA_OK) {
        stoa_tester_close(tester);
    }
    return status;
}

void stoa_tester_close(stoa_tester *tester)
{
    if (tester->scan == NULL) {
        return;
    }
    for (size_t i = 0; tester->fetches != NULL && i < tester->scan->is.scope->n_columns; i++) {
        if (tester->fetches[i].source != NULL) {
            stoa_fetch_close(&tester->fetches[i]);
        }
    }
    stoa_evaluation_clear(&tester->evaluation);
    free(tester->fetches);
    free(tester->views);
    free(tester->peeks);
    free(tester->selected);
    free(tester->row_space);
    *tester = (stoa_tester){.scan = NULL};
}

void stoa_tester_begin(stoa_tester *tester, const stoa_span *span)
{
    tester->span = *span;
    tester->counts = (stoa_scan_counts){.rows = 0};
    for (size_t i = 0; i < tester->scan->is.scope->n_columns; i++) {
        stoa_fetch_recount(&tester->fetches[i]);
    }
}

void stoa_tester_end(stoa_tester *tester)
{
    for (size_t i = 0; i < tester->scan->is.scope->n_columns; i++) {
        tester->counts.bytes += tester->fetches[i].bytes;
    }
    atomic_fetch_add(&tester->scan->bytes_so_far, (uint64_t)tester->counts.bytes);
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
static void count_stretch(stoa_tester *tester, const stoa_stretch *s)
{
    const stoa_rowset *rows = tester->scan->is.candidates.rows;
    uint64_t done = s->at.done_in_range;
    uint64_t n = s->n;

    for (size_t r = s->at.range; n > 0 && tester->scan->chunk_rows != 0; r++, done = 0) {
        const uint64_t first = rows->ranges[r].first + done;
        const uint64_t left = rows->ranges[r].count - done;
        const uint64_t count = left < n ? left : n;
        count_chunks(&tester->counts, tester->scan->chunk_rows, first, first + count);
        n -= count;
    }
}

/* List the row numbers of a run, unless they are consecutive. */
static stoa_status list_rows(stoa_tester *tester, const stoa_stretch *s, stoa_error *err)
{
    tester->first = s->first;
    tester->rows = NULL;
    if (s->end - s->first == s->n) {
        return STOA_OK;
    }
    if (tester->row_space == NULL) {
        tester->row_space = stoa_alloc(tester->scan->unit_rows, sizeof *tester->row_space);
        if (tester->row_space == NULL) {
            return stoa_fail_memory(err);
        }
    }
    tester->rows = tester->row_space;
    stoa_stretch_rows(&tester->scan->is.candidates, s, tester->rows);
    return STOA_OK;
}

/* Go to a run. *may_pass is false if zone maps exclude all its rows. */
static stoa_status enter_unit(stoa_tester *tester, const stoa_stretch *s, bool *may_pass,
                              stoa_error *err)
{
    const stoa_scan *scan = tester->scan;
    bool is_hopeless = false;

    STOA_RETURN_NOT_OK(list_rows(tester, s, err));
    tester->n = s->n;
    tester->is_untested = scan->is.predicate == NULL || s->is_certain;
    stoa_evaluation_unit(&tester->evaluation, tester->views);
    for (size_t i = 0; i < scan->is.scope->n_columns; i++) {
        tester->peeks[i].length = -1;
    }
    tester->evaluation.row = tester->rows == NULL ? tester->first : UINT64_MAX;
    if (!tester->is_untested) {
        STOA_RETURN_NOT_OK(
            stoa_eval_is_hopeless(&tester->evaluation, scan->is.predicate, &is_hopeless, err));
    }
    *may_pass = !is_hopeless;
    return STOA_OK;
}

/* Report progress; called on the caller's thread. */
static stoa_status tell(stoa_scan *scan, stoa_error *err)
{
    const stoa_progress progress = {.stage = "scanning",
                                    .rows = atomic_load(&scan->rows_so_far),
                                    .total_rows = scan->total_rows,
                                    .bytes = atomic_load(&scan->bytes_so_far)};

    if (scan->is.listener.on_progress == NULL) {
        return STOA_OK;
    }
    /* While the callback runs, no thread is in libhdf5. */
    stoa_workers_lock(scan->is.workers);
    const stoa_status status = stoa_tell(&scan->is.listener, &progress, err);
    stoa_workers_unlock(scan->is.workers);
    return status;
}

stoa_status stoa_tester_next(stoa_tester *tester, uint64_t room, stoa_error *err)
{
    stoa_scan *scan = tester->scan;
    stoa_stretch s;
    bool may_pass = false;

    while (!may_pass) {
        tester->n = 0;
        if (!stoa_span_next(&scan->is.candidates, &tester->span, scan->unit_rows, room, &s)) {
            return STOA_OK;
        }
        atomic_fetch_add(&scan->rows_so_far, s.n);
        if (tester->worker == 0) {
            STOA_RETURN_NOT_OK(tell(scan, err));
        }
        STOA_RETURN_NOT_OK(enter_unit(tester, &s, &may_pass, err));
    }
    tester->counts.rows += s.n;
    count_stretch(tester, &s);
    tester->counts.untested += scan->is.predicate != NULL && s.is_certain ? s.n : 0;
    return STOA_OK;
}

stoa_status stoa_tester_window(stoa_tester *tester, uint64_t at, uint64_t *n, uint64_t *n_selected,
                               stoa_error *err)
{
    const uint64_t left = tester->n - at;
    uint8_t *bits = tester->selected + at / 8;
    int64_t n_passed = 0;

    *n = left < STOA_WINDOW_ROWS ? left : STOA_WINDOW_ROWS;
    *n_selected = *n;
    stoa_evaluation_move(&tester->evaluation, tester->views, (int64_t)at, (int64_t)*n);
    if (!tester->is_untested) {
        STOA_RETURN_NOT_OK(stoa_eval_filter(&tester->evaluation, tester->scan->is.predicate, bits,
                                            &n_passed, err));
        *n_selected = (uint64_t)n_passed;
    }
    return STOA_OK;
}

stoa_status stoa_tester_view(stoa_tester *tester, size_t column, const stoa_view **view,
                             stoa_error *err)
{
    tester->evaluation.views = tester->views;
    return stoa_evaluation_view(&tester->evaluation, column, view, err);
}

stoa_status stoa_tester_rows(stoa_tester *tester, size_t column, const uint64_t *rows,
                             uint64_t first, uint64_t n, struct ArrowArray *out, stoa_view *view,
                             stoa_error *err)
{
    stoa_fetch *fetch = NULL;

    tester->views[column].length = -1;
    STOA_RETURN_NOT_OK(open_fetch(tester, column, &fetch, err));
    if (n > 0) {
        tell_rows(tester, column, rows, first, n);
    }
    return stoa_fetch_rows(fetch, rows, first, n, out, view, err);
}

stoa_status stoa_tester_can_choose(stoa_tester *tester, size_t column, bool *can, stoa_error *err)
{
    stoa_fetch *fetch = NULL;

    STOA_RETURN_NOT_OK(open_fetch(tester, column, &fetch, err));
    *can = !tester->is_untested && tester->rows == NULL &&
           stoa_fetch_can_choose(fetch, tester->first, tester->n);
    return STOA_OK;
}

stoa_status stoa_tester_chosen(stoa_tester *tester, size_t column, uint64_t n,
                               struct ArrowArray *out, stoa_view *view, stoa_error *err)
{
    tester->views[column].length = -1;
    stoa_ahead_tell(&tester->scan->ahead, column, &tester->fetches[column], tester->first, false);
    return stoa_fetch_chosen(&tester->fetches[column], tester->first, tester->n, tester->selected,
                             n, out, view, err);
}
