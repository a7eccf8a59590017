/* Tables of any layout: find, open, query and write them. */
#ifndef STOA_LAYOUT_H
#define STOA_LAYOUT_H

#include <stoa/file.h>
#include <stoa/place.h>
#include <stoa/table.h>

STOA_BEGIN_DECLS

/**
 * stoa_table_open() with a file that the call opens for reading. The file is closed with the table,
 * and locked only while you use the table. So a program that keeps tables open blocks no writer,
 * and each query sees the current content. See stoa_table_use().
 *
 * @param options  for opening the file; may be NULL
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_table_open_file(const char *file, const char *path,
                                                          const stoa_file_options *options,
                                                          stoa_table **table, stoa_error *err);

/**
 * stoa_table_open() for a set of files that store an array in different widths, as Arkouda reads
 * them without strict_types. Integers are read as int64. They are read as uint64 if one of them is
 * uint64 and all are unsigned. Floats are read as float64.
 *
 * @return STOA_EDATA if no such type exists; else as stoa_table_open()
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_table_open_widened(hid_t loc, const char *path,
                                                             stoa_table **table, stoa_error *err);

/**
 * Find the file to open if no file has that name. Arkouda writes one file for each of its locales,
 * run_LOCALE0000.h5, run_LOCALE0001.h5 ...; the first one represents the whole set.
 *
 * @param name        "run", "run.h5", or a shell pattern, "run_LOCALE*"
 * @param[out] found  yours, released by stoa_free(); NULL if a file has that name, or there is no
 *                    such set
 * @return STOA_EINVAL if the name matches files of several sets
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_layout_find_file(const char *name, char **found,
                                                           stoa_error *err);

/** How tables become one. Start from STOA_FILES_OPTIONS_INIT. */
typedef struct stoa_files_options {
    size_t size;  /**< of this struct, as the caller's compiler knows it */
    bool by_name; /**< a column that a table lacks is missing there; else that is an error */
    bool strict;  /**< columns have the same type in all tables; else they are widened */
} stoa_files_options;

#define STOA_FILES_OPTIONS_INIT                                                                    \
    {                                                                                              \
        sizeof(stoa_files_options), 0, 0                                                           \
    }

/**
 * Open tables of several files, or several tables of a file, as one table. Columns are matched by
 * name, and rows follow each other in the order of the files. Files are opened as their rows are
 * read, and few stay open. The layout is called "files".
 *
 * Integers and floats are widened to the narrowest type that holds the values of all tables. A
 * table that has only missing values in a column takes any type. Categories of strings have the
 * labels of all tables. Queries may name the columns `file` and `object`, which tell where a row
 * comes from, unless there are columns of these names.
 *
 * @param first       the first of the files, open; you keep it, and keep it open until the table is
 *                    closed
 * @param files       names of all n files, including the first
 * @param path        of the table in each file; or a shell pattern, "/run?/hit": all tables that it
 *                    matches, by name
 * @param options     NULL: the defaults
 * @param[out] table  yours, released by stoa_table_close(); NULL on failure
 * @return STOA_EDATA, naming the file, if its columns, their types or units differ from those of
 *         the files before; STOA_ENOTFOUND if a pattern matches no table; else as stoa_table_open()
 */
STOA_MUST_CHECK STOA_API stoa_status
stoa_table_open_files_with(hid_t first, const char *const *files, size_t n, const char *path,
                           const stoa_files_options *options, stoa_table **table, stoa_error *err);
/** The same with the default options. */
STOA_MUST_CHECK STOA_API stoa_status stoa_table_open_files(hid_t first, const char *const *files,
                                                           size_t n, const char *path,
                                                           stoa_table **table, stoa_error *err);

/**
 * Open a table of selected rows of another table. A column lists the row numbers, from 0. The rows
 * come in the order of the list, as often as they occur in it. Categories and enumerations are
 * shown as strings, and search indexes are not used.
 *
 * @param from        borrowed; must stay open until the table is closed
 * @param list        a column of integers; borrowed for the call
 * @param n_list      number of rows of the list
 * @param[out] table  yours, released by stoa_table_close(); NULL on failure
 * @return STOA_ETYPE if the list is not of integers; STOA_EDATA if a number is missing;
 *         STOA_ERANGE, naming the number, if there is no such row
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_layout_select_rows(stoa_table *from, stoa_column *list,
                                                             uint64_t n_list, stoa_table **table,
                                                             stoa_error *err);

/** Visit every table below `loc`, of any layout, as stoa_place_visit() does for HEP001. Objects
 * that only soft and external links reach are visited too, by the link's path. Each object is
 * visited once. */
