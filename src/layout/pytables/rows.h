/* Compound datasets as tables of their members: those of PyTables and H5TB, and others. */
#ifndef STOA_LAYOUT_PYTABLES_ROWS_H
#define STOA_LAYOUT_PYTABLES_ROWS_H

#include "layout/layout.h"

/* Present a column, and its items, as PyTables would a column of that storage type: one-byte bit
 * fields are booleans, and H5T_TIME are times (PyTables notes §4). */
void stoa_pytables_present(stoa_column *column, hid_t stored);
/* Read the metadata that PyTables' users give a column, from attributes with a prefix (PyTables
 * notes §3.3): units, description, and what tells times and durations from numbers. */
stoa_status stoa_pytables_read_notes(hid_t object, const char *prefix, stoa_column *column,
                                     stoa_error *err);
/* Set the shape of the column's cells, if they are multidimensional. */
stoa_status stoa_pytables_note_shape(stoa_column *column, stoa_error *err);

/* Sets how member i of the rows is presented. The column is not in a table yet. */
typedef stoa_status stoa_member_type_setter(stoa_rows *rows, unsigned i, stoa_column *column,
                                            stoa_error *err);
/* As PyTables' Table does. */
stoa_status stoa_pytables_present_member(stoa_rows *rows, unsigned i, stoa_column *column,
                                         stoa_error *err);
/* Open a compound dataset as a table of its members. Takes ownership of `dataset`, also on
 * failure. */
stoa_status stoa_pytables_open_rows(hid_t dataset, const char *path, const char *file,
                                    const char *layout, stoa_member_type_setter *show,
                                    stoa_table **out, stoa_error *err);
/* Whether a table is a compound dataset, so that rows can be appended to it. */
bool stoa_pytables_is_row_wise(const stoa_table *table);
/* stoa_layout.may_append: such tables get rows, others do not. */
stoa_status stoa_pytables_may_append(const stoa_table *table, stoa_error *err);

/* Open an Array, CArray, EArray or VLArray as a column, array.c. The dataset is borrowed. */
stoa_status stoa_pytables_open_array(hid_t dataset, const char *name, stoa_column **column,
                                     stoa_error *err);

extern const stoa_layout_class stoa_pytables_rows;   /* of all these layouts */
extern const stoa_layout_class stoa_pytables_arrays; /* array.c */

#endif
