/* Reading of the nodes of a frame in pandas' fixed format (fixed.c). */
#ifndef STOA_LAYOUT_PANDAS_FIXED_READ_H
#define STOA_LAYOUT_PANDAS_FIXED_READ_H

#include "layout/pandas/frame.h"

/*
 * Open one line of a node as a column.
 *
 * @param kind_attribute  "kind" for labels, "value_type" for values
 * @param axis, at        see stoa_column_of_dataset()
 * @param[out] column     the caller closes it; NULL on failure
 */
stoa_status stoa_pandas_open_line(hid_t group, const char *node, const char *kind_attribute,
                                  int axis, hsize_t at, const char *name, stoa_column **column,
                                  stoa_error *err);

/* Read the frequency of a node of times, durations or periods. False if there is none, or an
 * unknown one. */
bool stoa_pandas_freq_at(hid_t group, const char *node, stoa_pandas_freq *freq,
                         bool *is_of_periods);

/* Read the attribute "name" of an object: a text, a pickle or a number. `otherwise` if it has no
 * name. */
stoa_status stoa_pandas_read_name(hid_t object, const char *otherwise,
                                  stoa_pandas_label_text *label, stoa_error *err);
/* The same for a node of the frame. */
stoa_status stoa_pandas_name_of(hid_t group, const char *node, const char *otherwise,
                                stoa_pandas_label_text *label, stoa_error *err);

/* Read all labels of a node. The caller frees *out, also on failure. */
stoa_status stoa_pandas_read_labels(hid_t group, const char *node, stoa_pandas_label_text **out,
                                    size_t *n, stoa_error *err);
/* Read all values of a column as labels. */
stoa_status stoa_pandas_labels_of(stoa_column *column, stoa_pandas_label_text **out, size_t *n,
                                  stoa_error *err);
/* Read all labels of an axis with one level or several (fixed_axis.c). */
stoa_status stoa_pandas_read_axis(hid_t group, const char *axis, stoa_pandas_label_text **out,
                                  size_t *n, stoa_error *err);
/* The number of levels of an axis; 0 if it is no MultiIndex. */
stoa_status stoa_pandas_axis_levels(hid_t group, const char *axis, uint64_t *n_levels,
                                    stoa_error *err);
/* Read a count from the attribute "<what><suffix>" of the group. STOA_EDATA if it is missing or too
 * large. */
stoa_status stoa_pandas_read_count(hid_t group, const char *what, const char *suffix, uint64_t *n,
                                   stoa_error *err);
/* Add the columns of row labels (fixed_rows.c). */
stoa_status stoa_pandas_add_row_labels(hid_t group, const char *axis, stoa_table *table,
                                       stoa_pandas_metadata *notes, stoa_error *err);
/* Check that a column has as many rows as the frame. */
stoa_status stoa_pandas_check_rows(const stoa_table *table, const stoa_column *column,
                                   stoa_error *err);
void stoa_pandas_free_labels(stoa_pandas_label_text *labels, size_t n);

#endif
