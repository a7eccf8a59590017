/*
 * How every edit of a table's columns is made (HEP001 §11.5, §12), for the files of this room.
 *
 *     stoa_column_edit edit = STOA_COLUMN_EDIT_INIT;
 *
 *     STOA_TRY(stoa_column_edit_begin(table, &edit, err));
 *     ... make datasets without a name; nothing is changed yet ...
 *     ... change links and references, edit.order and edit.labels ...
 *     STOA_TRY(stoa_column_edit_reopen(&edit, err));
 *     STOA_TRY(stoa_column_edit_mend(&edit, "column", options, err));
 *
 *     done:
 *         return stoa_column_edit_end(&edit, status, err);
 *
 * What must be true:
 * 1. No dataset that the table has is written to. Another one takes its link.
 * 2. Until stoa_column_edit_end() succeeds, table->columns are the old ones, and are whole.
 * 3. The table as it will be is opened again before the old one is let go: what fails, fails
 *    while it can be undone.
 */
#ifndef STOA_TABLE_COLUMNS_H
#define STOA_TABLE_COLUMNS_H

#include <stoa/edit.h>

#include "table/snapshot.h"
#include "table/table.h"

typedef struct stoa_column_edit {
    stoa_table *table; /* as it was; borrowed */
    stoa_table *after; /* as it will be, once reopened */
    stoa_snapshot before;
    const char **order; /* names for column-order, n_order of them; borrowed names */
    size_t n_order;
    const char **labels; /* names of the row index columns, outermost first; borrowed names */
    size_t n_labels;
    bool orders;      /* column-order is to be written */
    bool labels_rows; /* INDEX_COLUMNS and _index are */
} stoa_column_edit;

#define STOA_COLUMN_EDIT_INIT                                                                      \
    {                                                                                              \
        .before = STOA_SNAPSHOT_INIT                                                               \
    }

/* Begin: `order` and `labels` are the table's own. */
stoa_status stoa_column_edit_begin(stoa_table *table, stoa_column_edit *edit, stoa_error *err);
/* Room for `n` more names in `order`. */
stoa_status stoa_column_edit_grow(stoa_column_edit *edit, size_t n, stoa_error *err);
/* Write the names, and open the table as it is now: edit->after. */
stoa_status stoa_column_edit_reopen(stoa_column_edit *edit, stoa_error *err);
/* A column of edit->after whose dataset is another now: its indexes are built again, or dropped. */
stoa_status stoa_column_edit_mend(stoa_column_edit *edit, const char *name,
                                  const stoa_edit_options *options, stoa_error *err);
/* Let the table be edit->after (reopening if that has not been done), without the code books that
 * it has lost, in the file; or, after a failure, undo everything. Frees the edit in every case. */
stoa_status stoa_column_edit_end(stoa_column_edit *edit, stoa_status status, stoa_error *err);

/* The column of that name: STOA_ENOTFOUND. */
stoa_status stoa_column_edit_find(const stoa_table *table, const char *name, stoa_column **column,
                                  stoa_error *err);
/* The same for an edit that replaces its dataset: STOA_EDATA if another column is that dataset. */
stoa_status stoa_column_edit_find_own(const stoa_table *table, const char *name,
                                      stoa_column **column, stoa_error *err);
/* A name that a column could take: allowed (§8.1, §13.2), and free: STOA_EEXISTS. */
stoa_status stoa_column_edit_name(const stoa_table *table, const char *name, stoa_error *err);
/* Let the dataset be the column of that name, in place of the one that is. */
stoa_status stoa_column_edit_replace(stoa_column_edit *edit, const char *name, hid_t dataset,
                                     stoa_error *err);
/* The same for a dataset that was made without a name. */
stoa_status stoa_column_edit_publish(stoa_column_edit *edit, const char *name, hid_t dataset,
                                     stoa_error *err);
/* Whether another column than the named one is of the same object. */
bool stoa_column_edit_is_shared(const stoa_table *table, const stoa_column *column);

/*
 * Columns of a stream's fields as a table of their own, which no link of the file leads to: its
 * datasets are there to be given names. `holder` is a group to close when that is done.
 *
 * The stream must hold exactly `n_rows` rows: STOA_ERANGE. The datasets have the table's extent.
 */
stoa_status stoa_columns_make(const stoa_table *table, struct ArrowArrayStream *stream,
                              const stoa_column_options *storage, const stoa_listener *listener,
                              hid_t *holder, stoa_table **made, stoa_error *err);

/* The group CATEGORIES of the table, made if there is none. */
stoa_status stoa_columns_open_categories(const stoa_table *table, hid_t *group, stoa_error *err);
/* Give a categories dataset a name in CATEGORIES, after the column: "c__CATEGORIES". */
stoa_status stoa_columns_link_categories(const stoa_table *table, hid_t dataset, const char *column,
                                         stoa_error *err);

#endif
