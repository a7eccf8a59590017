/* Writing rows behind a column's last one, rewriting the column where its type is too narrow. */
#ifndef STOA_COLUMN_WRITE_H
#define STOA_COLUMN_WRITE_H

#include "column/codebook.h"
#include "column/column.h"
#include "column/layout.h"
#include "column/plain.h"

/* A column being appended to. */
typedef struct stoa_column_writer {
    stoa_column *column;
    hid_t group;         /* the table's group, where the column is linked; borrowed */
    stoa_codebook *book; /* categorical: its code book, shared with columns of the same; borrowed */
    uint64_t n_rows;     /* rows written, those not yet committed included */
    uint64_t n_values;   /* of the rows written through this: those that are not missing */
    const char *codec;   /* of strings that categories become; NULL: "auto" */
    bool was_replaced;   /* the column's dataset is another object now */
} stoa_column_writer;

/*
 * A view's values on their way into rows [n_rows, n_rows + length), in four steps, so that what
 * needs no libhdf5 may be done on any thread.
 *
 * Where the datatype is too narrow, or a value equals the fill (HEP001 §8.5), the column is
 * rewritten first: a new dataset takes its link, its attributes and its rows. STOA_ETYPE if the
 * values are of another kind; STOA_ELOSS if no type can hold them.
 *
 * Zero-initialise; free with stoa_column_batch_clear() where libhdf5 may be called. The view is
 * borrowed until then.
 */
typedef struct stoa_column_batch {
    stoa_plain plain;
    stoa_domain domain;
    int64_t length;
    void *elements; /* NULL: still to be encoded */
    bool collides;
    uint64_t n_taken;   /* elements in the following chunks, or in the one that is held */
    stoa_buffer chunks; /* stoa_packed_chunk each: the whole chunks among the elements */
    stoa_buffer bytes;  /* and what they are packed to, one after the other */
} stoa_column_batch;

/* 1. Look at the values. On any thread, but columns of one code book on the same. */
stoa_status stoa_column_batch_look(stoa_column_writer *writer, const stoa_view *view,
                                   stoa_column_batch *batch, stoa_error *err);
/* 2. Make the dataset fit, and long enough. */
stoa_status stoa_column_batch_fit(stoa_column_writer *writer, stoa_column_batch *batch,
                                  stoa_error *err);
/* 3. Encode the values, pack the chunks that they fill. On any thread. */
stoa_status stoa_column_batch_pack(const stoa_column_writer *writer, stoa_column_batch *batch,
                                   stoa_scratch *scratch, stoa_error *err);
/* 4. Write them: all but the last chunk, see stoa_column_flush(). */
stoa_status stoa_column_batch_put(stoa_column_writer *writer, stoa_column_batch *batch,
                                  stoa_error *err);
void stoa_column_batch_clear(const stoa_column_writer *writer, stoa_column_batch *batch);

/* Rewrite the column for its values and those of `extra` (NULL: none more) into another storage
 * (NULL: as it is). */
stoa_status stoa_column_rewrite(stoa_column_writer *writer, const stoa_domain *extra,
                                const stoa_storage *storage, stoa_error *err);

/*
 * Make what stoa_column_rewrite() gives the column's link, without linking it: a dataset for the
 * column's values and those of `extra`, and rows [0, n_rows) in it.
 *
 * @param[out] fresh  the caller's, as an open column of the same name
 */
stoa_status stoa_column_refit(stoa_column *column, uint64_t n_rows, const stoa_domain *extra,
                              uint64_t n_labels, uint64_t extent, const stoa_storage *storage,
                              stoa_column **fresh, stoa_error *err);

/* The same with no row written yet; `n_rows` are looked at. */
stoa_status stoa_column_remake(stoa_column *column, uint64_t n_rows, const stoa_domain *extra,
                               uint64_t n_labels, uint64_t extent, const stoa_storage *storage,
                               stoa_column **fresh, stoa_error *err);

/* Let two open columns change places: `other` takes the link in `group` and the insides of
 * `column`, which others point to; doing it again undoes it. */
stoa_status stoa_column_exchange(hid_t group, stoa_column *column, stoa_column *other,
                                 stoa_error *err);
/* The same with a column whose dataset has no name yet. */
stoa_status stoa_column_publish(hid_t group, stoa_column *column, stoa_column *fresh,
                                stoa_error *err);

/*
 * The values of a view, in the column's form (plain.h), as elements of its dataset.
 *
 * @param[out] elements  see stoa_column_encode()
 * @param[out] collides  a value that is not null came out as the fill (§8.5)
 */
stoa_status stoa_column_elements_of(const stoa_column *column, const stoa_view *view,
                                    void **elements, bool *collides, stoa_error *err);
/* The failure where even another fill collides. */
stoa_status stoa_column_no_fill_left(const stoa_column *column, stoa_error *err);

/* Whether the codes' type holds the code of every label, and its fill is none of them (§12). */
bool stoa_column_holds_codes(const stoa_column *column, uint64_t n_labels);

/* Make the codes' type hold the code of every label in the book, also of those that only other
 * columns of the same book use, and keep the fill apart from them (§12). */
stoa_status stoa_column_fit_codes(stoa_column_writer *writer, stoa_error *err);

/* Grow or shrink the dataset's extent; recreates a dataset that cannot. */
stoa_status stoa_column_resize(stoa_column_writer *writer, uint64_t extent, stoa_error *err);

/* Look at the dataset anew: another NROWS, new categories, other attributes. */
stoa_status stoa_column_reload(stoa_column *column, uint64_t n_rows, const char *vocabulary,
                               stoa_error *err);

#endif
