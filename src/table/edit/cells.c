#include "table/edit/cells.h"

#include <stdlib.h>

#include "column/members.h"
#include "column/write/encode.h"
#include "core/memory.h"
#include "core/progress.h"
#include "hdf/chunk/chunk_checks.h"
#include "hdf/metadata/references.h"
#include "index/common/kind.h"
#include "table/edit/columns.h"
#include "table/write/tokens.h"
#include "table/write/update_indexes.h"

stoa_status stoa_cells_begin(stoa_table *table, const stoa_edit_options *options, stoa_cells *cells,
                             stoa_error *err)
{
    *cells = (stoa_cells)STOA_CELLS_INIT;
    cells->table = table;
    STOA_RETURN_NOT_OK(stoa_table_may_change(table, err));
    STOA_RETURN_NOT_OK(stoa_edit_options_copy(options, &cells->options, err));
    STOA_RETURN_NOT_OK(stoa_table_load(table, err));
    cells->columns = stoa_alloc_zero(table->n_columns, sizeof *cells->columns);
    STOA_RETURN_NO_MEMORY(err, cells->columns);
    return STOA_OK;
}

static stoa_categories *book_of(const stoa_cells *cells, size_t i)
{
    return cells->books.writers != NULL ? cells->books.writers[i].book : NULL;
}

void stoa_cells_touch(stoa_cells *cells, size_t i)
{
    cells->columns[i].column = cells->table->columns[i];
}

stoa_status stoa_cells_open_categories(stoa_cells *cells, stoa_error *err)
{
    return cells->books.writers == NULL ? stoa_appender_begin(cells->table, &cells->books, err)
                                        : STOA_OK;
}

/* Categories -------------------------------------------------------------------------------- */

/* Touch columns whose code type is too narrow for the new labels, even if another column brought
 * those labels. */
static void touch_narrow_columns(stoa_cells *cells)
{
    for (size_t i = 0; i < cells->table->n_columns; i++) {
        const stoa_categories *book = book_of(cells, i);
        stoa_column *column = cells->table->columns[i];
        if (book != NULL && !stoa_column_holds_codes(column, book->labels.count)) {
            cells->columns[i].column = column;
        }
    }
}

static stoa_status store_books(stoa_cells *cells, stoa_error *err)
{
    stoa_appender *books = &cells->books;

    if (books->n_books == 0) {
        return STOA_OK;
    }
    cells->old_books = stoa_alloc(books->n_books, sizeof *cells->old_books);
    STOA_RETURN_NO_MEMORY(err, cells->old_books);
    for (size_t i = 0; i < books->n_books; i++) {
        cells->old_books[i] = (stoa_old_categories){.dataset = H5I_INVALID_HID};
    }
    for (size_t i = 0; i < books->n_books; i++) {
        const stoa_categories *book = &books->books[i].book;
        if (book->labels.count != book->n_stored) {
            STOA_RETURN_HDF_ERROR(err, H5Iinc_ref(book->dataset), "hold the categories");
            cells->old_books[i] = (stoa_old_categories){book->dataset, book->n_stored};
        }
    }
    return stoa_appender_store_categories(books, err);
}

/* Let columns refer to their extended categories, and reload their labels. */
static stoa_status refer_to_books(stoa_cells *cells, stoa_error *err)
{
    const stoa_table *table = cells->table;

    for (size_t i = 0; i < table->n_columns; i++) {
        const stoa_categories *book = book_of(cells, i);
        stoa_column *column = table->columns[i];
        if (book == NULL) {
            continue;
        }
        STOA_RETURN_NOT_OK(stoa_appender_refer(&cells->books, i, err));
        STOA_RETURN_NOT_OK(stoa_column_reload(column, table->n_rows, table->units_vocabulary, err));
    }
    return STOA_OK;
}

/* Restore the old labels. Links must have been restored before. */
static void restore_books(stoa_cells *cells)
{
    stoa_error ignored = STOA_ERROR_INIT;
    const stoa_table *table = cells->table;
    const stoa_error_stack errors = stoa_error_stack_begin();

    for (size_t i = 0; cells->old_books != NULL && i < cells->books.n_books; i++) {
        const stoa_old_categories *old = &cells->old_books[i];
        if (old->dataset >= 0) {
            (void)stoa_dataset_resize(old->dataset, &(hsize_t){old->n_labels}, NULL);
        }
    }
    for (size_t i = 0; cells->old_books != NULL && i < table->n_columns; i++) {
        if (book_of(cells, i) != NULL) {
            (void)stoa_column_reload(table->columns[i], table->n_rows, table->units_vocabulary,
                                     &ignored);
        }
    }
    stoa_error_stack_discard(&errors);
}

