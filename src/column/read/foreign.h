/*
 * Columns of tables that are not HEP001's: members of a row-wise dataset, and what only its layout
 * knows how to read. They are read as other columns are, and never written.
 */
#ifndef STOA_COLUMN_FOREIGN_H
#define STOA_COLUMN_FOREIGN_H

#include "column/column.h"
#include "hdf/read/slab.h"

/*
 * A member of rows (hdf/read/compound_rows.h) as a column, presented as its element is.
 *
 * @param index, item  as stoa_row_member_open() takes them
 * @param[out] out      the caller's, until a table takes it; loaded already
 */
stoa_status stoa_column_of_member(const char *name, stoa_rows *rows, unsigned index, size_t item,
                                  stoa_column **out, stoa_error *err);

/* How such a column is presented, to be said before it is read; of the first three, one. ------
 */

/* Its bytes are 0 or 1. */
void stoa_column_show_bools(stoa_column *column);
/* Its integers count time. */
void stoa_column_show_times(stoa_column *column, const stoa_time_units *units);
/* Its integers are durations. */
void stoa_column_show_durations(stoa_column *column, stoa_time_unit unit);
/* Elements with the bits of `fill` (in memory form) are missing; all NaN where it is one. */
stoa_status stoa_column_show_missing(stoa_column *column, const void *fill, stoa_error *err);
/* Its integers are codes of labels, which are copied nowhere and taken over in every case. */
void stoa_column_show_labels(stoa_column *column, struct ArrowSchema *schema,
                             struct ArrowArray *labels, bool is_ordered);
/* The same with the values of a column, which stays the caller's. */
stoa_status stoa_column_show_labels_of(stoa_column *column, stoa_column *labels, bool is_ordered,
                                       stoa_error *err);
/* All values of a column of labels: STOA_EDATA where its length is none of labels. Both are the
 * caller's. */
stoa_status stoa_column_read_labels(stoa_column *labels, struct ArrowSchema *schema,
                                    struct ArrowArray *values, stoa_error *err);

/* Columns that a layout reads in its own way. A source is copied, and its context taken over in
 * every case. --------------------------------------------------------------------------------- */

/* A column of elements, presented as the calls above say.
 *
 * @param element  taken over in every case */
stoa_status stoa_column_of_elements(const char *name, stoa_element *element, uint64_t n_rows,
                                    const stoa_column_source *source, stoa_column **column,
                                    stoa_error *err);
/* A column of arrays.
 *
 * @param schema  of the column; its name is the field's. Taken over in every case */
stoa_status stoa_column_of_source(struct ArrowSchema *schema, uint64_t n_rows,
                                  const stoa_column_source *source, stoa_column **out,
                                  stoa_error *err);
/* A column whose rows are in memory: both are taken over in every case. */
stoa_status stoa_column_of_array(struct ArrowSchema *schema, struct ArrowArray *array,
                                 stoa_column **column, stoa_error *err);
/*
 * Rows of a dataset that is no HEP001 column: a one-dimensional one, a line of another, whole rows
 * of it, or its only element; see stoa_slab_open(), which `axis` and `at` are for. Nothing is
 * missing.
 *
 * @param dataset  taken over in every case
 */
stoa_status stoa_column_of_dataset(const char *name, hid_t dataset, int axis, hsize_t at,
                                   stoa_column **column, stoa_error *err);

#endif
