/* Compound datasets as tables of their members: PyTables' and H5TB's tables, and anyone's. */
#ifndef STOA_LAYOUT_PYTABLES_ROWS_H
#define STOA_LAYOUT_PYTABLES_ROWS_H

#include "layout/layout.h"

/* Present a column as PyTables would one stored so, and whatever is in it: bit fields of one byte
 * are bools, H5T_TIME are times (PyTables notes §4). */
void stoa_pytables_present(stoa_column *column, hid_t stored);
/* Note the shape of its cells, if that has several dimensions. */
stoa_status stoa_pytables_note_shape(stoa_column *column, stoa_error *err);

/* Say how member i of rows is presented; the column is not in a table yet. */
typedef stoa_status stoa_show_member(stoa_rows *rows, unsigned i, stoa_column *column,
                                     stoa_error *err);
/* Open a compound dataset as a table of its members; `dataset` is taken over in every case. */
stoa_status stoa_pytables_open_rows(hid_t dataset, const char *path, const char *file,
                                    const char *layout, stoa_show_member *show, stoa_table **out,
                                    stoa_error *err);
/* Whether a table is such a dataset: rows can be appended to it. */
bool stoa_pytables_is_row_wise(const stoa_table *table);

extern const stoa_layout_class stoa_pytables_rows; /* any of them */

#endif
