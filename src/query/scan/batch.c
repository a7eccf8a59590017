/* Builds batches: tested columns are gathered block by block, the others are read for the whole
 * batch. */
#include "query/scan/batch.h"

#include <stdlib.h>
#include <string.h>

stoa_status stoa_batcher_open(stoa_batcher *batcher, stoa_scan_worker *scan_worker, stoa_error *err)
{
    const size_t n = scan_worker->scan->is.scope->n_columns;

    *batcher = (stoa_batcher){.scan_worker = scan_worker};
    batcher->gathers = stoa_alloc_zero(n, sizeof *batcher->gathers);
    batcher->batch.views = stoa_alloc_zero(n, sizeof *batcher->batch.views);
    batcher->batch.arrays = stoa_alloc_zero(n, sizeof *batcher->batch.arrays);
    batcher->by_bits = stoa_alloc_zero(n, sizeof *batcher->by_bits);
    if (batcher->gathers == NULL || batcher->batch.views == NULL || batcher->batch.arrays == NULL ||
        batcher->by_bits == NULL) {
        stoa_batcher_clear(batcher);
        return stoa_fail_memory(err);
    }
    return STOA_OK;
}

static size_t n_columns(const stoa_batcher *batcher)
{
    return batcher->scan_worker->scan->is.scope->n_columns;
}

static bool is_gathered(const stoa_batcher *batcher, size_t column)
{
    const stoa_scan *scan = batcher->scan_worker->scan;

    return scan->tested[column] && scan->wanted[column];
}

static void drop_batch(stoa_batcher *batcher)
{
    for (size_t i = 0; i < n_columns(batcher); i++) {
        if (batcher->gathers != NULL) {
            stoa_gather_clear(&batcher->gathers[i]);
        }
        if (batcher->batch.arrays != NULL) {
            stoa_array_release(&batcher->batch.arrays[i]);
            batcher->batch.arrays[i] = (struct ArrowArray){0};
        }
    }
    batcher->batch.rows = NULL;
    batcher->batch.n = 0;
    batcher->rows.size = 0;
    batcher->is_run = true;
    batcher->has_bits = false;
    batcher->has_list = true;
}

void stoa_batcher_clear(stoa_batcher *batcher)
{
    if (batcher->scan_worker == NULL) {
        return;
    }
    drop_batch(batcher);
    free(batcher->gathers);
    free(batcher->batch.views);
    free(batcher->batch.arrays);
    free(batcher->by_bits);
    stoa_buffer_clear(&batcher->rows);
    stoa_buffer_clear(&batcher->picks);
    *batcher = (stoa_batcher){.scan_worker = NULL};
}

void stoa_batcher_begin(stoa_batcher *batcher)
{
    batcher->left = batcher->scan_worker->morsel.limit;
}

/* Selected rows ----------------------------------------------------------------------------- */

/* Test all rows of the block. */
static stoa_status select_rows(stoa_scan_worker *scan_worker, uint64_t *n_selected, stoa_error *err)
{
    uint64_t n = 0;
    uint64_t n_here;

    *n_selected = scan_worker->n;
    if (scan_worker->is_untested) {
        return STOA_OK;
    }
    *n_selected = 0;
    for (uint64_t at = 0; at < scan_worker->n; at += n) {
        STOA_RETURN_NOT_OK(stoa_scan_worker_window(scan_worker, at, &n, &n_here, err));
        *n_selected += n_here;
    }
    return STOA_OK;
}

/* Whether the block's rows make up a whole batch, so that columns can be read by its bitmap; and
 * which columns are. */
static stoa_status look_at_bits(stoa_batcher *batcher, uint64_t n, uint64_t n_selected,
                                stoa_error *err)
{
    stoa_scan_worker *scan_worker = batcher->scan_worker;
    bool has_list = !batcher->leaves_rows;

    if (batcher->batch.n > 0 || n != n_selected || n < STOA_BATCH_ROWS) {
        return STOA_OK;
    }
    for (size_t i = 0; i < n_columns(batcher); i++) {
        batcher->by_bits[i] = false;
        if (scan_worker->scan->wanted[i] && !is_gathered(batcher, i)) {
            STOA_RETURN_NOT_OK(
                stoa_scan_worker_can_choose(scan_worker, i, &batcher->by_bits[i], err));
            has_list = has_list || !batcher->by_bits[i];
        }
    }
    batcher->has_bits = true;
    batcher->has_list = has_list;
    return STOA_OK;
}

/* Whether the positions of selected rows are needed. */
static bool needs_picks(const stoa_batcher *batcher)
{
    bool needs = batcher->has_list;

    for (size_t i = 0; !needs && i < n_columns(batcher); i++) {
        needs = is_gathered(batcher, i);
    }
    return needs;
}

