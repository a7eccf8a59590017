/*
 * The interface of a layout: everything in which layouts differ, for the common code and the
 * command line to ask.
 *
 * Each layout's folder defines one constant of this type, and registry.c lists it. No other file
 * outside the folder knows that constant. NULL or false means that the layout lacks the feature. A
 * layout does not see the registry. It names what it needs of other layouts, or the caller passes
 * it in.
 */
#ifndef STOA_LAYOUT_LAYOUT_H
#define STOA_LAYOUT_LAYOUT_H

#include <stdio.h>
#include <stoa/sparse_matrix.h>

#include "layout/common/histogram.h"
#include "layout/common/slice.h"
#include "layout/common/writer.h"
#include "table/open/foreign.h"

/* --- reading --------------------------------------------------------------------------------- */

/* One class of objects that are tables. */
typedef struct stoa_layout_class {
    /* Whether an open object (a group or a dataset) is a table of the layout. If it is, `shown`
     * gets all that ls shows of it, except the path, which a listing sets beforehand. With a NULL
     * path nothing is measured. Opens as little as possible. The content is untrusted. */
    stoa_status (*identify)(hid_t object, H5I_type_t type, bool *is_one, stoa_object *shown,
                            stoa_error *err);
    /* Open it. Takes ownership of `object`, also on failure. */
    stoa_status (*open)(hid_t object, const char *path, const char *file, stoa_table **table,
                        stoa_error *err);
    /* Objects inside such a group are listed, too. */
    bool is_open;
    /* Like `open`, for sets of files that may hold an array in different widths. NULL if a table is
     * always one file. */
    stoa_status (*open_widened)(hid_t object, const char *path, const char *file,
                                stoa_table **table, stoa_error *err);
    /* The class accepts objects that say little about themselves, so all other classes are asked
     * first. */
    bool is_vague;
} stoa_layout_class;

/* Tables that are not single objects: the path names several objects, or parts of one. */
typedef struct stoa_layout_paths {
    bool (*is_one)(hid_t loc, const char *path);
    stoa_status (*open)(hid_t loc, const char *path, const char *file, bool widens,
                        stoa_table **table, stoa_error *err);
} stoa_layout_paths;

/* Names that a group declares for its members. */
typedef struct stoa_layout_names {
    char **at;
    size_t n;
    char *text; /* storage of the names */
} stoa_layout_names;

/* Whether an open object belongs to a layout that is known by what its objects declare: no vague
 * class is asked. What cannot be read belongs to one. Fails only if memory runs out. */
typedef stoa_status stoa_layout_claims(hid_t object, bool *is_claimed, stoa_error *err);

/* An object that no layout has claimed. */
typedef struct stoa_layout_found {
    bool is_table;
    bool is_array; /* listed as an array; a table of one column, or of named ones, to open */
    stoa_object table;
    stoa_array_object array;
    bool is_closed;    /* all that lies in the group is a part of the table; else only these are */
    bool is_mixed;     /* the group holds other objects beside the parts */
    stoa_buffer parts; /* of a table: paths from its group on, each with its NUL */
} stoa_layout_found;

/* What is left: objects that declare nothing. They are offered when all classes have declined. */
typedef struct stoa_layout_rest {
    /* The caller clears `found->parts`, also on failure. */
    stoa_status (*identify)(hid_t object, stoa_layout_claims *claims, stoa_layout_found *found,
                            stoa_error *err);
    /* Open it. Takes ownership of `object`, also on failure. */
    stoa_status (*open)(hid_t object, const char *path, const char *file,
                        stoa_layout_claims *claims, stoa_table **table, stoa_error *err);
} stoa_layout_rest;

/* The description of a group or dataset in a listing of a file's tree. */
typedef struct stoa_layout_description {
    char *words; /* "array<1>{real} · 40 · in ns"; NULL if out of memory */
    /* The members are objects in their own right, and are listed. Otherwise they are parts of this
     * object. */
    bool is_opened;
    bool is_table;           /* its members are columns and parts of them */
    stoa_layout_names names; /* names of members */
} stoa_layout_description;