/* A dataset with two links would have its rows changed or moved twice. */
static stoa_status check_own(const stoa_cells *cells, stoa_error *err)
{
    for (size_t i = 0; i < cells->table->n_columns; i++) {
        stoa_column *column = cells->columns[i].column;
        bool has_more = false;
        if (column == NULL) {
            continue;
        }
        STOA_RETURN_NOT_OK(stoa_column_has_more_links(column, &has_more, err));
        if (has_more) {
            STOA_RETURN_NOT_OK(stoa_column_edit_find_own(cells->table, column->name, &column, err));
        }
    }
    return STOA_OK;
}

/* Values ------------------------------------------------------------------------------------ */

stoa_status stoa_cells_check(stoa_cells *cells, size_t i, const stoa_view *view, stoa_error *err)
{
    return stoa_overwrite_check(&cells->columns[i], view, book_of(cells, i), err);
}

stoa_status stoa_cells_prepare(stoa_cells *cells, uint64_t n_touched, stoa_error *err)
{
    if (cells->books.writers != NULL) {
        STOA_RETURN_NOT_OK(stoa_appender_check_order(&cells->books, err));
    }
    touch_narrow_columns(cells);
    STOA_RETURN_NOT_OK(check_own(cells, err));
    STOA_RETURN_NOT_OK(stoa_snapshot_take(cells->table->group, &cells->before, err));
    for (size_t i = 0; i < cells->table->n_columns; i++) {
        if (cells->columns[i].column != NULL) {
            STOA_RETURN_NOT_OK(
                stoa_overwrite_prepare(&cells->columns[i], n_touched, book_of(cells, i), err));
        }
    }
    STOA_RETURN_NOT_OK(stoa_table_generation_raise(cells->table, err));
    return store_books(cells, err);
}

stoa_status stoa_cells_put(stoa_cells *cells, size_t i, const stoa_view *view, const uint64_t *rows,
                           stoa_error *err)
{
    return stoa_overwrite_put(&cells->columns[i], view, book_of(cells, i), rows, err);
}

stoa_status stoa_cells_prepare_moves(stoa_cells *cells, uint64_t first, stoa_error *err)
{
    STOA_RETURN_NOT_OK(check_own(cells, err));
    STOA_RETURN_NOT_OK(stoa_snapshot_take(cells->table->group, &cells->before, err));
    for (size_t i = 0; i < cells->table->n_columns; i++) {
        STOA_RETURN_NOT_OK(stoa_overwrite_prepare_moves(&cells->columns[i], first, err));
    }
    STOA_RETURN_NOT_OK(stoa_workers_open(cells->options.threads, &cells->workers, err));
    cells->scratch = stoa_alloc_zero(stoa_workers_count(cells->workers), sizeof *cells->scratch);
    STOA_RETURN_NO_MEMORY(err, cells->scratch);
    return stoa_table_generation_raise(cells->table, err);
}

/* Columns whose rows move at the same time. */
typedef struct moving {
    stoa_cells *cells;
    const stoa_row_move *move;
    size_t first;
} moving;

static stoa_status pack_moved(void *context, unsigned worker, uint64_t part, stoa_error *err)
{
    const moving *m = context;

    return stoa_overwrite_move_pack(&m->cells->columns[m->first + part], m->move, m->cells->workers,
                                    &m->cells->scratch[worker], err);
}

/* The calling thread writes, so that the file does not depend on the number of threads. */
stoa_status stoa_cells_move(stoa_cells *cells, const stoa_row_move *move, stoa_error *err)
{
    enum { AT_ONCE = 64 }; /* bounds the memory */
    const size_t n = cells->table->n_columns;

    for (size_t first = 0; first < n; first += AT_ONCE) {
        moving m = {cells, move, first};
        const size_t end = n - first > AT_ONCE ? first + AT_ONCE : n;
        for (size_t i = first; i < end; i++) {
            STOA_RETURN_NOT_OK(stoa_overwrite_move_begin(&cells->columns[i], move, err));
        }
        STOA_RETURN_NOT_OK(stoa_workers_run(cells->workers, end - first, pack_moved, &m, err));
        for (size_t i = first; i < end; i++) {
            STOA_RETURN_NOT_OK(stoa_overwrite_move_put(&cells->columns[i], move, err));
        }
    }
    return STOA_OK;
}

/* Ending ------------------------------------------------------------------------------------ */

static bool has_published(const stoa_cells *cells)
{
    bool has = false;

    for (size_t i = 0; i < cells->table->n_columns; i++) {
        has = has || cells->columns[i].is_published;
    }
    return has;
}

static bool has_new_labels(const stoa_cells *cells)
{
    bool has = false;

    for (size_t i = 0; cells->old_books != NULL && i < cells->books.n_books; i++) {
        has = has || cells->old_books[i].dataset >= 0;
    }
    return has;
}

