/* Tables of other layouts than HEP001: found, opened, queried as if they were HEP001's; written. */
#ifndef STOA_LAYOUT_H
#define STOA_LAYOUT_H

#include <stoa/file.h>
#include <stoa/place.h>
#include <stoa/table.h>

STOA_BEGIN_DECLS

/**
 * Open the table at `path`, whatever layout it is stored in (docs/layouts/): stoa_table_info_of()
 * says which. All but HEP001's are for reading and queries; edits refuse them.
 *
 * A path whose last part names several arrays, "/a,b", makes them one table where they are
 * Arkouda's, and so does "/" of all in the root of its file (docs/layouts/arkouda.md). An object of
 * several files, one of each locale, is read from all of them.
 *
 * @param loc         file or group `path` starts from; borrowed, may be closed before the table
 * @param[out] table  the caller's, released by stoa_table_close(); NULL on failure
 * @return STOA_ENOTFOUND; STOA_ELAYOUT if it is a table of no layout that is known; as
 *         stoa_table_open() else
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_layout_open(hid_t loc, const char *path,
                                                      stoa_table **table, stoa_error *err);

/** The same with options, which hold for tables in one file of every layout but Arkouda's, which
 * are read without a map; STOA_EINVAL if these have no size. */
STOA_MUST_CHECK STOA_API stoa_status stoa_layout_open_with(hid_t loc, const char *path,
                                                           const stoa_open_options *options,
                                                           stoa_table **table, stoa_error *err);

/**
 * The same of a file that is opened for reading with the table and closed with it, and locked only
 * while the table is used: programs that keep tables open hinder no writer, and find in each query
 * what was written until then. See stoa_table_use().
 *
 * @param options  of the file; may be NULL
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_layout_open_file(const char *file, const char *path,
                                                           const stoa_file_options *options,
                                                           stoa_table **table, stoa_error *err);

/**
 * stoa_layout_open() where the files of a set may hold an array in other widths than each other, as
 * Arkouda reads them without strict_types: integers are read as int64, or as uint64 where one of
 * them is and all are unsigned, and floats as float64.
 *
 * @return STOA_EDATA where there is no such type; as stoa_layout_open() else
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_layout_open_widened(hid_t loc, const char *path,
                                                              stoa_table **table, stoa_error *err);

/**
 * The file to open for a name that no file has: of the files that Arkouda writes for its locales,
 * run_LOCALE0000.h5, run_LOCALE0001.h5 ..., all of which the first one stands for.
 *
 * @param name        "run", "run.h5", or a pattern of the shell, "run_LOCALE*"
 * @param[out] found  the caller's, released by free(); NULL where there is such a file, or no set
 * @return STOA_EINVAL if it means files of several sets
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_layout_find_file(const char *name, char **found,
                                                           stoa_error *err);

/**
 * Tables of several files, all at one path, as one: columns are matched by name, and rows follow
 * each other in the order of the files, which are opened as their rows are read, a few at a time.
 * Categories and enumerations are shown as strings, since each file has its own. Its layout is
 * called "files"; no search index is asked.
 *
 * @param first       the first of the files, open; it stays the caller's, and open until the table
 *                    is closed
 * @param files       names of all n files, the first one's included
 * @param[out] table  the caller's, released by stoa_table_close(); NULL on failure
 * @return STOA_EDATA where a file has other columns than the first one, or of other types, naming
 *         it; as stoa_layout_open() else
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_layout_open_files(hid_t first, const char *const *files,
                                                            size_t n, const char *path,
                                                            stoa_table **table, stoa_error *err);

/**
 * Rows of a table that a column lists by their numbers, from 0, as a table: in the order of the
 * list, as often as they stand there. Categories and enumerations are shown as strings, and no
 * search index is asked.
 *
 * @param from        taken over in every case
 * @param list        of integers; borrowed for the call
 * @param n_list      its rows
 * @param[out] table  the caller's, released by stoa_table_close(); NULL on failure
 * @return STOA_ETYPE if the list is not of integers; STOA_EDATA if one is missing, STOA_ERANGE if
 *         there is no row of that number, naming it
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_layout_pick_rows(stoa_table *from, stoa_column *list,
                                                           uint64_t n_list, stoa_table **table,
                                                           stoa_error *err);

/** Visit every table below `loc`, of any layout, as stoa_place_list() visits HEP001's. What soft
 * and external links alone lead to is visited, too, by the link's path: each object once. */
STOA_MUST_CHECK STOA_API stoa_status stoa_layout_list(hid_t loc, stoa_object_visitor visitor,
                                                      void *context, stoa_error *err);

/** A soft, external or user-defined link (which is not followed). Strings are borrowed for the
 * call. */
typedef struct stoa_link {
    const char *path;
    const char *file;   /**< that an external link leads to; NULL: it is a soft link */
    const char *target; /**< what is called so there */
    bool is_dangling;   /**< nothing is there, or nothing that can be opened */
} stoa_link;

/** An array beside the tables: a sparse one, or a matrix that AnnData keeps as it is. Strings are
 *  borrowed for the call. */