/* Reports a remark about an object. Strings are borrowed for the call. */
typedef void stoa_layout_remark(void *context, const char *path, const char *words);

/* Receives something that a table says: "default" of a column, "" or the value. The column is NULL
 * for the table itself. Strings are borrowed for the call. */
typedef stoa_status stoa_layout_fact_visitor(void *context, const char *what, const char *column,
                                             const char *value, stoa_error *err);

/* --- conversions of whole files -------------------------------------------------------------- */

/* Nested tables. Such a table becomes several tables elsewhere, and those become one table
 * again. */
typedef struct stoa_layout_nesting {
    /* For a table that is read. With `is_split`, visit the tables inside it, which become tables of
     * their own. Otherwise check that it can be opened as one table. */
    stoa_status (*list_inner)(hid_t file, const stoa_layout_step *step, bool is_split,
                              stoa_layout_step_visitor visitor, void *context, stoa_error *err);
    /* Open a table without the tables inside it. *table is NULL if the object is no table of the
     * layout. */
    stoa_status (*open_alone)(hid_t from, const char *path, stoa_table **table, stoa_error *err);
    /* For a table of HEP001 that is written in the layout: visit the step that puts it back where
     * it was. `note` is the attribute that names the table it was in. */
    stoa_status (*list_nested)(hid_t file, const char *path, const char *note,
                               stoa_layout_step_visitor visitor, void *context, stoa_error *err);
    /* Make the table that a step has put inside another one a part of that one. */
    stoa_status (*nest)(hid_t to, const stoa_layout_step *step, stoa_error *err);
} stoa_layout_nesting;

/* What lies beside the columns of a table; convert/unconverted_plan.c reports it. */
typedef struct stoa_layout_members {
    /* Whether an object is a table of the layout, and the names of its columns. The caller clears
     * `names`. */
    stoa_status (*list)(hid_t object, bool *is_table, stoa_layout_names *names, stoa_error *err);
    /* The layout's word for a group that holds other objects, such as "struct". NULL if the group
     * is not of the layout. */
    stoa_status (*name_group)(hid_t group, const char **kind, stoa_error *err);
    /* The type that an object declares; NULL if none. The caller frees it. */
    stoa_status (*read)(hid_t object, char **said, stoa_error *err);
} stoa_layout_members;

/* Subsets of files (subset/plan.h). */
struct stoa_subset_plan;
struct stoa_axis_lines;

enum { STOA_LAYOUT_MAX_AXES = 2 };

/* Objects that belong to the rows of others, and are selected in step. */
typedef struct stoa_layout_subset {
    /* Layouts that are whole files: whether a file is one, the tables that are its axes, and what
     * belongs to them. NULL for an axis of which all lines are kept. */
    bool (*is_one)(hid_t file);
    const char *axes[STOA_LAYOUT_MAX_AXES];
    stoa_status (*plan)(struct stoa_subset_plan *plan, const struct stoa_axis_lines *const *axes,
                        stoa_error *err);
    /* Others: the length of an object that has rows, and a selection of it. `*is_one` is false for
     * an object without rows, which is copied as it is. */
    stoa_status (*count)(hid_t object, bool *is_one, uint64_t *n_rows, stoa_error *err);
    stoa_status (*select)(struct stoa_subset_plan *plan, hid_t object, const char *path,
                          const struct stoa_axis_lines *rows, stoa_error *err);
    /*
     * Through a map of coincidences: what belongs to events of which rows pass. NULL if the layout
     * has no such maps.
     *
     * @param map     its object; `is_own` if it is in the file of the plan
     * @param table   path of the table that was tested, and the rows that passed
     * @param path    of a table of the file that may have a row an event; NULL if unknown
     * @param[out] n_kept, n_events
     */
    stoa_status (*coincide)(struct stoa_subset_plan *plan, hid_t map, bool is_own,
                            const char *table, const char *path, const struct stoa_axis_lines *rows,
                            uint64_t *n_kept, uint64_t *n_events, stoa_error *err);
} stoa_layout_subset;