stoa_status stoa_cells_finish(stoa_cells *cells, uint64_t n_same, uint64_t n_rows, stoa_error *err)
{
    stoa_table *table = cells->table;
    const stoa_row_change rows = {table->n_rows, n_same, n_rows};

    for (size_t i = 0; i < table->n_columns; i++) {
        STOA_RETURN_NOT_OK(stoa_overwrite_publish(&cells->columns[i], table->group, err));
    }
    if (has_published(cells)) {
        STOA_RETURN_NOT_OK(stoa_table_refer_to_columns(table, err));
    }
    if (has_new_labels(cells)) {
        STOA_RETURN_NOT_OK(refer_to_books(cells, err));
    }
    cells->has_indexed = true;
    STOA_RETURN_NOT_OK(stoa_index_links_settle(table->columns, table->n_columns, err));
    if (table->generation->is_raised) {
        table->generation->next_n_rows = n_rows;
    } else { /* rows are cut off, and none changed */
        STOA_RETURN_NOT_OK(stoa_table_tokens_ahead(table, n_rows, err));
    }
    for (size_t i = 0; i < table->n_columns; i++) {
        const stoa_overwrite *column = &cells->columns[i];
        if (column->column != NULL) {
            STOA_RETURN_NOT_OK(stoa_report_progress(&cells->options.listener,
                                                    &(stoa_progress){.stage = "indexing"}, err));
            STOA_RETURN_NOT_OK(stoa_table_update_indexes(table, column->column, &rows,
                                                         column->is_published,
                                                         cells->options.drop_indexes, err));
        }
    }
    if (table->generation->is_raised) {
        STOA_RETURN_NOT_OK(stoa_table_tokens_behind(table, table->generation, err));
    }
    return stoa_table_commit(table, n_rows, err);
}

/* Update or renew the indexes of a column whose values are the old ones again. Indexes of a fresh
 * dataset were left alone, and those of a column that did not change are right. */
static void restore_indexes(const stoa_cells *cells, size_t i)
{
    const stoa_table *table = cells->table;
    stoa_column *column = table->columns[i];
    const stoa_overwrite *overwrite = &cells->columns[i];
    stoa_error ignored = STOA_ERROR_INIT;

    column->n_rows = table->n_rows;
    if (cells->has_indexed && overwrite->column != NULL && overwrite->fresh == NULL) {
        (void)stoa_index_rebuild_all(table->group, column, table->n_rows, &ignored);
    } else if (table->generation->is_raised) {
        (void)stoa_index_tokens_behind(column, table->generation, &ignored);
    }
}

void stoa_cells_abort(stoa_cells *cells)
{
    const stoa_table *table = cells->table;
    stoa_error ignored = STOA_ERROR_INIT;

    if (cells->columns == NULL) {
        return; /* nothing was done yet */
    }
    stoa_generation *const generation = table->generation;
    for (size_t i = 0; i < table->n_columns; i++) {
        if (cells->columns[i].column != NULL) {
            if (cells->has_indexed && generation->is_raised && cells->columns[i].fresh == NULL) {
                /* they may have their tokens already */
                (void)stoa_index_tokens_withdraw(cells->columns[i].column, &ignored);
            }
            stoa_overwrite_undo(&cells->columns[i], table->group);
        }
    }
    stoa_snapshot_restore(&cells->before);
    restore_books(cells);
    if (generation->is_raised) { /* it stays so: the rows are written before any token */
        generation->next_n_rows = table->n_rows;
        (void)stoa_flush(table->group);
    } else {
        stoa_generation_settle(generation, false);
    }
    for (size_t i = 0; i < table->n_columns; i++) {
        restore_indexes(cells, i);
    }
    stoa_generation_settle(generation, false);
}

void stoa_cells_clear(stoa_cells *cells)
{
    for (size_t i = 0; cells->columns != NULL && i < cells->table->n_columns; i++) {
        stoa_overwrite_clear(&cells->columns[i]);
    }
    for (size_t i = 0; cells->old_books != NULL && i < cells->books.n_books; i++) {
        (void)stoa_hdf_close(&cells->old_books[i].dataset, STOA_OK, NULL);
    }
    for (unsigned i = 0; cells->scratch != NULL && i < stoa_workers_count(cells->workers); i++) {
        stoa_scratch_clear(&cells->scratch[i]);
    }
    free(cells->scratch);
    stoa_workers_close(cells->workers);
    free(cells->columns);
    free(cells->old_books);
    stoa_appender_clear(&cells->books);
    stoa_snapshot_clear(&cells->before);
    *cells = (stoa_cells)STOA_CELLS_INIT;
}
