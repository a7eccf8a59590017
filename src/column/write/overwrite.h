/*
 * Overwrite rows of a column in a way that can be undone (HEP001 §11.5).
 *
 * Rows are overwritten in place, and the old ones are kept in memory; or they are written to a
 * fresh dataset that replaces the column's at the end. A fresh dataset is used if a value does not
 * fit, if most of the column changes, or if the old rows would take too much memory. Before
 * stoa_overwrite_publish() the column reads as before, except for rows overwritten in place.
 *
 * The rows of a list column (rewrite_list.h) are always written to a fresh one.
 */
#ifndef STOA_COLUMN_OVERWRITE_H
#define STOA_COLUMN_OVERWRITE_H

#include "column/write/list_writer.h"
#include "column/write/write.h"
#include "core/threads.h"

typedef struct stoa_saved_rows {
    uint64_t first;
    uint64_t count;
    void *elements;
} stoa_saved_rows;

/* Visits the values that will be put into the column `which` of its context, once more. */
typedef stoa_status (*stoa_values_take)(void *taker, const stoa_view *view, stoa_error *err);
typedef struct stoa_values_again {
    stoa_status (*visit)(void *context, size_t which, stoa_values_take take, void *taker,
                         stoa_error *err);
    void *context;
    size_t which;
} stoa_values_again;

/* Zero-initialise; free with stoa_overwrite_clear(). */
typedef struct stoa_overwrite {
    stoa_column *column;     /* borrowed; NULL: the column does not change */
    stoa_domain domain;      /* of the values that will be put */
    bool is_unfit;           /* some of them do not fit into the present dataset */
    bool is_taken;           /* one of them equals its fill */
    stoa_values_again again; /* to find another fill */
    stoa_column *fresh;      /* written and then published in place of the column; NULL: in place */
    uint64_t n_copied;       /* rows already in the fresh dataset; the others follow in order */
    bool is_published;       /* the fresh dataset has replaced the column's */
    bool shows_fill;         /* its `_FillValue` has been seen to */
    /* Of a list column: */
    uint64_t n_staged;
    stoa_column *staged;       /* new rows, one after the other; no link leads to it */
    stoa_list_writer *staging; /* writes them until preparation */
    uint64_t n_put;            /* of them, in the fresh column */
    stoa_column_writer mover;  /* writes moved rows to the fresh dataset */
    stoa_column_batch moved;
    bool moves_apart; /* any thread may read and pack them */
    stoa_saved_rows *saved;
    size_t n_saved;
    size_t capacity;
} stoa_overwrite;

/*
 * Check values before anything is written.
 *
 * @param book  the categories of a categorical column; new labels are added to them
 * @return STOA_ETYPE if they are of another kind, STOA_ELOSS if the column cannot hold them
 */
stoa_status stoa_overwrite_check(stoa_overwrite *overwrite, const stoa_view *view,
                                 stoa_categories *book, stoa_error *err);

/* Number of rows that are read and written to overwrite these, which ascend. Rows between two that
 * are near each other are included. */
uint64_t stoa_overwrite_touches(const uint64_t *rows, size_t n);

/* Choose between both ways, after all values were checked. `n_touched`: rows that will be
 * overwritten, or read to keep them. */
stoa_status stoa_overwrite_prepare(stoa_overwrite *overwrite, uint64_t n_touched,
                                   const stoa_categories *book, stoa_error *err);

/* The same for rows that move within the column. Those from `first` on get values that the column
 * has. */
stoa_status stoa_overwrite_prepare_moves(stoa_overwrite *overwrite, uint64_t first,
                                         stoa_error *err);

/* Write value i of the view to row rows[i]. Rows must ascend, also from one call to the next. A
 * fresh dataset first gets the rows of the column before them, so that each chunk is compressed
 * once. */
stoa_status stoa_overwrite_put(stoa_overwrite *overwrite, const stoa_view *view,
                               stoa_categories *book, const uint64_t *rows, stoa_error *err);

/* Rows that move up at once, and where to: rows [first, first + count), at most STOA_MOVED_ROWS,
 * without those in `gone` (ascending), to the rows from `to` on. `to` is at most `first`. */
#define STOA_MOVED_ROWS UINT64_C(65536)
typedef struct stoa_row_move {
    uint64_t first;
    uint64_t count;
    const uint64_t *gone;
    size_t n_gone;
    uint64_t to;
} stoa_row_move;

/* Move rows in three steps. The second one may run on any thread, while other threads take it for
 * other columns. */
stoa_status stoa_overwrite_move_begin(stoa_overwrite *overwrite, const stoa_row_move *move,
                                      stoa_error *err);
stoa_status stoa_overwrite_move_pack(stoa_overwrite *overwrite, const stoa_row_move *move,
                                     stoa_workers *workers, stoa_scratch *scratch, stoa_error *err);
stoa_status stoa_overwrite_move_put(stoa_overwrite *overwrite, const stoa_row_move *move,
                                    stoa_error *err);

/* Flush what was written. A fresh dataset takes over the column's link in `group`. */
stoa_status stoa_overwrite_publish(stoa_overwrite *overwrite, hid_t group, stoa_error *err);

/* Restore the old rows and link, as far as libhdf5 allows. */
void stoa_overwrite_undo(stoa_overwrite *overwrite, hid_t group);
void stoa_overwrite_clear(stoa_overwrite *overwrite);

#endif