/* Totals of a whole-file conversion. */
typedef struct stoa_layout_counts {
    uint64_t n_tables;
    uint64_t n_rows; /* of all tables */
    uint64_t n_matrices;
    uint64_t n_left; /* objects and columns left behind */
} stoa_layout_counts;

/* Layouts that are whole files, with more than tables in them. */
typedef struct stoa_layout_whole {
    bool (*is_one)(hid_t file);
    /* Convert the whole file into an empty one, in this layout or in HEP001, as the options say. */
    stoa_status (*convert)(hid_t from, hid_t to, const stoa_layout_options *options,
                           stoa_layout_remark *remark, void *context, stoa_layout_counts *counts,
                           stoa_error *err);
    /* Write one table as a whole new file. */
    stoa_status (*of_table)(stoa_table *table, hid_t to, const stoa_layout_options *options,
                            uint64_t *n_rows, stoa_error *err);
    /*
     * Write one matrix as a whole new file. Rows and columns are named by their numbers, or as the
     * layout finds their names beside the matrix.
     *
     * @param object  the matrix that `array` was made of; H5I_INVALID_HID if it was none
     * @param box     the part of it that was taken; NULL if all was
     */
    stoa_status (*of_matrix)(stoa_sparse *array, hid_t object, const stoa_array_box *box, hid_t to,
                             const stoa_layout_options *options, stoa_error *err);
} stoa_layout_whole;

/* Layouts whose tables are files of their own, written as a set. */
typedef struct stoa_layout_files {
    stoa_status (*open)(const char *file, const stoa_layout_options *options, bool safe,
                        const stoa_file_patience *patience, void **files, stoa_error *err);
    /* The same for the files that a file is one of, to write an object anew. */
    stoa_status (*open_again)(const char *file, bool safe, const stoa_file_patience *patience,
                              void **files, stoa_error *err);
    /* The name of file i; NULL past the last. */
    const char *(*name)(const void *files, size_t i);
    /*
     * @param name               object name; NULL if unknown
     * @param kind               kind of the object in the source, if that is of this layout; or
     * NULL
     * @param is_one_of_several  `from` is one of several tables, each of which gets its own name
     * @param remark             gets what readers of the files should know; its path is NULL
     */
    stoa_status (*write)(void *files, stoa_table *from, const char *name, const char *kind,
                         bool is_one_of_several, const stoa_layout_options *options,
                         stoa_layout_remark *remark, void *context, uint64_t *n_rows,
                         stoa_error *err);
    stoa_status (*commit)(void *files, stoa_error *err); /* closes them, also on failure */
    void (*close)(void *files);
} stoa_layout_files;

/* Files other than HDF5 whose rows have types of their own, for `stoa import`. */
typedef struct stoa_row_file {
    bool (*is_one)(const char *file);
    stoa_status (*open)(const char *file, const stoa_listener *listener,
                        struct ArrowArrayStream *stream, stoa_error *err);
} stoa_row_file;

/* Files that are one matrix, which becomes a sparse array. */
typedef struct stoa_matrix_file {
    const char *const *suffixes; /* NULL-ended; the first has no compression suffix */
    bool is_shared_suffix;       /* others have it, too: the content says which it is */
    bool (*is_one)(const char *file);
    /*
     * @param chunk  shape (2,); NULL for the default of stoa_sparse_create()
     * @param codec  of values; NULL for none
     */
    stoa_status (*import)(const char *file, hid_t loc, const char *path, const uint64_t *chunk,
                          const char *codec, const stoa_listener *listener, stoa_error *err);
    bool has_forms; /* such a file is CSR or CSC */
    /*
     * @param form    STOA_MATRIX_CSR or STOA_MATRIX_CSC
     * @param[out] n  number of entries
     */
    stoa_status (*write)(stoa_sparse *array, stoa_matrix_form form, FILE *out,
                         const stoa_listener *listener, uint64_t *n, stoa_error *err);
} stoa_matrix_file;

