/* Append rows to a column, and rewrite the column if its type is too narrow. */
#ifndef STOA_COLUMN_WRITE_H
#define STOA_COLUMN_WRITE_H

#include "column/column.h"
#include "column/type/create_column.h"
#include "column/write/categories.h"
#include "column/write/stored_form.h"

/* A column being appended to. */
typedef struct stoa_column_writer {
    stoa_column *column;
    hid_t group;           /* the table's group, which links the column; borrowed */
    stoa_categories *book; /* categorical: its categories, shared with other columns; borrowed */
    uint64_t n_rows;       /* rows written, including uncommitted ones */
    uint64_t n_values;     /* values written through this that are not missing */
    const char *codec;     /* for strings that were categories; NULL: "auto" */
    bool was_replaced;     /* the column's dataset was replaced, or is about to be */
    /* Called before its dataset is replaced; NULL: nothing depends on the dataset. */
    stoa_status (*leave)(stoa_column *column, stoa_error *err);
    bool shows_fill; /* its `_FillValue` has been seen to */
    bool keeps_fill; /* the user chose the fill value: a value that equals it is an error */
} stoa_column_writer;

/*
 * The values of a view that are being written to rows [n_rows, n_rows + length). This takes four
 * steps, so that work without libhdf5 can be done on any thread.
 *
 * If the datatype is too narrow, or a value equals the fill (HEP001 §8.5), the column is rewritten
 * first. A new dataset takes over its link, attributes and rows. STOA_ETYPE if the values are of
 * another kind; STOA_ELOSS if no type can hold them.
 *
 * Zero-initialise; free with stoa_column_batch_clear() where libhdf5 may be called. The view is
 * borrowed until then.
 */
typedef struct stoa_column_batch {
    stoa_stored_form plain;
    stoa_domain domain;
    int64_t length;
    bool is_last;   /* no more values follow: an incomplete chunk is packed, too, and not held */
    void *elements; /* NULL: not encoded yet */
    bool collides;
    uint64_t n_taken;   /* elements in `chunks`, or added to the held chunk */
    stoa_buffer chunks; /* a stoa_packed_chunk for each complete chunk; see `is_last` */
    stoa_buffer bytes;  /* their compressed bytes, one after the other */
} stoa_column_batch;

/* 1. Check the values. On any thread, but columns that share categories on the same one. */
stoa_status stoa_column_batch_check(stoa_column_writer *writer, const stoa_view *view,
                                    stoa_column_batch *batch, stoa_error *err);
/* 2. Make the dataset's type and extent sufficient. */
stoa_status stoa_column_batch_fit(stoa_column_writer *writer, stoa_column_batch *batch,
                                  stoa_error *err);
/* The same for `length` elements that fit into the dataset, and whose rows it has. They are put
 * into batch->elements before the third step; the first one is left out. */
stoa_status stoa_column_batch_fit_elements(stoa_column_writer *writer, uint64_t length,
                                           stoa_column_batch *batch, stoa_error *err);
/* 3. Encode the values and compress the chunks that they fill. On any thread. */
stoa_status stoa_column_batch_pack(const stoa_column_writer *writer, stoa_column_batch *batch,
                                   stoa_scratch *scratch, stoa_error *err);
/* 4. Write them. An incomplete last chunk is held unless the batch is the last, see
 * stoa_column_flush(). */
stoa_status stoa_column_batch_put(stoa_column_writer *writer, stoa_column_batch *batch,
                                  stoa_error *err);
void stoa_column_batch_clear(const stoa_column_writer *writer, stoa_column_batch *batch);

/* Rewrite the column for its values and those of `extra` (NULL: none) in another storage (NULL: the
 * same). */
stoa_status stoa_column_rewrite(stoa_column_writer *writer, const stoa_domain *extra,
                                const stoa_storage *storage, stoa_error *err);

/*
 * Make the dataset that stoa_column_rewrite() would link: one for the column's values and those yet
 * to be written, with rows [0, n_rows).
 *
 * @param[out] fresh  an open column of the same name; the caller closes it
 */
stoa_status stoa_column_rewrite_type(stoa_column *column, uint64_t n_rows,
                                     const stoa_rewriting *how, stoa_column **fresh,
                                     stoa_error *err);

/* The same without writing any row. Rows [0, n_rows) are read to learn their domain. */
stoa_status stoa_column_remake(stoa_column *column, uint64_t n_rows, const stoa_rewriting *how,
                               stoa_column **fresh, stoa_error *err);

/* Exchange two open columns: `other` gets the link in `group`. Then the contents of the structs are
 * swapped, because others point to `column`. A second call undoes it. */
stoa_status stoa_column_exchange(hid_t group, stoa_column *column, stoa_column *other,
                                 stoa_error *err);
/* The same with a column whose dataset is not linked yet. */
stoa_status stoa_column_publish(hid_t group, stoa_column *column, stoa_column *fresh,
                                stoa_error *err);

/*
 * Convert the values of a view, in the column's form (stored_form.h), to elements of its dataset.
 *
 * @param[out] elements  see stoa_column_encode()
 * @param[out] collides  a value that is not null equals the fill (§8.5)
 */
stoa_status stoa_column_elements_of(const stoa_column *column, const stoa_view *view,
                                    void **elements, bool *collides, stoa_error *err);
/* Make sure, once a value is missing, that `_FillValue` tells other programs (cf_attributes.h). */
stoa_status stoa_column_show_fill(const stoa_column *column, bool *shows_fill, stoa_error *err);
/* Fail because even another fill collides. */
stoa_status stoa_column_no_fill_left(const stoa_column *column, stoa_error *err);

/* Widen the codes' type for all labels of the categories, and keep the fill apart from them (§12).
 * Labels that only other columns use count as well. */
stoa_status stoa_column_fit_codes(stoa_column_writer *writer, stoa_error *err);

/* Whether the dataset can be resized to that extent. */
stoa_status stoa_column_can_resize(const stoa_column *column, uint64_t extent, bool *can,
                                   stoa_error *err);
/* Grow or shrink the dataset's extent. A dataset that cannot be resized is recreated. */
stoa_status stoa_column_resize(stoa_column_writer *writer, uint64_t extent, stoa_error *err);

/* Reload the column: its NROWS, categories or attributes have changed. */
stoa_status stoa_column_reload(stoa_column *column, uint64_t n_rows, const char *vocabulary,
                               stoa_error *err);

#endif
