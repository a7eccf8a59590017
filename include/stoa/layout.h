/* Tables of any layout: find, open, query and write them. */
#ifndef STOA_LAYOUT_H
#define STOA_LAYOUT_H

#include <stoa/file.h>
#include <stoa/place.h>
#include <stoa/table.h>

STOA_BEGIN_DECLS

/**
 * stoa_table_open() of a file that the call opens for reading. The file is closed with the table,
 * and locked only while you use the table. So a program that keeps tables open blocks no writer,
 * and each query sees the current content. See stoa_table_use().
 *
 * @param options  of the file; may be NULL
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_table_open_file(const char *file, const char *path,
                                                          const stoa_file_options *options,
                                                          stoa_table **table, stoa_error *err);

/**
 * stoa_table_open() for files of a set that hold an array in different widths, as Arkouda reads
 * them without strict_types. Integers are read as int64, or as uint64 if one of them is uint64 and
 * all are unsigned. Floats are read as float64.
 *
 * @return STOA_EDATA if there is no such type; else as stoa_table_open()
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_table_open_widened(hid_t loc, const char *path,
                                                             stoa_table **table, stoa_error *err);

/**
 * The file to open if no file has that name. Arkouda writes one file for each of its locales,
 * run_LOCALE0000.h5, run_LOCALE0001.h5 ...; the first stands for all of them.
 *
 * @param name        "run", "run.h5", or a shell pattern, "run_LOCALE*"
 * @param[out] found  yours, released by stoa_free(); NULL if a file has that name, or there is no
 * set
 * @return STOA_EINVAL if it matches files of several sets
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_layout_find_file(const char *name, char **found,
                                                           stoa_error *err);

/**
 * Tables of several files, all at one path, as one table. Columns are matched by name, and rows
 * follow each other in the order of the files. Files are opened as their rows are read, a few at a
 * time. Categories and enumerations are shown as strings, because each file has its own. The layout
 * is called "files", and search indexes are not used.
 *
 * @param first       the first of the files, open; you keep it, and keep it open until the table is
 *                    closed
 * @param files       names of all n files, including the first
 * @param[out] table  yours, released by stoa_table_close(); NULL on failure
 * @return STOA_EDATA, naming the file, if its columns or their types differ from the first one's;
 *         else as stoa_table_open()
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_table_open_files(hid_t first, const char *const *files,
                                                           size_t n, const char *path,
                                                           stoa_table **table, stoa_error *err);

/**
 * A table of the rows of another table whose numbers, from 0, a column lists. They come in the
 * order of the list, as often as they occur in it. Categories and enumerations are shown as
 * strings, and search indexes are not used.
 *
 * @param from        borrowed; must stay open until the table is closed
 * @param list        of integers; borrowed for the call
 * @param n_list      its rows
 * @param[out] table  yours, released by stoa_table_close(); NULL on failure
 * @return STOA_ETYPE if the list is not of integers; STOA_EDATA if a number is missing;
 *         STOA_ERANGE, naming the number, if there is no such row
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_layout_pick_rows(stoa_table *from, stoa_column *list,
                                                           uint64_t n_list, stoa_table **table,
                                                           stoa_error *err);

/** Visit every table below `loc`, of any layout, as stoa_place_visit() visits HEP001's. Objects
 * that only soft and external links reach are visited, too, by the link's path: each object once.
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_layout_visit(hid_t loc, stoa_object_visitor visitor,
                                                       void *context, stoa_error *err);

/** A soft, external or user-defined link (which is not followed). Strings are borrowed for the
 * call. */
typedef struct stoa_link {
    const char *path;
    const char *file;   /**< target of an external link; NULL for a soft link */
    const char *target; /**< path of the target */
    bool is_dangling;   /**< the target does not exist or cannot be opened */
} stoa_link;

/** An array beside the tables: a sparse array, or a matrix of AnnData. Strings are borrowed for the
 *  call. */