STOA_MUST_CHECK STOA_API stoa_status stoa_layout_visit(hid_t loc, stoa_object_visitor visitor,
                                                       void *context, stoa_error *err);

/** A soft, external or user-defined link; user-defined links are not followed. Strings are borrowed
 * for the call. */
typedef struct stoa_link {
    const char *path;
    const char *file;   /**< target of an external link; NULL for a soft link */
    const char *target; /**< path of the target */
    bool is_dangling;   /**< the target does not exist or cannot be opened */
} stoa_link;

/** A sparse array, a matrix of AnnData, or a dataset that declares no layout. The last is opened as
 * a table. Strings are borrowed for the call. */
typedef struct stoa_array_object {
    const char *path;
    const char *layout;           /**< "sparse", "anndata", "10x", "binsparse", "plain" */
    const char *kind;             /**< "array", "scalar"; for matrix groups "csr",
                                       "csc", "coo", ... */
    unsigned rank;                /**< 0: a scalar, or a damaged array */
    hsize_t extent[H5S_MAX_RANK]; /**< in each dimension */
    uint64_t n_bytes;             /**< in the file */
} stoa_array_object;

/** One callback for each kind of object; NULL skips the kind. A callback returns false to stop.
 * Start from STOA_LAYOUT_VISITORS_INIT. */
typedef struct stoa_layout_visitors {
    size_t size; /**< of this struct, as the caller's compiler knows it */
    stoa_object_visitor table;
    bool (*array)(void *context, const stoa_array_object *array);
    bool (*link)(void *context, const stoa_link *link);
    /** Called for an object that cannot be opened, with the reason. The walk continues. */
    void (*unopened)(void *context, const char *path, const char *why);
} stoa_layout_visitors;

#define STOA_LAYOUT_VISITORS_INIT                                                                  \
    {                                                                                              \
        sizeof(stoa_layout_visitors), 0, 0, 0, 0                                                   \
    }

/** Visit all objects of stoa_layout_visit(), then the arrays, then every soft, external and
 * user-defined link that is not part of a table. Each group is sorted by path, including objects
 * behind links. No object is visited twice. */
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
                             and bools float64. arkouda, lh5: "drop" omits the rows. arkouda: "mask"
                             writes an additional column of bools */
} stoa_missing_value;

/** A setting that only some layouts have. Examples: "as" with the value "dataframe" for arkouda;
 * "no-flatten", which makes tables inside LH5 tables separate tables. `stoa convert --help` lists
 * all settings. */
typedef struct stoa_layout_setting {
    const char *key;
    const char *value; /**< "" or NULL for a flag */
} stoa_layout_setting;

/** How to write a table. Start from STOA_LAYOUT_OPTIONS_INIT. */
typedef struct stoa_layout_options {
    size_t size;         /**< of this struct, as the caller's compiler knows it */
    const char *layout;  /**< "hep001", "pytables", ...: see stoa_layout_is_written() */
    const char *title;   /**< NULL: the table's own */
    const char *codec;   /**< a codec of the layout (docs/layouts/); NULL: its default */
    uint64_t chunk_rows; /**< 0: the layout's default */
    const stoa_missing_value *missing;
    size_t n_missing;
    const char *const *index_columns; /**< columns that label the rows, outermost first; NULL: the
                                           table's own */
    size_t n_index_columns;
    bool replace; /**< replace an existing table of any layout */
    stoa_listener listener;
    unsigned threads; /**< number of reader threads, while the caller waits; 0: one per processor */
    const stoa_layout_setting *settings; /**< settings of single layouts; docs/layouts/ describes
                                              them */
    size_t n_settings;
    bool widen;    /**< open source tables with stoa_table_open_widened() */
    bool unlisted; /**< one of many tables: call stoa_layout_list_written() after the last */
    const stoa_missing_value *fills; /**< hep001: as in stoa_table_options; other layouts have no
                                          fill values to choose (STOA_EINVAL) */
    size_t n_fills;
    stoa_table *like; /**< stoa_layout_write(): a table whose title, description, vocabulary of
                           units and annotations the new table gets, and its row labels if their
                           columns are there. Borrowed; NULL: none */
    const stoa_column_index *indexes; /**< hep001: search indexes of the new table; other layouts
                                           have none (STOA_EINVAL) */
    size_t n_indexes;
    bool skip_bad; /**< all of a file: leave behind objects and columns that cannot be opened, each
                        with a remark */
} stoa_layout_options;

