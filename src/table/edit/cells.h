/*
 * Overwriting rows of a table: cells of an update, and rows that a deletion moves (HEP001 §11.5).
 *
 * Except for cells overwritten in place, changes become visible only in stoa_cells_finish().
 * stoa_cells_abort() restores the cells overwritten in place.
 */
#ifndef STOA_TABLE_CELLS_H
#define STOA_TABLE_CELLS_H

#include "column/write/overwrite.h"
#include "table/edit/snapshot.h"
#include "table/write/append.h"

/* The state of a categories dataset before labels are added, in place or in a new dataset. */
typedef struct stoa_old_categories {
    hid_t dataset; /* H5I_INVALID_HID if no labels are added */
    uint32_t n_labels;
} stoa_old_categories;

/* Start from STOA_CELLS_INIT; free with stoa_cells_clear(). */
typedef struct stoa_cells {
    stoa_table *table;         /* borrowed */
    stoa_edit_options options; /* a copy */
    stoa_overwrite *columns;   /* one per column of the table */
    stoa_appender books;       /* the categories, if a categorical column is changed */
    stoa_old_categories *old_books;
    stoa_workers *workers; /* for moves: each reads and packs one column at a time */
    stoa_scratch *scratch; /* one per worker */
    stoa_snapshot before;  /* links and references before the change */
    bool has_indexed;      /* indexes may describe uncommitted values */
} stoa_cells;

#define STOA_CELLS_INIT                                                                            \
    {                                                                                              \
        .before = STOA_SNAPSHOT_INIT                                                               \
    }

stoa_status stoa_cells_begin(stoa_table *table, const stoa_edit_options *options, stoa_cells *cells,
                             stoa_error *err);
/* Announce that column i will change. */
void stoa_cells_touch(stoa_cells *cells, size_t i);
/* Load the categories, before values of a categorical column come. */
stoa_status stoa_cells_open_categories(stoa_cells *cells, stoa_error *err);

/* An update: look at every new value, prepare, then put each of them. `n_touched` is from
 * stoa_overwrite_touches(). */
stoa_status stoa_cells_check(stoa_cells *cells, size_t i, const stoa_view *view, stoa_error *err);
stoa_status stoa_cells_prepare(stoa_cells *cells, uint64_t n_touched, stoa_error *err);
stoa_status stoa_cells_put(stoa_cells *cells, size_t i, const stoa_view *view, const uint64_t *rows,
                           stoa_error *err);

/* Move rows within every column, on options.threads threads. Moves that begin at a multiple of
 * STOA_MOVED_ROWS decode each chunk once. */
stoa_status stoa_cells_prepare_moves(stoa_cells *cells, uint64_t first, stoa_error *err);
stoa_status stoa_cells_move(stoa_cells *cells, const stoa_row_move *move, stoa_error *err);

/* Update links, references and indexes, and commit. Rows below `n_same` are unchanged. */
stoa_status stoa_cells_finish(stoa_cells *cells, uint64_t n_same, uint64_t n_rows, stoa_error *err);
/* After a failure, restore values, links, references and categories. Indexes are restored or
 * rebuilt. */
void stoa_cells_abort(stoa_cells *cells);
void stoa_cells_clear(stoa_cells *cells);

#endif