typedef struct stoa_array_object {
    const char *path;
    const char *layout;           /**< "sparse", "anndata" */
    const char *kind;             /**< "array"; for groups of AnnData "csr", "csc" */
    unsigned rank;                /**< 0: a scalar, or it is damaged */
    hsize_t extent[H5S_MAX_RANK]; /**< in each dimension */
    uint64_t n_bytes;             /**< in the file */
} stoa_array_object;

/** For each kind of object one to visit it; NULL: none does. Return false to stop. Start from
 *  STOA_LAYOUT_VISITORS_INIT. */
typedef struct stoa_layout_visitors {
    size_t size; /**< of this struct, as the caller's compiler knows it */
    stoa_object_visitor table;
    bool (*array)(void *context, const stoa_array_object *array);
    bool (*link)(void *context, const stoa_link *link);
    /** An object that cannot be opened, and why: told at once, while others are looked for. */
    void (*unopened)(void *context, const char *path, const char *why);
} stoa_layout_visitors;

#define STOA_LAYOUT_VISITORS_INIT                                                                  \
    {                                                                                              \
        sizeof(stoa_layout_visitors), 0, 0, 0, 0                                                   \
    }

/** Visit all objects of stoa_layout_visit(), then the arrays, then every soft, external and
 *  user-defined link that is no part of a table. Each group comes in the order of paths, including
 *  objects behind links. No object is visited twice. */
STOA_MUST_CHECK STOA_API stoa_status stoa_layout_visit_all(hid_t loc,
                                                           const stoa_layout_visitors *visitors,
                                                           void *context, stoa_error *err);

/** The path of the only table below `loc`, of any layout: see stoa_place_only_table(). */
STOA_MUST_CHECK STOA_API stoa_status stoa_layout_only_table(hid_t loc, char **path,
                                                            stoa_error *err);

/** The replacement of missing values in a layout that cannot hold them. */
typedef struct stoa_missing_value {
    const char *column; /**< NULL: every column that has no entry of its own */
    const char *value;  /**< a value of the column's type as text; "nan": NaN, which makes numbers
                             and bools float64. arkouda, lh5: "drop" leaves their rows out;
                             arkouda: "mask" writes a column of bools beside */
} stoa_missing_value;

/** A setting that only one layout has: arkouda's "as" is "dataframe"; "no-flatten" has tables in
 * tables of LH5 become tables of their own. `stoa convert --help` lists them all. */
typedef struct stoa_layout_setting {
    const char *key;
    const char *value; /**< "" or NULL of a flag, which is set by being there */
} stoa_layout_setting;

/** How a table of another layout is written. Start from STOA_LAYOUT_OPTIONS_INIT. */
typedef struct stoa_layout_options {
    size_t size;         /**< of this struct, as the caller's compiler knows it */
    const char *layout;  /**< "hep001", "pytables", ...: see stoa_layout_is_written() */
    const char *title;   /**< NULL: the table's own */
    const char *codec;   /**< as docs/layouts/ says of the layout; NULL: its default */
    uint64_t chunk_rows; /**< 0: what suits the layout */
    const stoa_missing_value *missing;
    size_t n_missing;
    const char *const *index_columns; /**< that label the rows, outermost first; NULL: the table's
                                           own */
    size_t n_index_columns;
    bool replace; /**< replace a table that is there already, of whatever layout */
    stoa_listener listener;
    unsigned threads; /**< that read, while the caller waits; 0: one a processor */
    const stoa_layout_setting *settings; /**< what a layout alone can be told: docs/layouts/ says
                                              which keys it has */
    size_t n_settings;
    bool widen;    /**< what is read is opened by stoa_table_open_widened() */
    bool unlisted; /**< one of many tables: stoa_layout_list_written() follows the last */
} stoa_layout_options;

#define STOA_LAYOUT_OPTIONS_INIT                                                                   \
    {                                                                                              \
        sizeof(stoa_layout_options), 0, 0, 0, 0, 0, 0, 0, 0, 0, {0, 0}, 0, 0, 0, 0, 0              \
    }

/** Whether stoa_layout_write() knows the name; stoa_layout_name() has all of them. */
STOA_API bool stoa_layout_is_written(const char *layout);

