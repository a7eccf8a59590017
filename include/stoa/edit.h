/*
 * Edits of a table: its rows, its columns, its place (HEP001 §11.3 to §11.5).
 *
 * These rules hold for every call:
 *
 * - The table stays conformant (§12), and valid_min and valid_max stay true.
 * - References are updated when a dataset is replaced. An index is updated, or deleted together
 *   with its reference.
 * - A call that fails leaves the table unchanged.
 * - In a file opened by stoa_file_open(), an edit is invisible before stoa_file_commit(). With an
 *   hid_t of your own, you get only the write order of §11 (docs/crash-safety.md).
 * - An edit reopens the objects that it changes. Columns that you borrowed from the table before
 *   become invalid, and no query may be open.
 */
#ifndef STOA_EDIT_H
#define STOA_EDIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stoa/arrow.h>
#include <stoa/error.h>
#include <stoa/file.h>
#include <stoa/table.h>

STOA_BEGIN_DECLS

/* Rows ------------------------------------------------------------------------------------------
 */

/**
 * Keep the first `n_rows` rows (§11.4). The storage of the others remains reserved; see
 * stoa_table_repack().
 *
 * @return STOA_ERANGE if the table has fewer rows
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_table_truncate(stoa_table *table, uint64_t n_rows,
                                                         const stoa_edit_options *options,
                                                         stoa_error *err);

/** Reserve storage: set one extent of at least `extent` rows for every column (§11.3). */
STOA_MUST_CHECK STOA_API stoa_status stoa_table_preallocate(stoa_table *table, uint64_t extent,
                                                            const stoa_edit_options *options,
                                                            stoa_error *err);

/** One assignment of an update: an expression of the old values (docs/query.md). */
typedef struct stoa_assignment {
    const char *column;
    const char *value; /**< "energy * 1.02", "'unknown'", "null" */
} stoa_assignment;

/**
 * Change cells in place (§11.5), in every row for which `where` is true.
 *
 * If a value does not fit the column's type, or equals its fill value, the column is rewritten, as
 * in an append. New labels are added to the categories.
 *
 * @param where  NULL: every row
 * @param[out] n_changed  rows; may be NULL
 * @return STOA_ETYPE if a value is of another kind than its column; for parameters, the errors of
 *         stoa_query_open()
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_table_update(stoa_table *table, const char *where,
                                                       const stoa_assignment *assignments,
                                                       size_t n_assignments,
                                                       const stoa_edit_options *options,
                                                       uint64_t *n_changed, stoa_error *err);

/** Delete every row for which `where` is true. Later rows move up, so every column is rewritten
 * from the first deleted row on. */
STOA_MUST_CHECK STOA_API stoa_status stoa_table_delete(stoa_table *table, const char *where,
                                                       const stoa_edit_options *options,
                                                       uint64_t *n_deleted, stoa_error *err);

/* Columns ---------------------------------------------------------------------------------------
 */

/**
 * Add every field of the stream's struct as a column, after the last one. The stream must have
 * NROWS rows.
 *
 * @param storage  codec and chunk length of all of them; NULL: as stoa_table_write() chooses
 * @return STOA_EEXISTS if a name exists, STOA_ERANGE if the stream has fewer or more rows
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_column_add(stoa_table *table,
                                                     struct ArrowArrayStream *stream,
                                                     const stoa_column_options *storage,
                                                     const stoa_edit_options *options,
                                                     stoa_error *err);

/** Drop a column, with its indexes and, if no other column uses them, its categories. A row index
 * column is removed from INDEX_COLUMNS. */
STOA_MUST_CHECK STOA_API stoa_status stoa_column_drop(stoa_table *table, const char *column,
                                                      stoa_error *err);

/** Rename a column everywhere: link, column-order, _index. */
STOA_MUST_CHECK STOA_API stoa_status stoa_column_rename(stoa_table *table, const char *column,
                                                        const char *name, stoa_error *err);

/** Reorder columns: the named ones come first, in this order; the others follow in their old order.
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_column_reorder(stoa_table *table,
                                                         const char *const *columns, size_t n,
                                                         stoa_error *err);

/** Rewrite one column with another codec or chunk length. The old dataset is deleted when the new
 * one is complete. */
STOA_MUST_CHECK STOA_API stoa_status stoa_column_set_storage(stoa_table *table,
                                                             const stoa_column_options *storage,
                                                             const stoa_edit_options *options,
                                                             stoa_error *err);

