/*
 * Predicate columns first; the others only for the rows that passed. A unit that is wholly certain
 * is not tested: its predicate columns are read only if they are wanted.
 */
#include "query/scan.h"

#include <stdlib.h>
#include <string.h>

#include "core/progress.h"

/* Opening ----------------------------------------------------------------------------------- */

/* Units follow the longest chunks among the columns that will be read for every row. */
static stoa_status measure(stoa_scan *scan, stoa_error *err)
{
    stoa_status status = STOA_OK;
    uint64_t longest = 0;

    for (size_t i = 0; i < scan->scope->n_columns; i++) {
        stoa_fetch *fetch = &scan->fetches[i];
        if (!scan->tested[i] && !scan->wanted[i]) {
            continue;
        }
        STOA_TRY(stoa_fetch_open(fetch, stoa_table_column(scan->table, i),
                                 scan->scope->columns[i].schema, err));
        if ((scan->predicate == NULL || scan->tested[i]) && fetch->chunk_rows > longest) {
            longest = fetch->chunk_rows;
        }
    }
    scan->chunk_rows = longest;
    if (longest == 0 || longest > STOA_UNIT_MAX_ROWS) {
        scan->unit_rows = STOA_UNIT_ROWS;
    } else if (longest >= STOA_UNIT_ROWS) {
        scan->unit_rows = longest;
    } else {
        scan->unit_rows = STOA_UNIT_ROWS / longest * longest;
    }

done:
    return status;
}

stoa_status stoa_scan_open(stoa_scan *scan, stoa_table *table, const stoa_scope *scope,
                           const stoa_expr *predicate, const bool *wanted, const stoa_rowset *rows,
                           const stoa_rowset *certain, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t n = scope->n_columns;

    *scan = (stoa_scan){.table = table, .scope = scope, .predicate = predicate};
    stoa_scan_restart(scan, rows, certain);
    scan->tested = stoa_alloc_zero(n, sizeof *scan->tested);
    scan->wanted = stoa_alloc_zero(n, sizeof *scan->wanted);
    scan->fetches = stoa_alloc_zero(n, sizeof *scan->fetches);
    scan->unit_views = stoa_alloc_zero(n, sizeof *scan->unit_views);
    scan->batch.views = stoa_alloc_zero(n, sizeof *scan->batch.views);
    scan->batch.arrays = stoa_alloc_zero(n, sizeof *scan->batch.arrays);
    if (scan->tested == NULL || scan->wanted == NULL || scan->fetches == NULL ||
        scan->unit_views == NULL || scan->batch.views == NULL || scan->batch.arrays == NULL) {
        STOA_TRY(stoa_fail_memory(err));
    }
    memcpy(scan->wanted, wanted, n * sizeof *wanted);
    if (predicate != NULL) {
        stoa_expr_columns(predicate, scan->tested);
    }
    STOA_TRY(measure(scan, err));
    scan->selected = stoa_alloc(stoa_bit_bytes(scan->unit_rows), 1);
    STOA_TRY(scan->selected != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_evaluation_open(&scan->evaluation, scope, err));

done:
    if (status != STOA_OK) {
        stoa_scan_clear(scan);
    }
    return status;
}

void stoa_scan_restart(stoa_scan *scan, const stoa_rowset *rows, const stoa_rowset *certain)
{
    scan->rows = rows;
    scan->certain = certain;
    scan->limit = UINT64_MAX;
    scan->total_rows = scan->counts.rows + stoa_rowset_count(rows);
    scan->range = 0;
    scan->done_in_range = 0;
    scan->certain_range = 0;
    scan->next_chunk = 0;
    for (size_t i = 0; scan->fetches != NULL && i < scan->scope->n_columns; i++) {
        scan->fetches[i].counted_to = 0;
    }
}

static void release_arrays(const stoa_scan *scan, struct ArrowArray *arrays)
{
    for (size_t i = 0; arrays != NULL && i < scan->scope->n_columns; i++) {
        stoa_array_release(&arrays[i]);
        arrays[i] = (struct ArrowArray){0};
    }
}

static void drop_rows(const stoa_scan *scan, stoa_scan_rows *rows)
{
    release_arrays(scan, rows->arrays);
    free(rows->arrays);
    free(rows->rows);
    *rows = (stoa_scan_rows){0};
}

static stoa_scan_rows *gathered(const stoa_scan *scan)
{
    return (stoa_scan_rows *)(void *)scan->gathered.data;
}

static size_t n_gathered(const stoa_scan *scan)
{
    return scan->gathered.size / sizeof(stoa_scan_rows);
}