typedef struct stoa_array_object {
    const char *path;
    const char *layout;           /**< "sparse", "anndata" */
    const char *kind;             /**< "array"; of groups of AnnData's "csr", "csc" */
    unsigned rank;                /**< 0: a scalar, or it is damaged */
    hsize_t extent[H5S_MAX_RANK]; /**< in each dimension */
    uint64_t n_bytes;             /**< that it takes up in the file */
} stoa_array_object;

/** For each kind of object one to visit it; NULL: none does. Return false to stop. */
typedef struct stoa_layout_visitors {
    stoa_object_visitor table;
    bool (*array)(void *context, const stoa_array_object *array);
    bool (*link)(void *context, const stoa_link *link);
    /** An object that cannot be opened, and why: told at once, while others are looked for. */
    void (*unopened)(void *context, const char *path, const char *why);
} stoa_layout_visitors;

/** Visit all that stoa_layout_list() visits; then the arrays; then every soft, external and
 *  user-defined link that is no part of a table. Each in the order of paths, those behind links,
 *  too, but none twice.
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_layout_list_all(hid_t loc,
                                                          const stoa_layout_visitors *visitors,
                                                          void *context, stoa_error *err);

/** The path of the only table below `loc`, of any layout: see stoa_place_only_table(). */
STOA_MUST_CHECK STOA_API stoa_status stoa_layout_only_table(hid_t loc, char **path,
                                                            stoa_error *err);

/** What stands for missing values where a layout has none, or has others. */
typedef struct stoa_missing_value {
    const char *column; /**< NULL: every column that has no entry of its own */
    const char *value;  /**< a value of the column's type as text; "nan": of numbers and bools, NaN,
                             for which they become float64. arkouda, lh5: "drop" leaves their
                             rows out; arkouda: "mask" writes a column of bools beside */
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
    bool widen;    /**< what is read is opened by stoa_layout_open_widened() */
    bool unlisted; /**< one of many tables: stoa_layout_list_written() follows the last */
} stoa_layout_options;

#define STOA_LAYOUT_OPTIONS_INIT                                                                   \
    {                                                                                              \
        sizeof(stoa_layout_options), 0, 0, 0, 0, 0, 0, 0, 0, 0, {0, 0}, 0, 0, 0, 0, 0              \
    }

/** Whether stoa_layout_write() knows the name. */
STOA_API bool stoa_layout_is_written(const char *layout);
/** The i-th name that it knows, from 0; NULL behind the last. */
STOA_API const char *stoa_layout_written(size_t i);

/**
 * Write a table of any layout once more, in the layout that the options name.
 *
 * The table is read twice: what its columns hold decides how they are stored. Nothing is seen under
 * `path` until all rows are written; intermediate groups are made.
 *
 * @param from         borrowed; of the same file or another
 * @param loc          file or group `path` starts from
 * @param[out] n_rows  rows written; may be NULL
 * @return STOA_EEXISTS if `path` is taken and options->replace is not set; STOA_ETYPE if a column
 *         has a type that the layout cannot hold; STOA_ELOSS if it has missing values, or others,
 *         that the layout cannot hold, and options->missing does not say what stands for them
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_layout_write_table(stoa_table *from, hid_t loc,
                                                             const char *path,
                                                             const stoa_layout_options *options,
                                                             uint64_t *n_rows, stoa_error *err);
/**
 * Have the groups above tables that were written with options->unlisted list them, as LH5 asks: all
 * at once, for such a list is as long as all that it names, and would be read and written anew for
 * each. Other layouts have no such lists.
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
 * stoa_layout_write_table() for everything a stream holds, which is kept in a temporary file (in
 * $TMPDIR) until it has ended.
 *
 * @param stream  consumed; the caller still releases it
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_layout_write(hid_t loc, const char *path,
                                                       struct ArrowArrayStream *stream,
                                                       const stoa_layout_options *options,
                                                       uint64_t *n_rows, stoa_error *err);

/* --- whole files ----------------------------------------------------------------------------- */

/** Whether a conversion of a whole file into a layout (NULL: one that takes all) takes an object
 * that stoa_layout_list() visits: not tables made of others that are listed themselves; of LH5's
 * objects the tables, but into lh5 and arkouda all of them. */
STOA_API bool stoa_layout_takes(const char *layout, const stoa_object *object);