/** Make a string column categorical, or a categorical column of strings plain (§8.7). */
STOA_MUST_CHECK STOA_API stoa_status stoa_column_categorize(stoa_table *table, const char *column,
                                                            bool categorical,
                                                            const stoa_edit_options *options,
                                                            stoa_error *err);

/**
 * Set the labels of a categorical column, and their order (§8.7).
 *
 * If codes change, the column is recoded, and so is every other column that shares its categories.
 * You may add new labels. You cannot omit a label that a row uses (STOA_ELOSS).
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_column_relabel(stoa_table *table, const char *column,
                                                         const char *const *labels, size_t n,
                                                         bool ordered,
                                                         const stoa_edit_options *options,
                                                         stoa_error *err);

/** Let a column share the categories of another one. */
STOA_MUST_CHECK STOA_API stoa_status stoa_column_share(stoa_table *table, const char *column,
                                                       const char *with,
                                                       const stoa_edit_options *options,
                                                       stoa_error *err);

/**
 * Set or (value NULL) remove a descriptive attribute:
 *
 * - of a column "units", "units_vocabulary", "description", "valid_min", "valid_max" (§8.5, §8.6),
 * - of the table (column NULL) "TITLE", "description", "units_vocabulary" (§7.4),
 * - of both, any attribute of your own, which is stored as UTF-8.
 *
 * Write bounds like the column's values in a query. A bound is refused (STOA_ERANGE) if it excludes
 * a value of the column, or includes its fill value.
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_table_annotate(stoa_table *table, const char *column,
                                                         const char *attribute, const char *value,
                                                         stoa_error *err);

/** An attribute as stoa_attribute_visit() finds it. Strings are borrowed for the call. */
typedef struct stoa_attribute {
    const char *name;
    const char *value; /**< the text; a number or a bound, written like a value of the column; else
                            the type, as "(3 of float64)" */
    bool is_text;      /**< the attribute is a text */
} stoa_attribute;

/** Return false to stop. */
typedef bool (*stoa_attribute_visitor)(void *context, const stoa_attribute *attribute);

/**
 * Visit the descriptive attributes of a column, or (column NULL) of the table, by name: those that
 * stoa_table_annotate() sets. Columns that are not objects of their own, as in tables of PyTables,
 * have none. A table of pandas has `stoa_pandas_frame` first, which it would have in HEP001
 * (docs/layouts/pandas.md).
 *
 * @return STOA_ENOTFOUND if there is no such column
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_attribute_visit(const stoa_table *table,
                                                          const char *column,
                                                          stoa_attribute_visitor visitor,
                                                          void *context, stoa_error *err);

/** Set the columns that label the rows, outermost first (§9); n == 0: no columns. */
STOA_MUST_CHECK STOA_API stoa_status stoa_table_label_rows(stoa_table *table,
                                                           const char *const *columns, size_t n,
                                                           stoa_error *err);

/* Places ----------------------------------------------------------------------------------------
 */

/**
 * Copy a table to `path` below `loc`, in its own file or another. Categories, indexes and
 * references stay intact. Objects outside the table are not copied.
 *
 * @return STOA_EEXISTS if `path` exists
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_table_copy(const stoa_table *table, hid_t loc,
                                                     const char *path,
                                                     const stoa_edit_options *options,
                                                     stoa_error *err);

/** Move the table to another path in its file. The handle stays valid. */
STOA_MUST_CHECK STOA_API stoa_status stoa_table_move(stoa_table *table, const char *path,
                                                     stoa_error *err);

/** Delete the table at `path`, with everything in it and its link. stoa_file_repack() reclaims the
 * storage. */
STOA_MUST_CHECK STOA_API stoa_status stoa_table_remove(hid_t loc, const char *path,
                                                       stoa_error *err);

/** Release the rows that truncation, preallocation and rewriting reserved in the table: every
 * column gets an extent of NROWS. stoa_file_repack() then shrinks the file. */
STOA_MUST_CHECK STOA_API stoa_status stoa_table_repack(stoa_table *table,
                                                       const stoa_edit_options *options,
                                                       stoa_error *err);

/** Rewrite a file without unused space. All objects are kept, including unknown ones, and so are
 * the defined elements of sparse arrays. `to` may be `from`, which is then replaced when the new
 * file is complete. */
STOA_MUST_CHECK STOA_API stoa_status stoa_file_repack(const char *from, const char *to,
                                                      const stoa_edit_options *options,
                                                      stoa_error *err);

STOA_END_DECLS

#endif
