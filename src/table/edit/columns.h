/*
 * The frame of every edit of a table's columns (HEP001 §11.5, §12).
 *
 *     stoa_column_edit edit = STOA_COLUMN_EDIT_INIT;
 *
 *     STOA_TRY(stoa_column_edit_begin(table, &edit, err));
 *     ... make unlinked datasets; nothing has changed yet ...
 *     ... change links and references, edit.order and edit.labels ...
 *     STOA_TRY(stoa_column_edit_reopen(&edit, err));
 *     STOA_TRY(stoa_column_edit_mend(&edit, "column", options, err));
 *
 *     done:
 *         return stoa_column_edit_end(&edit, status, err);
 *
 * Rules:
 * 1. No dataset of the table is written to. A new dataset takes over its link.
 * 2. Until stoa_column_edit_end() succeeds, table->columns are the old columns, and they are
 *    intact.
 * 3. Before a new dataset takes over a link, GENERATION is raised. At the end, the indexes get
 * their tokens (table/write/tokens.h).
 * 4. The new table is opened before the old one is released. Whatever fails, fails while it can
 *    still be undone.
 */
#ifndef STOA_TABLE_COLUMNS_H
#define STOA_TABLE_COLUMNS_H

#include <stoa/edit.h>

#include "table/edit/snapshot.h"
#include "table/open/table.h"

typedef struct stoa_column_edit {
    stoa_table *table; /* before the edit; borrowed */
    stoa_table *after; /* after the edit; NULL until reopened */
    stoa_snapshot before;
    const char **order; /* names for column-order, n_order of them; the names are borrowed */
    size_t n_order;
    const char **labels; /* names of row index columns, outermost first; the names are borrowed */
    size_t n_labels;
    bool orders;      /* column-order will be written */
    bool labels_rows; /* INDEX_COLUMNS and _index will be written */
} stoa_column_edit;

#define STOA_COLUMN_EDIT_INIT                                                                      \
    {                                                                                              \
        .before = STOA_SNAPSHOT_INIT                                                               \
    }

/* Begin an edit. `order` and `labels` start with the table's own. */
stoa_status stoa_column_edit_begin(stoa_table *table, stoa_column_edit *edit, stoa_error *err);
/* Make room for `n` more names in `order`. */
stoa_status stoa_column_edit_grow(stoa_column_edit *edit, size_t n, stoa_error *err);
/* Write the names and open the changed table as edit->after. */
stoa_status stoa_column_edit_reopen(stoa_column_edit *edit, stoa_error *err);
/* Rebuild or drop the indexes of a column of edit->after whose dataset was replaced. */
stoa_status stoa_column_edit_mend(stoa_column_edit *edit, const char *name,
                                  const stoa_edit_options *options, stoa_error *err);
/* On success, make edit->after the table, reopening it if necessary, and unlink unused categories.
 * After a failure, undo everything. Frees the edit in either case. */
stoa_status stoa_column_edit_end(stoa_column_edit *edit, stoa_status status, stoa_error *err);

/* Find a column by name; STOA_ENOTFOUND if it does not exist. */
stoa_status stoa_column_edit_find(const stoa_table *table, const char *name, stoa_column **column,
                                  stoa_error *err);
/* The same for an edit that replaces its dataset; STOA_EDATA if another column shares the
 * dataset. */
stoa_status stoa_column_edit_find_own(const stoa_table *table, const char *name,
                                      stoa_column **column, stoa_error *err);
/* Check a new column name: it must be allowed (§8.1, §13.2), and not be taken (STOA_EEXISTS). */
stoa_status stoa_column_edit_name(const stoa_table *table, const char *name, stoa_error *err);
/* Make a dataset the column of that name, in place of the present one. */
stoa_status stoa_column_edit_replace(stoa_column_edit *edit, const char *name, hid_t dataset,
                                     stoa_error *err);
/* The same for a dataset that has no link yet. */
stoa_status stoa_column_edit_publish(stoa_column_edit *edit, const char *name, hid_t dataset,
                                     stoa_error *err);
/* Whether another column is the same object. */
bool stoa_column_edit_is_shared(const stoa_table *table, const stoa_column *column);

/*
 * Write the columns of a stream as a table of their own that no link of the file leads to. Its
 * datasets can then be linked. Close `holder`, its group, after that.
 *
 * The stream must have exactly `n_rows` rows (STOA_ERANGE). The datasets get the table's extent.
 */
stoa_status stoa_columns_make(const stoa_table *table, struct ArrowArrayStream *stream,
                              const stoa_column_options *storage, const stoa_listener *listener,
                              hid_t *holder, stoa_table **made, stoa_error *err);

/* Open the table's group CATEGORIES, or create it. */
stoa_status stoa_columns_open_categories(const stoa_table *table, hid_t *group, stoa_error *err);
/* Link the categories of a new column into CATEGORIES, named after it: "c__CATEGORIES". The column
 * gets their path. */
stoa_status stoa_columns_link_categories(const stoa_table *table, const stoa_column *column,
                                         stoa_error *err);

#endif