/** A table of a conversion. Strings are borrowed for the call. */
typedef struct stoa_layout_step {
    const char *path;
    const char *target; /**< where it goes */
    const char *outer;  /**< path of the table that its rows belong to, one by one, and which is
                             converted before; NULL: of none */
    const char *inside; /**< where that one goes */
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
STOA_MUST_CHECK STOA_API stoa_status stoa_layout_list_steps(hid_t file, const char *path,
                                                            const char *target,
                                                            const stoa_layout_options *options,
                                                            stoa_layout_step_visitor visitor,
                                                            void *context, stoa_error *err);
/**
 * Take such a step, as stoa_layout_write_table() writes.
 *
 * @param from, to  any objects of the two files, or of one
 * @return STOA_EDATA if a table has other rows than the one that it is in
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_layout_convert_step(hid_t from,
                                                              const stoa_layout_step *step,
                                                              hid_t to,
                                                              const stoa_layout_options *options,
                                                              uint64_t *n_rows, stoa_error *err);

/** Something in a file that no table holds. Strings are borrowed for the call. */
typedef struct stoa_rest {
    const char *path;
    const char *kind;       /**< "scalar", "array", "histogram", "dataset", "struct", "group",
                                 "soft link" ... */
    const char *datatype;   /**< as LH5 says it, or "float64 · 3 x 4"; of links where they lead */
    const char *attributes; /**< of structs, groups and inner tables: names of those that they have
                                 of their own, with commas between; NULL of others */
    const char *why;        /**< why stoa_layout_copy_rest() leaves it out; NULL: it does not */
} stoa_rest;

/** Return false to stop. */
typedef bool (*stoa_rest_visitor)(void *context, const stoa_rest *rest);

/**
 * Visit what lies in a file beside some of its tables, in the order of paths: datasets and other
 * objects, links, groups that hold nothing or have attributes of their own. Attributes of layouts,
 * PyTables' CLASS for one, and its indexes are not told.
 *
 * @param file    file or object of it
 * @param tables  paths, as stoa_layout_list() has them
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_layout_list_rest(hid_t file, const char *const *tables,
                                                           size_t n_tables,
                                                           stoa_rest_visitor visitor, void *context,
                                                           stoa_error *err);
/**
 * Copy it into another file, under the same paths, storage and attributes as they lie, and the
 * groups that the tables are in. Before these are written.
 *
 * @param to        an empty file; what is in it after a failure is half a copy
 * @param listener  may be NULL
 * @return STOA_ELOSS naming what cannot be copied without loss
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_layout_copy_rest(hid_t from, hid_t to,
                                                           const char *const *tables,
                                                           size_t n_tables,
                                                           const stoa_listener *listener,
                                                           stoa_error *err);

/** Give the tables, once they are written to the same paths, the other names that they had. */
STOA_MUST_CHECK STOA_API stoa_status stoa_layout_link_rest(hid_t from, hid_t to,
                                                           const char *const *tables,
                                                           size_t n_tables, stoa_error *err);

/**
 * What an LH5 file holds beside the objects that stoa_layout_list() visits, copied into one that
 * these were written to, under the same paths, as LH5: structs and other groups, links, attributes.
 * Structs list their fields in order; the root lists all that is in it.
 *
 * @param from, to  any objects of the two files
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_lh5_copy_rest(hid_t from, hid_t to, stoa_error *err);

/** An attribute of an object of LH5 that refers to a path where nothing is. */
typedef void (*stoa_lost_visitor)(void *context, const char *path, const char *attribute,
                                  const char *target);

/**
 * Make references of attributes that came from other files be to what has the same path here: those
 * of the object at `path`, and of all below it. Until then, and where nothing has that path, a text
 * `stoa_lh5_reference.NAME` stands for the attribute. (Each table that is written does so of
 * itself: this is for when all of a file is.)
 *
 * @param visitor  is told of those; may be NULL
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_lh5_point(hid_t loc, const char *path,
                                                    stoa_lost_visitor visitor, void *context,
                                                    stoa_error *err);

/**
 * Append a stream's rows to a row-wise table, PyTables', H5TB's, or another compound dataset that
 * can grow; or to a table, array or vector of LH5. Columns are matched by name. Indexes that
 * PyTables made are marked, so that it does not believe them any more (docs/layouts/pytables.md).
 *
 * @param table   of a file that is open for editing; shows the old rows still, and is to be closed
 * @param stream  consumed; the caller still releases it
 * @return STOA_ELAYOUT for a table of another layout (HEP001's: stoa_table_append()); STOA_ETYPE if
 *         a column is missing, of another kind, or has values that its type there does not hold;
 *         STOA_ELOSS if it has missing values
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_layout_append(stoa_table *table,
                                                        struct ArrowArrayStream *stream,
                                                        const stoa_edit_options *options,
                                                        uint64_t *n_appended, stoa_error *err);

/**
 * Add columns to a table of LH5: every field of the stream's struct, which has as many rows. Names
 * with a dot go to the tables in it. (HEP001's: stoa_column_add().)
 *
 * @param table   of a file that is open for editing; shows the old columns still, and is to be
 * closed
 * @param stream  consumed; the caller still releases it
 * @param codec   as docs/layouts/lh5.md says; NULL: its default
 * @return STOA_ELAYOUT for a table of another layout; STOA_EEXISTS if a name is taken, STOA_ERANGE
 *         if the stream has fewer or more rows; STOA_ELOSS if it has missing values. The table then
 *         has the columns that it had
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_layout_add_columns(stoa_table *table,
                                                             struct ArrowArrayStream *stream,
                                                             const char *codec,
                                                             const stoa_edit_options *options,
                                                             size_t *n_added, stoa_error *err);

STOA_END_DECLS

#endif
