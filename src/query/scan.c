/* Predicate columns first; the others only between the first and the last row that passed. */
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
        stoa_column_storage storage;
        if (!scan->tested[i] && !scan->wanted[i]) {
            continue;
        }
        STOA_TRY(stoa_column_storage_of(stoa_table_column(scan->table, i), &storage, err));
        if (storage.extent != 0) {
            scan->bytes_per_row[i] = (double)storage.n_stored_bytes / (double)storage.extent;
        }
        if ((scan->predicate == NULL || scan->tested[i]) && storage.chunk_rows > longest) {
            longest = storage.chunk_rows;
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
                           stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t n = scope->n_columns;

    *scan = (stoa_scan){.table = table,
                        .scope = scope,
                        .predicate = predicate,
                        .rows = rows,
                        .limit = UINT64_MAX,
                        .total_rows = stoa_rowset_count(rows)};
    scan->tested = stoa_alloc_zero(n, sizeof *scan->tested);
    scan->wanted = stoa_alloc_zero(n, sizeof *scan->wanted);
    scan->bytes_per_row = stoa_alloc_zero(n, sizeof *scan->bytes_per_row);
    scan->batch.views = stoa_alloc_zero(n, sizeof *scan->batch.views);
    scan->batch.arrays = stoa_alloc_zero(n, sizeof *scan->batch.arrays);
    if (scan->tested == NULL || scan->wanted == NULL || scan->bytes_per_row == NULL ||
        scan->batch.views == NULL || scan->batch.arrays == NULL) {
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

static void drop_batch(stoa_scan *scan)
{
    for (size_t i = 0; scan->batch.arrays != NULL && i < scan->scope->n_columns; i++) {
        stoa_array_release(&scan->batch.arrays[i]);
        scan->batch.arrays[i] = (struct ArrowArray){0};
    }
    free(scan->batch.picks);
    scan->batch.picks = NULL;
}

void stoa_scan_clear(stoa_scan *scan)
{
    drop_batch(scan);
    stoa_evaluation_clear(&scan->evaluation);
    free(scan->tested);
    free(scan->wanted);
    free(scan->bytes_per_row);
    free(scan->batch.views);
    free(scan->batch.arrays);
    free(scan->selected);
    scan->tested = NULL;
    scan->wanted = NULL;
    scan->bytes_per_row = NULL;
    scan->batch = (stoa_batch){0};
    scan->selected = NULL;
}

/* Units ------------------------------------------------------------------------------------- */

/* The next run of candidates that lies within one unit of the grid. False at the end. */
static bool next_unit(stoa_scan *scan, uint64_t *first, uint64_t *count)
{
    const stoa_rowset *rows = scan->rows;

    while (scan->range < rows->n_ranges && scan->done_in_range == rows->ranges[scan->range].count) {
        scan->range++;
        scan->done_in_range = 0;
    }
    if (scan->range == rows->n_ranges || scan->limit == 0) {
        return false;
    }
    const stoa_range range = rows->ranges[scan->range];
    const uint64_t room = scan->unit_rows - (range.first + scan->done_in_range) % scan->unit_rows;

    *first = range.first + scan->done_in_range;
    *count = range.count - scan->done_in_range;
    *count = *count < room ? *count : room;
    if (scan->predicate == NULL && *count > scan->limit) {
        *count = scan->limit;
    }
    scan->done_in_range += *count;
    return true;
}

static stoa_status count_unit(stoa_scan *scan, uint64_t first, uint64_t count, stoa_error *err)
{
    if (scan->chunk_rows != 0) {
        const uint64_t low = first / scan->chunk_rows;
        const uint64_t high = (first + count - 1) / scan->chunk_rows + 1;
        const uint64_t from = low > scan->next_chunk ? low : scan->next_chunk;
        scan->counts.chunks += high > from ? high - from : 0;
        scan->next_chunk = high;
    }
    scan->counts.rows += count;
    const stoa_progress progress = {.stage = "scanning",
                                    .rows = scan->counts.rows,
                                    .total_rows = scan->total_rows,
                                    .bytes = (uint64_t)scan->counts.bytes};
    return stoa_tell(&scan->listener, &progress, err);
}

static stoa_status read_column(stoa_scan *scan, size_t i, uint64_t first, uint64_t count,
                               stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowArray *array = &scan->batch.arrays[i];

    STOA_TRY(stoa_column_read(stoa_table_column(scan->table, i), first, count, array, err));
    STOA_TRY(stoa_view_of(scan->scope->columns[i].schema, array, &scan->batch.views[i], err));
    if (scan->batch.views[i].length != (int64_t)count) {
        STOA_FAIL(err, STOA_EDATA, "column '%s' gave %lld rows instead of %llu",
                  scan->scope->columns[i].name, (long long)scan->batch.views[i].length,
                  (unsigned long long)count);
    }
    scan->counts.bytes += scan->bytes_per_row[i] * (double)count;

done:
    return status;
}

/* Evaluate the predicate on the unit, window by window. */
static stoa_status select_rows(stoa_scan *scan, uint64_t first, uint64_t count,
                               uint64_t *n_selected, stoa_error *err)
{
    stoa_status status = STOA_OK;

    for (size_t i = 0; i < scan->scope->n_columns; i++) {
        if (scan->tested[i]) {
            STOA_TRY(read_column(scan, i, first, count, err));
        }
    }
    for (uint64_t at = 0; at < count; at += STOA_WINDOW_ROWS) {
        const uint64_t n = count - at < STOA_WINDOW_ROWS ? count - at : STOA_WINDOW_ROWS;
        stoa_evaluation_move(&scan->evaluation, scan->batch.views, (int64_t)at, (int64_t)n);
        STOA_TRY(
            stoa_eval_filter(&scan->evaluation, scan->predicate, scan->selected + at / 8, err));
    }
    *n_selected = stoa_bit_count(scan->selected, 0, count);

done:
    return status;
}

/* Survivors --------------------------------------------------------------------------------- */

static stoa_status make_picks(stoa_scan *scan, uint64_t count, uint64_t n, stoa_error *err)
{
    stoa_pick *picks = stoa_alloc(n, sizeof *picks);
    uint64_t at = 0;

    if (picks == NULL) {
        return stoa_fail_memory(err);
    }
    for (uint64_t byte = 0; byte < stoa_bit_bytes(count) && at < n; byte++) {
        for (unsigned bits = scan->selected[byte], bit = 0; bits != 0 && at < n;
             bits >>= 1, bit++) {
            if (bits & 1u) {
                picks[at++] = (stoa_pick){(int64_t)(byte * 8 + bit), 0};
            }
        }
    }
    scan->batch.picks = picks;
    return STOA_OK;
}

/* Replace column i, of which rows from `shift` on were read, by the picked rows. */
static stoa_status compact(stoa_scan *scan, size_t i, const stoa_pick *picks, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_batch *batch = &scan->batch;
    const stoa_view *source = &batch->views[i];
    struct ArrowArray taken = {0};

    STOA_TRY(stoa_take(&source, 1, picks, batch->n, &taken, err));
    stoa_array_release(&batch->arrays[i]);
    stoa_array_move(&taken, &batch->arrays[i]);
    STOA_TRY(
        stoa_view_of(scan->scope->columns[i].schema, &batch->arrays[i], &batch->views[i], err));

done:
    return status;
}

/* Read the columns that the predicate did not need, for the picked rows. */
static stoa_status read_others(stoa_scan *scan, uint64_t first, uint64_t count, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_batch *batch = &scan->batch;
    const int64_t low = batch->picks != NULL ? batch->picks[0].row : 0;
    const int64_t high = batch->picks != NULL ? batch->picks[batch->n - 1].row + 1 : (int64_t)count;
    const bool dense = high - low == batch->n;
    stoa_pick *shifted = NULL;

    if (!dense) {
        shifted = stoa_alloc((size_t)batch->n, sizeof *shifted);
        STOA_TRY(shifted != NULL ? STOA_OK : stoa_fail_memory(err));
        for (int64_t i = 0; i < batch->n; i++) {
            shifted[i] = (stoa_pick){batch->picks[i].row - low, 0};
        }
    }
    for (size_t i = 0; i < scan->scope->n_columns; i++) {
        if (scan->wanted[i] && !scan->tested[i]) {
            STOA_TRY(read_column(scan, i, first + (uint64_t)low, (uint64_t)(high - low), err));
            if (!dense) {
                STOA_TRY(compact(scan, i, shifted, err));
            }
        } else if (scan->wanted[i] && batch->picks != NULL) {
            STOA_TRY(compact(scan, i, batch->picks, err));
        }
    }

done:
    free(shifted);
    return status;
}

stoa_status stoa_scan_next(stoa_scan *scan, stoa_batch **out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    uint64_t first;
    uint64_t count;

    *out = NULL;
    while (*out == NULL) {
        drop_batch(scan);
        if (!next_unit(scan, &first, &count)) {
            break;
        }
        uint64_t n_selected = count;
        STOA_TRY(count_unit(scan, first, count, err));
        if (scan->predicate != NULL) {
            STOA_TRY(select_rows(scan, first, count, &n_selected, err));
        }
        if (n_selected == 0) {
            continue;
        }
        n_selected = n_selected < scan->limit ? n_selected : scan->limit;
        if (n_selected < count) {
            STOA_TRY(make_picks(scan, count, n_selected, err));
        }
        scan->limit -= scan->limit != UINT64_MAX ? n_selected : 0;
        scan->counts.passed += n_selected;
        scan->batch.first = first;
        scan->batch.n = (int64_t)n_selected;
        STOA_TRY(read_others(scan, first, count, err));
        *out = &scan->batch;
    }

done:
    return status;
}