/* Positions of the first n selected rows in the block. */
static stoa_status make_picks(stoa_batcher *batcher, uint64_t n, stoa_error *err)
{
    const stoa_scan_worker *scan_worker = batcher->scan_worker;
    uint32_t *picks = NULL;
    uint64_t at = 0;

    batcher->picks.size = 0;
    STOA_RETURN_NOT_OK(stoa_buffer_reserve(&batcher->picks, (size_t)n * sizeof *picks, err));
    picks = (uint32_t *)(void *)batcher->picks.data;
    for (uint64_t first = 0; at < n; first += 64) { /* `first` is less than the block's rows here */
        const uint64_t left = scan_worker->n - first;
        uint64_t bits = 0;
        memcpy(&bits, scan_worker->selected + first / 8,
               left < 64 ? (size_t)stoa_bit_bytes(left) : sizeof bits);
        for (; bits != 0 && at < n; bits &= bits - 1) {
            picks[at++] = (uint32_t)(first + (uint64_t)__builtin_ctzll(bits));
        }
    }
    return STOA_OK;
}

/* Replace the consecutive row numbers so far by a list. */
static stoa_status end_run(stoa_batcher *batcher, stoa_error *err)
{
    const stoa_batch *batch = &batcher->batch;

    batcher->is_run = false;
    STOA_RETURN_NOT_OK(
        stoa_buffer_reserve(&batcher->rows, (size_t)batch->n * sizeof(uint64_t), err));
    for (int64_t i = 0; i < batch->n; i++) {
        const uint64_t row = batch->first + (uint64_t)i;
        STOA_RETURN_NOT_OK(stoa_buffer_append(&batcher->rows, &row, sizeof row, err));
    }
    return STOA_OK;
}

/* Add the numbers of n rows of the block, the picked ones or the first ones. */
static stoa_status add_rows(stoa_batcher *batcher, const uint32_t *picks, uint64_t n,
                            stoa_error *err)
{
    const stoa_scan_worker *scan_worker = batcher->scan_worker;
    stoa_batch *batch = &batcher->batch;
    uint64_t *rows = NULL;

    if (batch->n == 0) {
        const uint64_t place = picks != NULL ? picks[0] : 0;
        batch->first =
            scan_worker->rows != NULL ? scan_worker->rows[place] : scan_worker->first + place;
    }
    if (batcher->is_run && (picks != NULL || scan_worker->rows != NULL ||
                            scan_worker->first != batch->first + (uint64_t)batch->n)) {
        STOA_RETURN_NOT_OK(end_run(batcher, err));
    }
    if (!batcher->is_run) {
        STOA_RETURN_NOT_OK(stoa_buffer_reserve(&batcher->rows, (size_t)n * sizeof *rows, err));
        rows = (uint64_t *)(void *)batcher->rows.data + batch->n;
        for (uint64_t i = 0; i < n; i++) {
            const uint64_t place = picks != NULL ? picks[i] : i;
            rows[i] =
                scan_worker->rows != NULL ? scan_worker->rows[place] : scan_worker->first + place;
        }
        batcher->rows.size += (size_t)n * sizeof *rows;
    }
    return STOA_OK;
}

/* Add n rows of the block, the picked ones or the first ones. */
static stoa_status add_unit(stoa_batcher *batcher, const uint32_t *picks, uint64_t n,
                            stoa_error *err)
{
    stoa_scan_worker *scan_worker = batcher->scan_worker;

    if (batcher->has_list) {
        STOA_RETURN_NOT_OK(add_rows(batcher, picks, n, err));
    }
    for (size_t i = 0; i < n_columns(batcher); i++) {
        const stoa_view *view = NULL;
        const stoa_source *source = &scan_worker->scan->sources[i];
        if (!is_gathered(batcher, i)) {
            continue;
        }
        if (batcher->batch.n == 0) {
            STOA_RETURN_NOT_OK(stoa_gather_open(&batcher->gathers[i], source->schema, &source->type,
                                                (int64_t)n, err));
        }
        STOA_RETURN_NOT_OK(stoa_scan_worker_view(scan_worker, i, &view, err));
        STOA_RETURN_NOT_OK(stoa_gather_add(&batcher->gathers[i], view, picks, (int64_t)n, err));
    }
    batcher->batch.n += (int64_t)n;
    return STOA_OK;
}

/* Batches ----------------------------------------------------------------------------------- */