/**
 * Write a table of any layout in the layout that the options name.
 *
 * The table is read twice, because the values of its columns decide how they are stored. `path`
 * does not exist until all rows are written. Intermediate groups are made.
 *
 * @param from         borrowed; of the same file or another
 * @param loc          file or group `path` starts from
 * @param[out] n_rows  rows written; may be NULL
 * @return STOA_EEXISTS if `path` exists and options->replace is not set; STOA_ETYPE if a column
 *         has a type that the layout cannot hold; STOA_ELOSS if the layout cannot hold its values,
 *         or its missing values, and options->missing has no replacement
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_layout_write_table(stoa_table *from, hid_t loc,
                                                             const char *path,
                                                             const stoa_layout_options *options,
                                                             uint64_t *n_rows, stoa_error *err);
/**
 * List tables that were written with options->unlisted in the groups above them, as LH5 requires.
 * One call lists all of them, because a list is read and written as a whole. Other layouts have no
 * such lists.
 *
 * @param loc      where the paths start from
 * @param paths    of n tables that were written there
 * @param options  those that they were written with
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_layout_list_written(hid_t loc, const char *const *paths,
                                                              size_t n,
                                                              const stoa_layout_options *options,
                                                              stoa_error *err);
/**
 * stoa_layout_write_table() for the rows of a stream. They are kept in a temporary file (in
 * $TMPDIR) until the stream has ended.
 *
 * @param stream  consumed; you still release it
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_layout_write(hid_t loc, const char *path,
                                                       struct ArrowArrayStream *stream,
                                                       const stoa_layout_options *options,
                                                       uint64_t *n_rows, stoa_error *err);

/* --- whole files ----------------------------------------------------------------------------- */

/** Whether a conversion of a whole file into a layout (NULL: one that takes all) takes an object
 * that stoa_layout_visit() visits: not tables made of others that are listed themselves; of LH5's
 * objects the tables, but into lh5 and arkouda all of them. */
STOA_API bool stoa_layout_takes(const char *layout, const stoa_object *object);

/** A table of a conversion. Strings are borrowed for the call. */
typedef struct stoa_layout_step {
    const char *path;
    const char *target; /**< where it goes */
    const char *outer;  /**< path of the table that its rows belong to, one by one, and that is
                             converted before; NULL if there is no such table */
    const char *inside; /**< where the outer table goes */
} stoa_layout_step;

/** Return false to stop. */
typedef bool (*stoa_layout_step_visitor)(void *context, const stoa_layout_step *step);

/**
 * Visit the steps in which a table of a file is converted: itself and, where the setting
 * "no-flatten" asks for it, the tables in it, called as it is with a dot and their name behind.
 * HEP001 tables that were made so go back into the table that they were in, in LH5.
 *
 * @param target    where it is to go; NULL: to its path, as all tables of the file go to theirs
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_layout_visit_steps(hid_t file, const char *path,
                                                             const char *target,
                                                             const stoa_layout_options *options,
                                                             stoa_layout_step_visitor visitor,
                                                             void *context, stoa_error *err);
/**
 * Convert the table of such a step, as stoa_layout_write_table() does.
 *
 * @param from, to  any objects of the two files, or of one
 * @return STOA_EDATA if a table has another number of rows than its outer table
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_layout_convert_step(hid_t from,
                                                              const stoa_layout_step *step,
                                                              hid_t to,
                                                              const stoa_layout_options *options,
                                                              uint64_t *n_rows, stoa_error *err);

/** An object in a file that no table holds. Strings are borrowed for the call. */
typedef struct stoa_rest {
    const char *path;
    const char *kind;       /**< "scalar", "array", "histogram", "dataset", "struct", "group",
                                 "soft link" ... */
    const char *datatype;   /**< as in LH5, or "float64 · 3 x 4"; the target of a link */
    const char *attributes; /**< of structs, groups and inner tables: names of their own attributes,
                                 with commas; else NULL */
    const char *why;        /**< why stoa_layout_copy_rest() leaves it out; NULL: it is copied */
} stoa_rest;

/** Return false to stop. */
typedef bool (*stoa_rest_visitor)(void *context, const stoa_rest *rest);

