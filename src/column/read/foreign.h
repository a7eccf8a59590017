/* Columns of tables in other layouts: members of a row-wise dataset, and columns that only their
 * layout can read. They are read like other columns, and never written. */
#ifndef STOA_COLUMN_FOREIGN_H
#define STOA_COLUMN_FOREIGN_H

#include "column/column.h"
#include "core/string_set.h"
#include "hdf/read/slab.h"

/*
 * Make a column of a member of a row-wise dataset (hdf/read/compound_rows.h). Its type is that of
 * its element.
 *
 * @param index, item  as for stoa_row_member_open()
 * @param[out] out  loaded; the caller owns it until a table takes it over
 */
stoa_status stoa_column_of_member(const char *name, stoa_rows *rows, unsigned index, size_t item,
                                  stoa_column **out, stoa_error *err);

/* --- type and missing values ----------------------------------------------------------------- */

/* Call these before the column is read, and at most one of the first three. */

/* Its bytes are booleans, 0 or 1. */
void stoa_column_as_bools(stoa_column *column);
/* Its integers are timestamps. */
void stoa_column_as_times(stoa_column *column, const stoa_time_units *units);
/* Its integers are durations. */
void stoa_column_as_durations(stoa_column *column, stoa_time_unit unit);
/* Elements with the bits of `fill` (in memory form) are missing. If it is NaN, all NaNs are. */
stoa_status stoa_column_set_missing(stoa_column *column, const void *fill, stoa_error *err);
/* Its integers are codes of these labels. Both Arrow structs are moved, in every case. */
void stoa_column_as_codes(stoa_column *column, struct ArrowSchema *schema,
                          struct ArrowArray *labels, bool is_ordered);
/* The same with the values of a column, which the caller keeps. */
stoa_status stoa_column_as_codes_of(stoa_column *column, stoa_column *labels, bool is_ordered,
                                    stoa_error *err);
/* Read all values of a column of labels. The caller releases both results. STOA_EDATA if there are
 * too many for labels. */
stoa_status stoa_column_read_labels(stoa_column *labels, struct ArrowSchema *schema,
                                    struct ArrowArray *values, stoa_error *err);

/* --- columns that their layout reads --------------------------------------------------------- */

/* A source is copied. Its context is consumed in every case. */

/*
 * Make a column of elements. The calls above set its type.
 *
 * @param element  consumed in every case
 */
stoa_status stoa_column_of_elements(const char *name, stoa_element *element, uint64_t n_rows,
                                    const stoa_column_source *source, stoa_column **column,
                                    stoa_error *err);
/*
 * Make a column whose source delivers Arrow arrays.
 *
 * @param schema  of the column, with its name; consumed in every case
 */
stoa_status stoa_column_of_source(struct ArrowSchema *schema, uint64_t n_rows,
                                  const stoa_column_source *source, stoa_column **out,
                                  stoa_error *err);
/*
 * Make a column of categories. The source reads codes of int32, in which -1 is missing.
 *
 * @param labels  of the codes, in their order; copied
 */
stoa_status stoa_column_of_codes(const char *name, const stoa_string_set *labels, bool is_ordered,
                                 uint64_t n_rows, const stoa_column_source *source,
                                 stoa_column **column, stoa_error *err);
/* Make a column whose rows are in memory. Both Arrow structs are consumed in every case. */
stoa_status stoa_column_of_array(struct ArrowSchema *schema, struct ArrowArray *array,
                                 stoa_column **column, stoa_error *err);
/*
 * Make a column that is opened when it is loaded, as those of HEP001 are. If that fails, it is a
 * damaged column from then on.
 *
 * @param opener  copied; its context is consumed in every case. It makes a column of n_rows rows
 */
stoa_status stoa_column_note_foreign(const char *name, uint64_t n_rows,
                                     const stoa_column_opener *opener, stoa_column **column,
                                     stoa_error *err);
/*
 * Make a column of a dataset that is not a HEP001 column. Its rows are the elements of a
 * one-dimensional dataset, a line of another, whole rows, or its only element. `axis` and `at` are
 * those of stoa_slab_open(). No row is missing.
 *
 * @param dataset  consumed in every case
 */
stoa_status stoa_column_of_dataset(const char *name, hid_t dataset, int axis, hsize_t at,
                                   stoa_column **column, stoa_error *err);

#endif
