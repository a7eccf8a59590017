/*
 * Edits of a table: its rows, its columns, its place (HEP001 §11.3 to §11.5).
 *
 * What holds for every call: the table stays conformant (§12), references follow datasets that are
 * replaced, valid_min and valid_max stay true, and an index is brought up to date or deleted,
 * reference and all. A call that fails leaves the table as it was. In a file opened through
 * stoa_file_open() nothing of an edit is seen before stoa_file_commit(); a program that edits
 * through an hid_t of its own has §11's order alone (docs/crash-safety.md). An edit reopens what it
 * changes: columns borrowed from the table before it are void, and no query may be open.
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
 * Keep the first `n_rows` rows (§11.4). The others' storage stays reserved; see
 * stoa_table_repack().
 *
 * @return STOA_ERANGE if the table has fewer
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_table_truncate(stoa_table *table, uint64_t n_rows,
                                                         const stoa_edit_options *options,
                                                         stoa_error *err);

/** Reserve storage: bring every column to one extent of at least `extent` rows (§11.3). */
STOA_MUST_CHECK STOA_API stoa_status stoa_table_preallocate(stoa_table *table, uint64_t extent,
                                                            const stoa_edit_options *options,
                                                            stoa_error *err);

/** One assignment of an update: an expression in the columns as they were (docs/query.md). */
typedef struct stoa_assignment {
    const char *column;
    const char *value; /**< "energy * 1.02", "'unknown'", "null" */
} stoa_assignment;

/**
 * Change cells in place (§11.5): in every row for which `where` is true.
 *
 * Values that do not fit a column's type, or equal its fill, make the column be rewritten, as an
 * append does. Labels that a code book lacks are added to it.
 *
 * @param where  NULL: every row
 * @param[out] n_changed  rows; may be NULL
 * @return STOA_ETYPE if a value is of another kind than its column
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_table_update(stoa_table *table, const char *where,
                                                       const stoa_assignment *assignments,
                                                       size_t n_assignments,
                                                       const stoa_edit_options *options,
                                                       uint64_t *n_changed, stoa_error *err);

/**
 * Delete every row for which `where` is true; the rows behind move up, so that every column is
 * rewritten from the first deleted row on.
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_table_delete(stoa_table *table, const char *where,
                                                       const stoa_edit_options *options,
                                                       uint64_t *n_deleted, stoa_error *err);

/* Columns ---------------------------------------------------------------------------------------
 */

/**
 * Add columns: every field of the stream's struct, which holds NROWS rows, behind the last one.
 *
 * @param storage  codec and chunk length of all of them; NULL: as stoa_table_write() chooses
 * @return STOA_EEXISTS if a name is taken, STOA_ERANGE if the stream has fewer or more rows
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_column_add(stoa_table *table,
                                                     struct ArrowArrayStream *stream,
                                                     const stoa_column_options *storage,
                                                     const stoa_edit_options *options,
                                                     stoa_error *err);

/** Drop a column, with its indexes and, if no other column uses them, its categories. A row index
 * column leaves INDEX_COLUMNS. */
STOA_MUST_CHECK STOA_API stoa_status stoa_column_drop(stoa_table *table, const char *column,
                                                      stoa_error *err);

/** Rename a column wherever its name stands: link, column-order, _index. */
STOA_MUST_CHECK STOA_API stoa_status stoa_column_rename(stoa_table *table, const char *column,
                                                        const char *name, stoa_error *err);

/** Put columns into an order: those named first, in this order; the others behind, as they were. */
STOA_MUST_CHECK STOA_API stoa_status stoa_column_reorder(stoa_table *table,
                                                         const char *const *columns, size_t n,
                                                         stoa_error *err);

/** Rewrite one column with another codec or chunk length; the old one goes when the new one is
 * whole. */
STOA_MUST_CHECK STOA_API stoa_status stoa_column_restore(stoa_table *table,
                                                         const stoa_column_options *storage,
                                                         const stoa_edit_options *options,
                                                         stoa_error *err);

/** Make a column of strings categorical, or a categorical one of strings plain (§8.7). */
STOA_MUST_CHECK STOA_API stoa_status stoa_column_categorize(stoa_table *table, const char *column,
                                                            bool categorical,
                                                            const stoa_edit_options *options,
                                                            stoa_error *err);

/**
 * Say which labels a categorical column has, and in which order (§8.7).
 *
 * The column, and every other one that shares its code book, is recoded where codes change. Labels
 * may be new; one that a row uses cannot be left out (STOA_ELOSS).
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_column_relabel(stoa_table *table, const char *column,
                                                         const char *const *labels, size_t n,
                                                         bool ordered,
                                                         const stoa_edit_options *options,
                                                         stoa_error *err);

/** Let a column use the code book of another one, so that they share it. */
STOA_MUST_CHECK STOA_API stoa_status stoa_column_share(stoa_table *table, const char *column,
                                                       const char *with,
                                                       const stoa_edit_options *options,
                                                       stoa_error *err);

/**
 * Set or (value NULL) remove a descriptive attribute: of a column "units", "units_vocabulary",
 * "description", "valid_min", "valid_max" (§8.5, §8.6); of the table (column NULL) "TITLE",
 * "description", "units_vocabulary" (§7.4); or a user's own, which is stored as UTF-8.
 *
 * Bounds are given as the column's values are written in a query; one that excludes a value of the
 * column, or includes its fill, is refused (STOA_ERANGE).
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_table_annotate(stoa_table *table, const char *column,
                                                         const char *attribute, const char *value,
                                                         stoa_error *err);

/** Say which columns label the rows, outermost first (§9); n == 0: none. */
STOA_MUST_CHECK STOA_API stoa_status stoa_table_label_rows(stoa_table *table,
                                                           const char *const *columns, size_t n,
                                                           stoa_error *err);

/* Places ----------------------------------------------------------------------------------------
 */

/**
 * Copy a table to `path` below `loc`, in its own file or another, with its categories, indexes and
 * references intact; objects outside the table are not copied.
 *
 * @return STOA_EEXISTS if `path` is taken
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_table_copy(const stoa_table *table, hid_t loc,
                                                     const char *path,
                                                     const stoa_edit_options *options,
                                                     stoa_error *err);

/** Give the table another place in its file. The handle follows. */
STOA_MUST_CHECK STOA_API stoa_status stoa_table_move(stoa_table *table, const char *path,
                                                     stoa_error *err);

/** Delete the table at `path`: everything in it, and its link. Storage is reclaimed by
 * stoa_file_repack(). */
STOA_MUST_CHECK STOA_API stoa_status stoa_table_remove(hid_t loc, const char *path,
                                                       stoa_error *err);

/** Give back what truncation, preallocation and rewriting have left in the table: every column to
 * an extent of NROWS. The file shrinks by stoa_file_repack(). */
STOA_MUST_CHECK STOA_API stoa_status stoa_table_repack(stoa_table *table,
                                                       const stoa_edit_options *options,
                                                       stoa_error *err);

/** Write a file anew, without the space that nothing uses: all objects, whether Stoa knows them or
 * not; sparse arrays with what is defined. `to` may be `from`, which is then replaced when the new
 * one is whole. */
STOA_MUST_CHECK STOA_API stoa_status stoa_file_repack(const char *from, const char *to,
                                                      const stoa_edit_options *options,
                                                      stoa_error *err);

STOA_END_DECLS

#endif
