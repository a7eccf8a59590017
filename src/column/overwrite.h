/*
 * Overwriting rows of a column, so that it can be undone (HEP001 §11.5).
 *
 * Either in place, where the rows that are overwritten are kept in memory, or in a dataset of its
 * own that takes the column's link at the end: where a value does not fit, where most of the column
 * changes, and where memory would not hold what was there. Until stoa_overwrite_publish() the
 * column reads as it did, but for the rows overwritten in place.
 */
#ifndef STOA_COLUMN_OVERWRITE_H
#define STOA_COLUMN_OVERWRITE_H

#include "column/write.h"

typedef struct stoa_saved_rows {
    uint64_t first;
    uint64_t count;
    void *elements;
} stoa_saved_rows;

/* Zero-initialise; free with stoa_overwrite_clear(). */
typedef struct stoa_overwrite {
    stoa_column *column; /* borrowed; NULL: this column does not change */
    stoa_domain domain;  /* of the values to come */
    bool is_unfit;       /* some of them do not go into the dataset that there is */
    stoa_column *fresh;  /* written instead of the column, then in its place; NULL: in place */
    uint64_t n_copied;   /* rows of the fresh dataset that are there: the others come in order */
    bool is_published;   /* they have changed places */
    stoa_saved_rows *saved;
    size_t n_saved;
    size_t capacity;
} stoa_overwrite;

/*
 * Look at values that are to come, before anything is written.
 *
 * @param book  the code book of a categorical column, which gets the labels that are new to it
 * @return STOA_ETYPE if they are of another kind, STOA_ELOSS if they cannot be held
 */
stoa_status stoa_overwrite_look(stoa_overwrite *overwrite, const stoa_view *view,
                                stoa_codebook *book, stoa_error *err);

/* How many rows are read and written to overwrite these, which ascend: those between two that lie
 * near each other are written along. */
uint64_t stoa_overwrite_touches(const uint64_t *rows, size_t n);

/* After all were looked at: choose the place. `n_touched`: rows that will be overwritten, or read
 * to keep them. */
stoa_status stoa_overwrite_prepare(stoa_overwrite *overwrite, uint64_t n_touched,
                                   const stoa_codebook *book, stoa_error *err);

/* The same for rows that move within the column: those from `first` on change, to values that the
 * column has. */
stoa_status stoa_overwrite_prepare_moves(stoa_overwrite *overwrite, uint64_t first,
                                         stoa_error *err);

/* Value i of the view into row rows[i]; the rows ascend, from one call to the next as well. A fresh
 * dataset gets the column's rows before them on the way, so that each chunk is packed once. */
stoa_status stoa_overwrite_put(stoa_overwrite *overwrite, const stoa_view *view,
                               stoa_codebook *book, const uint64_t *rows, stoa_error *err);

/* Rows [first, first + count), without those of `gone` (ascending), into the rows from `to` on;
 * `to` is `first` at most. */
stoa_status stoa_overwrite_move(stoa_overwrite *overwrite, uint64_t first, uint64_t count,
                                const uint64_t *gone, size_t n_gone, uint64_t to, stoa_error *err);

/* What was put and moved is in the file from then on. Let the fresh dataset, where there is one,
 * take the column's link in `group`. */
stoa_status stoa_overwrite_publish(stoa_overwrite *overwrite, hid_t group, stoa_error *err);

/* Put everything back, as far as libhdf5 lets us. */
void stoa_overwrite_undo(stoa_overwrite *overwrite, hid_t group);
void stoa_overwrite_clear(stoa_overwrite *overwrite);

#endif