/* The setting that splits nested tables. The option belongs to a layout with nested tables. */
#define STOA_LAYOUT_SPLIT "no-flatten"

/* --- settings -------------------------------------------------------------------------------- */

/* A setting of the layout (<stoa/layout.h>), and the command's --KEY. */
typedef struct stoa_layout_option {
    const char *key;
    const char *value; /* placeholder in the help text; NULL for a flag, whose value is "" */
    const char *help;
    const char *const *choices; /* NULL-ended; NULL allows any value */
    const char *count_of;       /* unit of a count of 1 or more, such as "files" */
    bool is_of_source;          /* applies to tables that are read, whatever their target */
    const char *excludes;       /* key of a conflicting option; NULL if none */
} stoa_layout_option;

/* What happens to an object that exists already. */
typedef enum stoa_layout_mode {
    STOA_LAYOUT_SAFE,          /* an error, unless options->replace is set */
    STOA_LAYOUT_APPEND,        /* it gets more rows, or is created */
    STOA_LAYOUT_REPLACE,       /* the new object takes its name when it is complete */
    STOA_LAYOUT_REPLACE_FILE,  /* a new file replaces the old one */
    STOA_LAYOUT_APPEND_COLUMNS /* a table gets more columns */
} stoa_layout_mode;

/* --- the layout ------------------------------------------------------------------------------ */