static void drop_batch(stoa_scan *scan)
{
    drop_rows(scan, &scan->unit);
    for (size_t u = 0; u < n_gathered(scan); u++) {
        drop_rows(scan, &gathered(scan)[u]);
    }
    scan->gathered.size = 0;
    release_arrays(scan, scan->batch.arrays);
    free(scan->batch.rows);
    scan->batch.rows = NULL;
}

void stoa_scan_clear(stoa_scan *scan)
{
    drop_batch(scan);
    stoa_buffer_clear(&scan->gathered);
    stoa_evaluation_clear(&scan->evaluation);
    free(scan->tested);
    free(scan->wanted);
    free(scan->fetches);
    free(scan->unit_views);
    free(scan->batch.views);
    free(scan->batch.arrays);
    free(scan->selected);
    scan->tested = NULL;
    scan->wanted = NULL;
    scan->fetches = NULL;
    scan->unit_views = NULL;
    scan->batch = (stoa_batch){0};
    scan->selected = NULL;
}

/* Units ------------------------------------------------------------------------------------- */

/* The candidates of the next unit of the grid that has any: how many, between which rows. */
typedef struct stretch {
    uint64_t first;
    uint64_t end;
    uint64_t n;
    size_t range; /* where they begin in the candidates */
    uint64_t done_in_range;
} stretch;

static void count_chunks(stoa_scan *scan, uint64_t first, uint64_t end)
{
    if (scan->chunk_rows != 0) {
        const uint64_t low = first / scan->chunk_rows;
        const uint64_t high = (end - 1) / scan->chunk_rows + 1;
        const uint64_t from = low > scan->next_chunk ? low : scan->next_chunk;
        scan->counts.chunks += high > from ? high - from : 0;
        scan->next_chunk = high;
    }
}

/* False at the end. */
static bool next_stretch(stoa_scan *scan, stretch *out)
{
    const stoa_rowset *rows = scan->rows;
    uint64_t room = scan->predicate == NULL ? scan->limit : UINT64_MAX;
    uint64_t unit_end = 0;

    if (scan->limit == 0 || scan->range == rows->n_ranges) {
        return false;
    }
    *out = (stretch){.range = scan->range, .done_in_range = scan->done_in_range};
    while (room > 0 && scan->range < rows->n_ranges) {
        const stoa_range *range = &rows->ranges[scan->range];
        const uint64_t first = range->first + scan->done_in_range;
        uint64_t count = range->count - scan->done_in_range;
        if (out->n == 0) {
            out->first = first;
            const uint64_t left = scan->unit_rows - first % scan->unit_rows;
            unit_end = left <= UINT64_MAX - first ? first + left : UINT64_MAX;
        } else if (first >= unit_end) {
            break;
        }
        count = count < unit_end - first ? count : unit_end - first;
        count = count < room ? count : room;
        out->n += count;
        out->end = first + count;
        room -= room != UINT64_MAX ? count : 0;
        count_chunks(scan, first, out->end);
        scan->done_in_range += count;
        if (scan->done_in_range == range->count) {
            scan->range++;
            scan->done_in_range = 0;
        }
    }
    return true;
}

/* Their numbers, unless they stand one after the other. */
static stoa_status list_stretch(stoa_scan *scan, const stretch *s, stoa_error *err)
{
    stoa_scan_rows *unit = &scan->unit;
    uint64_t done = s->done_in_range;
    uint64_t n = 0;

    unit->first = s->first;
    unit->n = s->n;
    if (s->end - s->first == s->n) {
        return STOA_OK;
    }
    unit->rows = stoa_alloc((size_t)s->n, sizeof *unit->rows);
    if (unit->rows == NULL) {
        return stoa_fail_memory(err);
    }
    for (size_t r = s->range; n < s->n; r++, done = 0) {
        const stoa_range *range = &scan->rows->ranges[r];
        for (uint64_t i = done; i < range->count && n < s->n; i++) {
            unit->rows[n++] = range->first + i;
        }
    }
    return STOA_OK;
}

/* Is every candidate of the stretch certain? */
static bool is_certain(stoa_scan *scan, const stretch *s)
{
    const stoa_rowset *certain = scan->certain;
    uint64_t first = s->first;
    uint64_t done = s->done_in_range;

    for (size_t r = s->range; first < s->end; r++, done = 0) {
        const stoa_range *range = &scan->rows->ranges[r];
        const uint64_t end =
            range->count < s->end - range->first ? range->first + range->count : s->end;
        first = range->first + done;
        while (scan->certain_range < certain->n_ranges &&
               certain->ranges[scan->certain_range].first +
                       certain->ranges[scan->certain_range].count <=
                   first) {
            scan->certain_range++;
        }
        if (scan->certain_range == certain->n_ranges) {
            return false;
        }
        const stoa_range *sure = &certain->ranges[scan->certain_range];
        if (first < sure->first || end > sure->first + sure->count) {
            return false;
        }
        first = end;
    }
    return true;
}

