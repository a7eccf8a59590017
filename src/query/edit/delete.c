/*
 * Deletion of rows: later rows move up (HEP001 §11.4, §11.5).
 *
 * The first pass counts, the second one moves. A row never moves to a place after the scan's
 * position. The scan reads a block before any of it is overwritten, so no list of rows is kept.
 */
#include <stdlib.h>

#include "core/memory.h"
#include "core/progress.h"
#include "query/edit/edit.h"
#include "table/edit/cells.h"

typedef struct deletion {
    stoa_selection selection;
    stoa_cells cells;
    uint64_t first;     /* first deleted row */
    uint64_t n_deleted; /* number of deleted rows */
    uint64_t next;      /* next row to move */
    uint64_t to;        /* its new place */
    uint64_t *gone;     /* deleted rows from `next` on */
    size_t n_gone;
} deletion;

static stoa_status count_batch(void *context, const stoa_batch *batch, stoa_error *err)
{
    deletion *d = context;

    (void)err;
    if (d->n_deleted == 0) {
        d->first = batch->first;
    }
    d->n_deleted += (uint64_t)batch->n;
    return STOA_OK;
}

/* Move up the rows before the next multiple of STOA_MOVED_ROWS, of which all deleted ones are
 * known. */
static stoa_status move_block(deletion *d, stoa_error *err)
{
    const uint64_t n_rows = stoa_table_n_rows(d->cells.table);
    const uint64_t after = d->next - d->next % STOA_MOVED_ROWS + STOA_MOVED_ROWS;
    const uint64_t end = after < n_rows ? after : n_rows;
    const stoa_row_move move = {d->next, end - d->next, d->gone, d->n_gone, d->to};
    const stoa_progress progress = {
        .stage = "writing", .rows = end - d->first, .total_rows = n_rows - d->first};

    STOA_RETURN_NOT_OK(stoa_cells_move(&d->cells, &move, err));
    d->to += move.count - move.n_gone;
    d->next = end;
    d->n_gone = 0;
    return stoa_report_progress(&d->cells.options.listener, &progress, err);
}

static stoa_status move_batch(void *context, const stoa_batch *batch, stoa_error *err)
{
    stoa_status status = STOA_OK;
    deletion *const d = context;
    uint64_t *gone = NULL;

    STOA_TRY(stoa_batch_rows(batch, &gone, err));
    for (int64_t i = 0; i < batch->n; i++) {
        while (gone[i] / STOA_MOVED_ROWS > d->next / STOA_MOVED_ROWS) {
            STOA_TRY(move_block(d, err));
        }
        d->gone[d->n_gone++] = gone[i];
    }

done:
    free(gone);
    return status;
}

static stoa_status move_rows(deletion *d, stoa_error *err)
{
    const uint64_t n_rows = stoa_table_n_rows(d->cells.table);
    stoa_range behind = {d->first, n_rows - d->first};
    const stoa_rowset rows = {.ranges = &behind, .n_ranges = 1};
    const stoa_listener none = {NULL, NULL};

    d->next = d->to = d->first;
    d->gone = stoa_alloc(STOA_MOVED_ROWS, sizeof *d->gone);
    STOA_RETURN_NO_MEMORY(err, d->gone);
    STOA_RETURN_NOT_OK(stoa_selection_visit(&d->selection, &rows, &none, move_batch, d, err));
    while (d->next < n_rows) {
        STOA_RETURN_NOT_OK(move_block(d, err));
    }
    return STOA_OK;
}

static stoa_status delete_rows(deletion *d, stoa_error *err)
{
    const uint64_t n_rows = stoa_table_n_rows(d->cells.table);

    for (size_t i = 0; i < stoa_table_n_columns(d->cells.table); i++) {
        stoa_cells_touch(&d->cells, i);
    }
    if (d->n_deleted < n_rows - d->first) { /* otherwise a truncation is enough */
        STOA_RETURN_NOT_OK(stoa_cells_prepare_moves(&d->cells, d->first, err));
        STOA_RETURN_NOT_OK(move_rows(d, err));
    }
    return stoa_cells_finish(&d->cells, d->first, n_rows - d->n_deleted, err);
}

stoa_status stoa_table_delete(stoa_table *table, const char *where,
                              const stoa_edit_options *options, uint64_t *n_deleted,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;
    deletion d = {.cells = STOA_CELLS_INIT};
    stoa_range all = {0, stoa_table_n_rows(table)};
    const stoa_rowset rows = {.ranges = &all, .n_ranges = 1};

    if (n_deleted != NULL) {
        *n_deleted = 0;
    }
    if (where == NULL) {
        STOA_FAIL(err, STOA_EINVAL,
                  "say which rows to delete; stoa_table_truncate() to 0 deletes all of them");
    }
    STOA_TRY(stoa_cells_begin(table, options, &d.cells, err));
    STOA_TRY(stoa_selection_open(&d.selection, table, where, NULL, 0, &d.cells.options, err));
    STOA_TRY(stoa_parameters_check_used(&d.selection.parameters, err));
    STOA_TRY(
        stoa_selection_visit(&d.selection, &rows, &d.cells.options.listener, count_batch, &d, err));
    if (d.n_deleted > 0) {
        STOA_TRY(delete_rows(&d, err));
    }
    if (n_deleted != NULL) {
        *n_deleted = d.n_deleted;
    }

done:
    if (status != STOA_OK) {
        stoa_cells_abort(&d.cells);
    }
    free(d.gone);
    stoa_cells_clear(&d.cells);
    stoa_selection_clear(&d.selection);
    return stoa_at(err, status, "%s:%s", table->file, table->path);
}
