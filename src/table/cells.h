/*
 * Rows of a table overwritten: an update's cells, and the rows that a deletion moves (HEP001
 * §11.5).
 *
 * Nothing is seen under the columns' names before stoa_cells_finish(), but for cells overwritten in
 * place; stoa_cells_abort() puts those back.
 */
#ifndef STOA_TABLE_CELLS_H
#define STOA_TABLE_CELLS_H

#include "column/overwrite.h"
#include "table/append.h"
#include "table/snapshot.h"

/* A categories dataset that labels are added to, in place or in another one. */
typedef struct stoa_old_book {
    hid_t dataset; /* H5I_INVALID_HID: none are */
    uint32_t n_labels;
} stoa_old_book;

/* Start from STOA_CELLS_INIT; free with stoa_cells_clear(). */
typedef struct stoa_cells {
    stoa_table *table;         /* borrowed */
    stoa_edit_options options; /* our own copy */
    stoa_overwrite *columns;   /* one a column of the table */
    stoa_appender books;       /* its code books, where a categorical column is changed */
    stoa_old_book *old_books;
    stoa_snapshot before; /* links and references */
    bool has_indexed;     /* indexes may speak of values that are not committed */
} stoa_cells;

#define STOA_CELLS_INIT                                                                            \
    {                                                                                              \
        .before = STOA_SNAPSHOT_INIT                                                               \
    }

stoa_status stoa_cells_begin(stoa_table *table, const stoa_edit_options *options, stoa_cells *cells,
                             stoa_error *err);
/* Column i is going to change. */
void stoa_cells_touch(stoa_cells *cells, size_t i);
/* Values of a categorical column are going to come: load the code books. */
stoa_status stoa_cells_open_books(stoa_cells *cells, stoa_error *err);

/* An update: look at every value that is to come, prepare, put each of them. `n_touched` is of
 * stoa_overwrite_touches(). */
stoa_status stoa_cells_look(stoa_cells *cells, size_t i, const stoa_view *view, stoa_error *err);
stoa_status stoa_cells_prepare(stoa_cells *cells, uint64_t n_touched, stoa_error *err);
stoa_status stoa_cells_put(stoa_cells *cells, size_t i, const stoa_view *view, const uint64_t *rows,
                           stoa_error *err);

/* Moves within every column that was touched: see stoa_overwrite_move(). */
stoa_status stoa_cells_prepare_moves(stoa_cells *cells, uint64_t first, stoa_error *err);
stoa_status stoa_cells_move(stoa_cells *cells, uint64_t first, uint64_t count, const uint64_t *gone,
                            size_t n_gone, uint64_t to, stoa_error *err);

/* Links, references, indexes, commit. Rows below n_same are what they were. */
stoa_status stoa_cells_finish(stoa_cells *cells, uint64_t n_same, uint64_t n_rows, stoa_error *err);
/* After a failure: values, links, references and code books as they were; indexes, too, or built
 * again. */
void stoa_cells_abort(stoa_cells *cells);
void stoa_cells_clear(stoa_cells *cells);

#endif