#define STOA_LAYOUT_OPTIONS_INIT                                                                   \
    {                                                                                              \
        sizeof(stoa_layout_options), 0, 0, 0, 0, 0, 0, 0, 0, 0, {0, 0}, 0, 0, 0, 0, 0, 0, 0, 0, 0, \
            0, 0                                                                                   \
    }

/** Whether stoa_layout_write() can write the layout; stoa_layout_name() lists all of them. */
STOA_API bool stoa_layout_is_written(const char *layout);

/**
 * Write a table of any layout in the layout that the options name.
 *
 * The table is read twice, because the values of its columns determine how they are stored. `path`
 * does not exist until all rows are written. Intermediate groups are created.
 *
 * @param from         borrowed; of the same file or another
 * @param loc          file or group that `path` is relative to
 * @param[out] n_rows  rows written; may be NULL
 * @return STOA_EEXISTS if `path` exists and options->replace is not set; STOA_ETYPE if the layout
 *         cannot hold the type of a column; STOA_ELOSS if the layout cannot hold its values, or its
 *         missing values and options->missing has no replacement
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
 * @param loc      file or group that the paths are relative to
 * @param paths    of the n tables written
 * @param options  those that they were written with
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_layout_list_written(hid_t loc, const char *const *paths,
                                                              size_t n,
                                                              const stoa_layout_options *options,
                                                              stoa_error *err);
/**
 * stoa_layout_write_table() for the rows of a stream. A HEP001 table is written as they come. For
 * other layouts they are stored in a temporary file (in $TMPDIR) until the stream ends.
 *
 * @param stream  consumed; you still release it
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_layout_write(hid_t loc, const char *path,
                                                       struct ArrowArrayStream *stream,
                                                       const stoa_layout_options *options,
                                                       uint64_t *n_rows, stoa_error *err);

/* --- whole files ----------------------------------------------------------------------------- */

/** Whether a conversion of a whole file to a layout includes an object that stoa_layout_visit()
 * visits. `layout` NULL stands for one that accepts every kind of object. Tables that combine other
 * listed objects are excluded. Of LH5's objects only tables are included; lh5 and arkouda include
 * all of them. */
STOA_API bool stoa_layout_converts(const char *layout, const stoa_object *object);

/** One table to convert. Strings are borrowed for the call. */
typedef struct stoa_layout_step {
    const char *path;
    const char *target; /**< its path in the target */
    const char *outer;  /**< path of the outer table that has the same rows and is converted before;
                             NULL if there is none */
    const char *inside; /**< the outer table's path in the target */
} stoa_layout_step;

/** Return false to stop. */
typedef bool (*stoa_layout_step_visitor)(void *context, const stoa_layout_step *step);

/**
 * Visit the steps in which a table of a file is converted. The first step is the table itself. With
 * the setting "no-flatten", the tables inside it follow, named after it with a dot and their own
 * name. When HEP001 tables made so are converted to LH5, they return into their outer table.
 *
 * @param target    path in the target; NULL: the table's own path, as if the whole file is
 *                  converted
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_layout_visit_steps(hid_t file, const char *path,
                                                             const char *target,
                                                             const stoa_layout_options *options,
                                                             stoa_layout_step_visitor visitor,
                                                             void *context, stoa_error *err);
/**
 * Convert the table of a step, as stoa_layout_write_table() does.
 *
 * @param from  any object of the file with the step
 * @param to    any object of the other file, or of the same
 * @return STOA_EDATA if a table's number of rows differs from that of its outer table
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_layout_convert_step(hid_t from,
                                                              const stoa_layout_step *step,
                                                              hid_t to,
                                                              const stoa_layout_options *options,
                                                              uint64_t *n_rows, stoa_error *err);

/** An object in a file that is not part of a table. Strings are borrowed for the call. */
typedef struct stoa_unconverted {
    const char *path;
    const char *kind;       /**< "scalar", "array", "histogram", "dataset", "struct", "group",
                                 "soft link" ... */
    const char *datatype;   /**< as in LH5, or "float64 · 3 x 4"; the target of a link */
    const char *attributes; /**< for structs, groups and inner tables: names of their own
                                 attributes, separated by commas; else NULL */
    const char *why;        /**< why stoa_layout_copy_unconverted() omits it; NULL: it is copied */
} stoa_unconverted;