typedef struct stoa_layout {
    const char *name;  /* as in `stoa convert --to` */
    const char *title; /* for people to read */
    /* Names of the layout in listings of tables, NULL-ended. NULL if `name` is the only one. */
    const char *const *shown_as;
    const char *suffix; /* default for files that are written in it */

    const stoa_layout_class *const *classes; /* classes that are read, NULL-ended; NULL if none */
    const stoa_layout_rest *rest;            /* NULL for all but one */
    const stoa_layout_paths *paths;
    /* Find the file that stands for a set of files, by the name of the set. See
     * stoa_layout_find_file(). */
    stoa_status (*find_file)(const char *name, char **found, stoa_error *err);
    /* Whether an object declares that it is of the layout, even if it cannot be read. */
    bool (*is_said)(hid_t object);
    /* Whether an object without a declaration may be a table, if the user names it. `bare` is the
     * class that opens it. */
    bool (*may_be)(hid_t object);
    const stoa_layout_class *bare;
    /* Whether a path holds internal data of the layout, which is neither listed nor copied. */
    bool (*is_hidden)(const char *path);
    /* The path of the companion data of the table at a path, which is removed with the table. The
     * caller frees it. */
    char *(*companion)(const char *path);
    /* Whether an open object is an array that is kept beside the tables. If it is, `shown` gets all
     * that ls shows except the path. */
    bool (*identify_array)(hid_t object, stoa_array_object *shown);
    /* The members that such an array consists of, if its group may hold other objects, which are
     * listed. NULL: all are parts of it. */
    const char *const *(*parts_of_array)(hid_t object);
    /* The entries of such an array as a table: a column for each dimension, and the values. A text,
     * as in stoa_array_box_parse(), restricts them to a box. Takes ownership of `object`, also on
     * failure. */
    stoa_status (*open_entries)(hid_t object, const char *path, const char *file, const char *text,
                                stoa_array_box *box, stoa_table **table, stoa_error *err);
    /* The only kind of its objects that other layouts accept; NULL for all kinds. */
    const char *table_kind;
    bool gives_tables_alone; /* even a layout that takes all kinds gets other kinds by name alone */
    /* A kind of tables whose columns are listed as tables, too. No layout accepts such a table. */
    const char *sum_kind;

    /* Descriptions and attributes. */
    bool (*is_own_attribute)(
        const char *name); /* of groups and tables: a name that the layout itself uses */
    stoa_status (*visit_user_attributes)(const stoa_table *table, stoa_user_attribute_visit visit,
                                         void *context, stoa_error *err);
    stoa_status (*describe)(hid_t object, stoa_layout_description *shown, stoa_error *err);
    /* List what tables of the layout, and HEP001 tables made of them, say beside the types and
     * attributes of columns. What the copy of a table no longer lists is reported as lost
     * (convert/lost.h). Nothing for other tables. */
    stoa_status (*visit_facts)(const stoa_table *table, stoa_layout_fact_visitor *visit,
                               void *context, stoa_error *err);
    stoa_status (*find_histogram)(hid_t loc, const char *path, bool *is_one,
                                  stoa_histogram *histogram, stoa_error *err);

    /* Writing. `writer` is NULL if the layout is read-only, or if `files` or `write_table` does the
     * work. */
    const stoa_layout_writer *writer;
    const stoa_missing_rules *missing; /* used if there is no writer */
    bool is_home;                      /* HEP001: keeps the metadata of all other layouts */
    bool takes_all;                    /* accepts objects of kinds other than `table_kind` */
    stoa_status (*write_table)(stoa_table *from, hid_t loc, const char *path,
                               const stoa_layout_options *options, uint64_t *n_rows,
                               stoa_error *err);
    /* Write rows as they come; NULL if a writer must know them all before. */
    stoa_status (*write_stream)(struct ArrowArrayStream *stream, hid_t loc, const char *path,
                                const stoa_layout_options *options, uint64_t *n_rows,
                                stoa_error *err);
    const stoa_layout_files *files;
    const stoa_layout_whole *whole;
    const stoa_layout_subset *subset;
    const stoa_matrix_file *matrix; /* the layout has no tables */
    const stoa_row_file *rows;
    const stoa_layout_option *options; /* ended by one without a key */
    /* Of the home layout: let its options decide how a table is written. Texts are borrowed. */
    void (*use_settings)(const stoa_layout_options *options, stoa_table_options *to);
    stoa_layout_mode (*mode)(const stoa_layout_options *options);

    /* Changing an existing table. `source` holds the new data. */
    stoa_status (*append)(const stoa_layout_source *source, stoa_table *table, stoa_error *err);
    /* Whether a table is written anew instead, since the lengths of its parts are fixed. May be
     * NULL. */
    bool (*grows_anew)(const stoa_table *table);
    /* STOA_ELAYOUT, with the way out, for a table that gets no rows. NULL if all of them do. */
    stoa_status (*may_append)(const stoa_table *table, stoa_error *err);
    stoa_status (*add_columns)(const stoa_layout_source *source, stoa_table *table,
                               stoa_error *err);

    /* From the layout into HEP001. These do nothing for tables of other layouts. */
    stoa_status (*free_names)(stoa_table *from,
                              stoa_error *err); /* renames columns whose names HEP001 reserves */
    stoa_status (*save_metadata)(const stoa_table *from, hid_t loc, const char *path, hid_t table,
                                 stoa_error *err);
    /* Report the columns of such a table in HEP001 that have been renamed. */
    stoa_status (*tell_renamed)(hid_t file, const char *path, stoa_layout_remark *remark,
                                void *context, stoa_error *err);

    /* Whole files. */
    const stoa_layout_nesting *nesting;
    const stoa_layout_members *members;
    /* Copy what lies beside the tables, when a whole file is converted within the layout. */
    stoa_status (*copy_rest)(hid_t from, hid_t to, stoa_error *err);
    /* Report what is left behind of the objects at a path and below, if the one at the path is of
     * the layout. */
    bool (*is_at)(hid_t loc, const char *path);
    stoa_status (*tell_unread)(hid_t loc, const char *path, stoa_layout_remark *remark,
                               void *context, stoa_error *err);
} stoa_layout;

/* Numbers, or arrays of them, as booleans: every value but 0 is true. Takes ownership of `numbers`,
 * also on failure. */
stoa_status stoa_layout_ints_as_bool(stoa_column *numbers, stoa_column **column, stoa_error *err);

#endif