/* Testing ----------------------------------------------------------------------------------- */

/* Read the unit's predicate columns: all of them to test, or those that are wanted. */
static stoa_status read_tested(stoa_scan *scan, bool all, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_scan_rows *unit = &scan->unit;

    unit->arrays = stoa_alloc_zero(scan->scope->n_columns, sizeof *unit->arrays);
    STOA_TRY(unit->arrays != NULL ? STOA_OK : stoa_fail_memory(err));
    for (size_t i = 0; i < scan->scope->n_columns; i++) {
        if (scan->tested[i] && (all || scan->wanted[i])) {
            STOA_TRY(stoa_fetch_rows(&scan->fetches[i], unit->rows, unit->first, unit->n,
                                     &unit->arrays[i], err));
            STOA_TRY(stoa_view_of(scan->scope->columns[i].schema, &unit->arrays[i],
                                  &scan->unit_views[i], err));
        }
    }

done:
    return status;
}

/* Evaluate the predicate on the unit, window by window. */
static stoa_status select_rows(stoa_scan *scan, uint64_t *n_selected, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const uint64_t count = scan->unit.n;

    for (uint64_t at = 0; at < count; at += STOA_WINDOW_ROWS) {
        const uint64_t n = count - at < STOA_WINDOW_ROWS ? count - at : STOA_WINDOW_ROWS;
        stoa_evaluation_move(&scan->evaluation, scan->unit_views, (int64_t)at, (int64_t)n);
        STOA_TRY(
            stoa_eval_filter(&scan->evaluation, scan->predicate, scan->selected + at / 8, err));
    }
    *n_selected = stoa_bit_count(scan->selected, 0, count);

done:
    return status;
}

/* Places of the first n selected rows in the unit. */
static stoa_pick *make_picks(const stoa_scan *scan, uint64_t n)
{
    stoa_pick *picks = stoa_alloc((size_t)n, sizeof *picks);
    uint64_t at = 0;

    for (uint64_t byte = 0; picks != NULL && at < n; byte++) {
        for (unsigned bits = scan->selected[byte], bit = 0; bits != 0 && at < n;
             bits >>= 1, bit++) {
            if (bits & 1u) {
                picks[at++] = (stoa_pick){(int64_t)(byte * 8 + bit), 0};
            }
        }
    }
    return picks;
}

/* Keep the first n selected rows of the unit. */
static stoa_status keep_selected(stoa_scan *scan, uint64_t n, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_scan_rows *unit = &scan->unit;
    stoa_pick *picks = make_picks(scan, n);
    uint64_t *rows = stoa_alloc((size_t)n, sizeof *rows);

    STOA_TRY(picks != NULL && rows != NULL ? STOA_OK : stoa_fail_memory(err));
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t place = (uint64_t)picks[i].row;
        rows[i] = unit->rows != NULL ? unit->rows[place] : unit->first + place;
    }
    for (size_t i = 0; i < scan->scope->n_columns; i++) {
        const stoa_view *source = &scan->unit_views[i];
        struct ArrowArray taken = {0};
        if (scan->tested[i] && scan->wanted[i]) {
            STOA_TRY(stoa_take(&source, 1, picks, (int64_t)n, &taken, err));
        }
        stoa_array_release(&unit->arrays[i]);
        stoa_array_move(&taken, &unit->arrays[i]);
    }
    free(unit->rows);
    unit->rows = rows;
    unit->first = rows[0];
    unit->n = n;
    rows = NULL;

done:
    free(picks);
    free(rows);
    return status;
}

/* Rows of the stretch that pass, into scan->unit. */
static stoa_status test_stretch(stoa_scan *scan, const stretch *s, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_scan_rows *unit = &scan->unit;
    uint64_t n_selected = s->n;

    STOA_TRY(list_stretch(scan, s, err));
    if (scan->predicate == NULL) {
        goto done;
    }
    const bool untested = is_certain(scan, s);
    STOA_TRY(read_tested(scan, !untested, err));
    if (untested) {
        scan->counts.untested += s->n;
    } else {
        STOA_TRY(select_rows(scan, &n_selected, err));
    }
    n_selected = n_selected < scan->limit ? n_selected : scan->limit;
    if (n_selected == 0) {
        drop_rows(scan, unit);
    } else if (n_selected < s->n) {
        if (untested) {
            memset(scan->selected, 0xff, stoa_bit_bytes(n_selected));
        }
        STOA_TRY(keep_selected(scan, n_selected, err));
    }

done:
    return status;
}