/** Return false to stop. */
typedef bool (*stoa_unconverted_visitor)(void *context, const stoa_unconverted *object);

/**
 * Visit the objects of a file that are outside of the given tables, sorted by path. They are
 * datasets and other objects, links, and groups that are empty or have attributes of their own.
 * Attributes that belong to a layout, such as PyTables' CLASS, and PyTables' indexes are not
 * reported.
 *
 * @param file    file, or an object in it
 * @param tables  paths, as in stoa_layout_visit()
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_layout_visit_unconverted(hid_t file,
                                                                   const char *const *tables,
                                                                   size_t n_tables,
                                                                   stoa_unconverted_visitor visitor,
                                                                   void *context, stoa_error *err);
/**
 * Copy these objects to another file, at the same paths, with storage and attributes unchanged.
 * Also create the groups that contain the tables. Call this before you write the tables.
 *
 * @param to        an empty file; on failure its contents are incomplete
 * @param listener  may be NULL
 * @return STOA_ELOSS, naming the object, if it cannot be copied without loss
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_layout_copy_unconverted(hid_t from, hid_t to,
                                                                  const char *const *tables,
                                                                  size_t n_tables,
                                                                  const stoa_listener *listener,
                                                                  stoa_error *err);

/** Recreate further links that lead to the tables. Call this after you wrote the tables to the same
 * paths. */
STOA_MUST_CHECK STOA_API stoa_status stoa_layout_link_unconverted(hid_t from, hid_t to,
                                                                  const char *const *tables,
                                                                  size_t n_tables, stoa_error *err);

/**
 * Copy the remaining objects of an LH5 file, as LH5: structs and other groups, links, attributes.
 * Call this after you wrote the objects of stoa_layout_visit() to the same paths. Structs list
 * their fields in order; the root lists all its members.
 *
 * @param from  any object of the file to copy from
 * @param to    any object of the other
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_lh5_copy_unconverted(hid_t from, hid_t to,
                                                               stoa_error *err);

/** Whether the table's layout keeps tables in files of their own, as Arkouda does. Then rows are
 * appended by stoa_layout_append_files(). */
STOA_API bool stoa_layout_has_files(const stoa_table *table);

/**
 * Append a stream's rows to a table in files of its own: all objects of it are written anew, and
 * shared out among as many files. Columns are matched by name, as by stoa_table_append().
 *
 * @param file      one of the files, which are not open; with `safe` copies are edited, which
 *                  replace them
 * @param path      of the table
 * @param stream    consumed; you still release it
 * @param options   options->missing says what stands for missing values
 * @param patience  how long to wait for the files; NULL: the default
 * @param[out] n_appended  rows; may be NULL
 * @return STOA_ELAYOUT for a table of another layout, or one that gets no rows; failures of
 *         stoa_table_append() and stoa_layout_write_table()
 */
STOA_MUST_CHECK STOA_API stoa_status
stoa_layout_append_files(const char *file, const char *path, struct ArrowArrayStream *stream,
                         const stoa_edit_options *options, bool safe,
                         const stoa_file_patience *patience, uint64_t *n_appended, stoa_error *err);

/**
 * Append a stream's rows to a table of another layout:
 *
 * - a row-wise table of PyTables or H5TB, or another compound dataset that can grow,
 * - a frame of pandas' table format,
 * - a table, array or vector of LH5,
 * - a frame of AnnData that is no axis of a file and lies in none of its members: it is written
 *   anew.
 *
 * Columns are matched by name. Times are cast to the unit of their column. Indexes made by PyTables
 * are marked as outdated (docs/layouts/pytables.md).
 *
 * @param table   of a file that is open for editing; it still shows the old rows, so close it
 * @param stream  consumed; you still release it
 * @return STOA_ELAYOUT for a table of another layout (HEP001's: stoa_table_append()), or one that
 *         gets no rows; STOA_ETYPE if a column is missing, of another kind, or has values that its
 *         type cannot hold; STOA_ELOSS if it has missing values, or others that are not exact there
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_layout_append(stoa_table *table,
                                                        struct ArrowArrayStream *stream,
                                                        const stoa_edit_options *options,
                                                        uint64_t *n_appended, stoa_error *err);

/**
 * Add every field of the stream's struct as a column to a table of LH5. The stream must have as
 * many rows as the table. Names with a dot go to the tables inside it. (For HEP001:
 * stoa_column_add().)
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
