/* Nodes of pandas' fixed format, for those who read a frame of them; see fixed.c. */
#ifndef STOA_LAYOUT_PANDAS_FIXED_READ_H
#define STOA_LAYOUT_PANDAS_FIXED_READ_H

#include "layout/pandas/frame.h"

/*
 * One line of a node as a column.
 *
 * @param kind_attribute  "kind" of labels, "value_type" of values
 * @param axis, at        as stoa_column_of_dataset() takes them
 * @param[out] column     the caller's; NULL on failure
 */
stoa_status stoa_pandas_open_line(hid_t group, const char *node, const char *kind_attribute,
                                  int axis, hsize_t at, const char *name, stoa_column **column,
                                  stoa_error *err);

/* The frequency that a node of times, durations or periods has; false: none, or none that is known.
 */
bool stoa_pandas_freq_at(hid_t group, const char *node, stoa_pandas_freq *freq,
                         bool *is_of_periods);

/* What an object is called by its attribute "name": a text, a pickle or a number; `otherwise` where
 * it is called nothing. */
stoa_status stoa_pandas_read_name(hid_t object, const char *otherwise,
                                  stoa_pandas_label_text *label, stoa_error *err);
/* The same of a node of the frame. */
stoa_status stoa_pandas_name_of(hid_t group, const char *node, const char *otherwise,
                                stoa_pandas_label_text *label, stoa_error *err);

/* All labels of a node; *out is the caller's after a failure, too. */
stoa_status stoa_pandas_read_labels(hid_t group, const char *node, stoa_pandas_label_text **out,
                                    size_t *n, stoa_error *err);
/* All values of a column, as labels. */
stoa_status stoa_pandas_labels_of(stoa_column *column, stoa_pandas_label_text **out, size_t *n,
                                  stoa_error *err);
/* The same of an axis, whose labels are of one level or of several (fixed_axis.c). */
stoa_status stoa_pandas_read_axis(hid_t group, const char *axis, stoa_pandas_label_text **out,
                                  size_t *n, stoa_error *err);
/* How many levels it has: 0, it is no MultiIndex. */
stoa_status stoa_pandas_axis_levels(hid_t group, const char *axis, uint64_t *n_levels,
                                    stoa_error *err);
/* A count that an attribute "<what><suffix>" of the group says, within reason. */
stoa_status stoa_pandas_read_count(hid_t group, const char *what, const char *suffix, uint64_t *n,
                                   stoa_error *err);
/* The columns that label the rows (fixed_rows.c). */
stoa_status stoa_pandas_add_row_labels(hid_t group, const char *axis, stoa_table *table,
                                       stoa_pandas_notes *notes, stoa_error *err);
/* Whether a column is as long as the frame. */
stoa_status stoa_pandas_check_rows(const stoa_table *table, const stoa_column *column,
                                   stoa_error *err);
void stoa_pandas_free_labels(stoa_pandas_label_text *labels, size_t n);

#endif
