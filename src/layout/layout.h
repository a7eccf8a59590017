/* What a layout of tables knows, for layout.c to ask; one file a layout. */
#ifndef STOA_LAYOUT_LAYOUT_H
#define STOA_LAYOUT_LAYOUT_H

#include <stoa/layout.h>

#include "table/foreign.h"

typedef struct stoa_layout_class {
    /* Whether an open object (a group or a dataset) is a table of the layout, and what ls shows of
     * it: all but its path, which is said beforehand where it is listed; where it is not, NULL,
     * nothing is measured. Opens nothing that it need not, and believes nothing. */
    stoa_status (*look)(hid_t object, H5I_type_t type, bool *is_one, stoa_object *shown,
                        stoa_error *err);
    /* Open it; `object` is taken over in every case. */
    stoa_status (*open)(hid_t object, const char *path, const char *file, stoa_table **table,
                        stoa_error *err);
    bool is_open; /* what lies in such a group is listed, too */
    /* The same, whose files may hold an array in different widths; NULL: it has one file. */
    stoa_status (*open_widened)(hid_t object, const char *path, const char *file,
                                stoa_table **table, stoa_error *err);
} stoa_layout_class;

/* The layout that an open object is a table of; *found is NULL where it is none. */
stoa_status stoa_layout_find_class(hid_t object, const stoa_layout_class **found,
                                   stoa_object *shown, stoa_error *err);
/* What PyTables keeps of its tables in groups of its own: indexes, and its log of what to undo
 * (PyTables notes §2). */
bool stoa_layout_is_hidden(const char *path);
/* Present a column as PyTables would one stored so, and whatever is in it: bit fields of one byte
 * are bools, H5T_TIME are times (PyTables notes §4). */
void stoa_layout_present(stoa_column *column, hid_t stored);
/* Note the shape of its cells, if that has several dimensions. */
stoa_status stoa_layout_note_shape(stoa_column *column, stoa_error *err);

/* Numbers, or arrays of them, as truth values: all but 0 are true. Takes `numbers` over in every
 * case. */
stoa_status stoa_layout_show_truth(stoa_column *numbers, stoa_column **column, stoa_error *err);

/* Say how member i of rows is presented; the column is not in a table yet. */
typedef stoa_status stoa_show_member(stoa_rows *rows, unsigned i, stoa_column *column,
                                     stoa_error *err);
/* Open a compound dataset as a table of its members; `dataset` is taken over in every case. */
stoa_status stoa_layout_open_rows(hid_t dataset, const char *path, const char *file,
                                  const char *layout, stoa_show_member *show, stoa_table **out,
                                  stoa_error *err);

extern const stoa_layout_class stoa_layout_rows; /* PyTables, H5TB and other row-wise tables */
extern const stoa_layout_class stoa_layout_pandas_table;
extern const stoa_layout_class stoa_layout_pandas_fixed;
extern const stoa_layout_class stoa_layout_anndata;
extern const stoa_layout_class stoa_layout_anndata_old; /* of before 0.7 */
extern const stoa_layout_class stoa_layout_pytables_array;
extern const stoa_layout_class stoa_layout_lh5;
extern const stoa_layout_class stoa_layout_arkouda;
extern const stoa_layout_class stoa_layout_arkouda_root; /* its arrays as one table */

#endif