/* Gather blocks until there are enough rows. */
static stoa_status gather_units(stoa_batcher *batcher, stoa_error *err)
{
    stoa_scan_worker *scan_worker = batcher->scan_worker;
    const bool has_predicate = scan_worker->scan->is.predicate != NULL;

    while (batcher->batch.n < STOA_BATCH_ROWS && batcher->left > 0) {
        uint64_t n_selected = 0;
        const uint32_t *picks = NULL;
        STOA_RETURN_NOT_OK(
            stoa_scan_worker_next(scan_worker, has_predicate ? UINT64_MAX : batcher->left, err));
        if (scan_worker->n == 0) {
            break;
        }
        STOA_RETURN_NOT_OK(select_rows(scan_worker, &n_selected, err));
        const uint64_t n = n_selected < batcher->left ? n_selected : batcher->left;
        if (n == 0) {
            continue;
        }
        if (!scan_worker->is_untested && n < scan_worker->n) {
            STOA_RETURN_NOT_OK(look_at_bits(batcher, n, n_selected, err));
        }
        if (!scan_worker->is_untested && n < scan_worker->n && needs_picks(batcher)) {
            STOA_RETURN_NOT_OK(make_picks(batcher, n, err));
            picks = (const uint32_t *)(const void *)batcher->picks.data;
        }
        STOA_RETURN_NOT_OK(add_unit(batcher, picks, n, err));
        batcher->left -= batcher->left != UINT64_MAX ? n : 0;
    }
    scan_worker->counts.passed += (uint64_t)batcher->batch.n;
    return STOA_OK;
}

/* Read a column that was not tested. */
static stoa_status read_column(stoa_batcher *batcher, size_t i, stoa_error *err)
{
    stoa_scan_worker *scan_worker = batcher->scan_worker;
    stoa_batch *batch = &batcher->batch;
    const uint64_t n = (uint64_t)batch->n;

    return batcher->has_bits && batcher->by_bits[i]
               ? stoa_scan_worker_chosen(scan_worker, i, n, &batch->arrays[i], &batch->views[i],
                                         err)
               : stoa_scan_worker_rows(scan_worker, i, batch->rows, batch->first, n,
                                       &batch->arrays[i], &batch->views[i], err);
}

/* Complete the batch's columns: tested ones are gathered already, the others are read now. */
static stoa_status fill_batch(stoa_batcher *batcher, stoa_error *err)
{
    const stoa_scan *scan = batcher->scan_worker->scan;
    stoa_batch *batch = &batcher->batch;

    batch->rows = batcher->is_run ? NULL : (uint64_t *)(void *)batcher->rows.data;
    for (size_t i = 0; i < n_columns(batcher); i++) {
        if (scan->wanted[i]) {
            STOA_RETURN_NOT_OK(is_gathered(batcher, i)
                                   ? stoa_gather_finish(&batcher->gathers[i], &batch->arrays[i],
                                                        &batch->views[i], err)
                                   : read_column(batcher, i, err));
        }
    }
    return STOA_OK;
}

stoa_status stoa_batcher_next(stoa_batcher *batcher, stoa_batch **out, stoa_error *err)
{
    *out = NULL;
    drop_batch(batcher);
    STOA_RETURN_NOT_OK(gather_units(batcher, err));
    if (batcher->batch.n > 0) {
        STOA_RETURN_NOT_OK(fill_batch(batcher, err));
        *out = &batcher->batch;
    } else {
        stoa_scan_worker_end(batcher->scan_worker);
    }
    return STOA_OK;
}

/* Walks ------------------------------------------------------------------------------------- */

stoa_status stoa_walk_open(stoa_walk *walk, const stoa_scan_request *request, stoa_error *err)
{
    stoa_status status = STOA_OK;

    *walk = (stoa_walk){.is_in_morsel = false};
    STOA_TRY(stoa_scan_open(&walk->scan, request, err));
    STOA_TRY(stoa_scan_may_read(&walk->scan, walk->scan.total_rows, err));
    STOA_TRY(stoa_scan_worker_open(&walk->scan.scan_workers[0], &walk->scan, 0, err));
    STOA_TRY(stoa_batcher_open(&walk->batcher, &walk->scan.scan_workers[0], err));

done:
    if (status != STOA_OK) {
        stoa_walk_clear(walk);
    }
    return status;
}

stoa_status stoa_walk_next(stoa_walk *walk, stoa_batch **out, stoa_error *err)
{
    stoa_morsel morsel;

    *out = NULL;
    while (*out == NULL) {
        if (!walk->is_in_morsel) {
            if (!stoa_scan_cut(&walk->scan, &morsel)) {
                break;
            }
            stoa_scan_worker_begin(walk->batcher.scan_worker, &morsel);
            stoa_batcher_begin(&walk->batcher);
        }
        STOA_RETURN_NOT_OK(stoa_batcher_next(&walk->batcher, out, err));
        walk->is_in_morsel = *out != NULL;
        if (!walk->is_in_morsel) {
            stoa_scan_count(&walk->scan, &walk->batcher.scan_worker->counts);
        }
    }
    return STOA_OK;
}

void stoa_walk_clear(stoa_walk *walk)
{
    stoa_batcher_clear(&walk->batcher);
    stoa_scan_clear(&walk->scan);
}