/**
 * Visit the objects of a file that are outside of the given tables, in the order of paths. They are
 * datasets and other objects, links, and groups that are empty or have attributes of their own.
 * Attributes of layouts, such as PyTables' CLASS, and PyTables' indexes are not reported.
 *
 * @param file    file, or an object in it
 * @param tables  paths, as in stoa_layout_visit()
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_layout_visit_rest(hid_t file, const char *const *tables,
                                                            size_t n_tables,
                                                            stoa_rest_visitor visitor,
                                                            void *context, stoa_error *err);
/**
 * Copy these objects into another file, under the same paths, with storage and attributes
 * unchanged. Also make the groups that contain the tables. Call this before you write the tables.
 *
 * @param to        an empty file; on failure its contents are incomplete
 * @param listener  may be NULL
 * @return STOA_ELOSS, naming the object, if it cannot be copied without loss
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_layout_copy_rest(hid_t from, hid_t to,
                                                           const char *const *tables,
                                                           size_t n_tables,
                                                           const stoa_listener *listener,
                                                           stoa_error *err);

/** Give the tables their other names. Call this after you wrote them to the same paths. */
STOA_MUST_CHECK STOA_API stoa_status stoa_layout_link_rest(hid_t from, hid_t to,
                                                           const char *const *tables,
                                                           size_t n_tables, stoa_error *err);

/**
 * Copy the rest of an LH5 file, as LH5: structs and other groups, links, attributes. Call this
 * after you wrote the objects of stoa_layout_visit() to the same paths. Structs list their fields
 * in order; the root lists all its members.
 *
 * @param from, to  any objects of the two files
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_lh5_copy_rest(hid_t from, hid_t to, stoa_error *err);

/** Called for an attribute of an LH5 object that refers to a path where no object is. */
typedef void (*stoa_lost_visitor)(void *context, const char *path, const char *attribute,
                                  const char *target);

/**
 * Re-resolve attribute references copied from another file, by path: those of the object at `path`,
 * and of all objects below it. Until then, and if no object has that path, a text
 * `stoa_lh5_reference.NAME` stands for the attribute. A table that you write does this itself; call
 * this after you wrote a whole file.
 *
 * @param visitor  called for unresolved references; may be NULL
 * @return STOA_OK also if there is no object at `path`: then there is nothing to do
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_lh5_point(hid_t loc, const char *path,
                                                    stoa_lost_visitor visitor, void *context,
                                                    stoa_error *err);

/**
 * Append a stream's rows to a row-wise table of PyTables or H5TB, to another compound dataset that
 * can grow, or to a table, array or vector of LH5. Columns are matched by name. Indexes that
 * PyTables made are marked, so that PyTables no longer trusts them (docs/layouts/pytables.md).
 *
 * @param table   of a file that is open for editing; it still shows the old rows, so close it
 * @param stream  consumed; you still release it
 * @return STOA_ELAYOUT for a table of another layout (HEP001's: stoa_table_append()); STOA_ETYPE if
 *         a column is missing, of another kind, or has values that its type cannot hold;
 *         STOA_ELOSS if it has missing values
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_layout_append(stoa_table *table,
                                                        struct ArrowArrayStream *stream,
                                                        const stoa_edit_options *options,
                                                        uint64_t *n_appended, stoa_error *err);

/**
 * Add every field of the stream's struct as a column to a table of LH5. The stream has as many
 * rows. Names with a dot go to the tables inside it. (For HEP001: stoa_column_add().)
 *
 * @param table   of a file that is open for editing; it still shows the old columns, so close it
 * @param stream  consumed; you still release it
 * @param codec   see docs/layouts/lh5.md; NULL: its default
 * @return STOA_ELAYOUT for a table of another layout; STOA_EEXISTS if a name exists; STOA_ERANGE if
 *         the stream has fewer or more rows; STOA_ELOSS if it has missing values. After a failure
 *         the table has its old columns
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_layout_add_columns(stoa_table *table,
                                                             struct ArrowArrayStream *stream,
                                                             const char *codec,
                                                             const stoa_edit_options *options,
                                                             size_t *n_added, stoa_error *err);

STOA_END_DECLS

#endif