/* Batches ----------------------------------------------------------------------------------- */

double stoa_scan_bytes(const stoa_scan *scan)
{
    double n_bytes = 0;

    for (size_t i = 0; scan->fetches != NULL && i < scan->scope->n_columns; i++) {
        n_bytes += scan->fetches[i].bytes;
    }
    return n_bytes;
}

static stoa_status tell(stoa_scan *scan, stoa_error *err)
{
    const stoa_progress progress = {.stage = "scanning",
                                    .rows = scan->counts.rows,
                                    .total_rows = scan->total_rows,
                                    .bytes = (uint64_t)stoa_scan_bytes(scan)};
    return stoa_tell(&scan->listener, &progress, err);
}

/* Units until there are rows enough. */
static stoa_status gather_units(stoa_scan *scan, uint64_t *n, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stretch s;

    *n = 0;
    while (*n < STOA_BATCH_ROWS && next_stretch(scan, &s)) {
        scan->counts.rows += s.n;
        STOA_TRY(tell(scan, err));
        STOA_TRY(test_stretch(scan, &s, err));
        if (scan->unit.n > 0) {
            *n += scan->unit.n;
            scan->limit -= scan->limit != UINT64_MAX ? scan->unit.n : 0;
            STOA_TRY(stoa_buffer_append(&scan->gathered, &scan->unit, sizeof scan->unit, err));
            scan->unit = (stoa_scan_rows){0};
        }
    }
    scan->counts.passed += *n;

done:
    return status;
}

/* The numbers of all gathered rows. */
static stoa_status join_rows(stoa_scan *scan, uint64_t n, stoa_error *err)
{
    const stoa_scan_rows *units = gathered(scan);
    uint64_t *rows = NULL;
    uint64_t at = 0;

    scan->batch.first = units[0].first;
    scan->batch.n = (int64_t)n;
    if (n_gathered(scan) == 1) {
        scan->batch.rows = units[0].rows;
        gathered(scan)[0].rows = NULL;
        return STOA_OK;
    }
    rows = stoa_alloc((size_t)n, sizeof *rows);
    if (rows == NULL) {
        return stoa_fail_memory(err);
    }
    for (size_t u = 0; u < n_gathered(scan); u++) {
        for (uint64_t i = 0; i < units[u].n; i++) {
            rows[at++] = units[u].rows != NULL ? units[u].rows[i] : units[u].first + i;
        }
    }
    scan->batch.rows = rows;
    return STOA_OK;
}

/* One column of the gathered units, which have read it already. */
static stoa_status join_column(stoa_scan *scan, size_t column, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t n = n_gathered(scan);
    struct ArrowArray *parts = stoa_alloc_zero(n, sizeof *parts);

    STOA_TRY(parts != NULL ? STOA_OK : stoa_fail_memory(err));
    for (size_t u = 0; u < n; u++) {
        stoa_array_move(&gathered(scan)[u].arrays[column], &parts[u]);
    }
    STOA_TRY(stoa_fetch_join(&scan->fetches[column], parts, n, &scan->batch.arrays[column], err));

done:
    for (size_t u = 0; parts != NULL && u < n; u++) {
        stoa_array_release(&parts[u]);
    }
    free(parts);
    return status;
}

/* The wanted columns of the batch: those that were tested are there, the others are read now. */
static stoa_status fill_batch(stoa_scan *scan, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_batch *batch = &scan->batch;

    for (size_t i = 0; i < scan->scope->n_columns; i++) {
        if (!scan->wanted[i]) {
            continue;
        }
        STOA_TRY(scan->tested[i] ? join_column(scan, i, err)
                                 : stoa_fetch_rows(&scan->fetches[i], batch->rows, batch->first,
                                                   (uint64_t)batch->n, &batch->arrays[i], err));
        STOA_TRY(
            stoa_view_of(scan->scope->columns[i].schema, &batch->arrays[i], &batch->views[i], err));
    }

done:
    return status;
}

stoa_status stoa_scan_next(stoa_scan *scan, stoa_batch **out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    uint64_t n = 0;

    *out = NULL;
    drop_batch(scan);
    STOA_TRY(gather_units(scan, &n, err));
    if (n > 0) {
        STOA_TRY(join_rows(scan, n, err));
        STOA_TRY(fill_batch(scan, err));
        *out = &scan->batch;
    }

done:
    return status;
}
