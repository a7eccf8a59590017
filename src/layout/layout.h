/*
 * A layout as a value: all in which layouts differ, for the common code and the command to ask.
 *
 * A folder ends in one constant of this type, and registry.c lists it; no other file outside the
 * folder knows its name. NULL and false say that a layout has no such thing. What is in a folder
 * does not see the registry: what it needs of other layouts it names, or is handed.
 */
#ifndef STOA_LAYOUT_LAYOUT_H
#define STOA_LAYOUT_LAYOUT_H

#include <stdio.h>
#include <stoa/sparse.h>

#include "layout/histogram.h"
#include "layout/writer.h"
#include "table/foreign.h"

/* --- reading --------------------------------------------------------------------------------- */

/* A kind of objects that are tables. */
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
    bool is_vague; /* it takes what says little of itself: all other classes are asked before */
} stoa_layout_class;

/* Tables that are no object: a path means several, or parts of one. */
typedef struct stoa_layout_paths {
    bool (*is_one)(hid_t loc, const char *path);
    stoa_status (*open)(hid_t loc, const char *path, const char *file, bool widens,
                        stoa_table **table, stoa_error *err);
} stoa_layout_paths;

/* Names that a group says its members have. */
typedef struct stoa_layout_names {
    char **at;
    size_t n;
    char *text; /* that they lie in */
} stoa_layout_names;

/* What a group or dataset is, in a tree of a file. */
typedef struct stoa_layout_shown {
    char *words;    /* "array<1>{real} · 40 · units ns"; NULL: for want of memory */
    bool is_opened; /* what is in it are objects of their own; the parts of others are none */
    stoa_layout_names names; /* of members */
} stoa_layout_shown;

/* Something to be said of an object; strings are borrowed for the call. */
typedef void stoa_layout_remark(void *context, const char *path, const char *words);

/* --- conversions of whole files -------------------------------------------------------------- */

/* Tables in tables: what is one table for the layout becomes several, and these one again. */
typedef struct stoa_layout_nesting {
    /* Of a table that is read. `is_split`: tell of the tables in it, which become tables of their
     * own; else look at whether it can be opened as one. */
    stoa_status (*list_inner)(hid_t file, const stoa_layout_step *step, bool is_split,
                              stoa_layout_step_visitor visitor, void *context, stoa_error *err);
    /* Open one without the tables in it; *table is NULL where it is none of the layout. */
    stoa_status (*open_alone)(hid_t from, const char *path, stoa_table **table, stoa_error *err);
    /* Of a table of HEP001 that goes to the layout: the step that puts it where it was. `note`: the
     * attribute that says which table it was in. */
    stoa_status (*list_nested)(hid_t file, const char *path, const char *note,
                               stoa_layout_step_visitor visitor, void *context, stoa_error *err);
    /* The table that a step has put into another one is a part of that. */
    stoa_status (*nest)(hid_t to, const stoa_layout_step *step, stoa_error *err);
} stoa_layout_nesting;

/* What lies beside the columns of a table, for rest_plan.c to tell. */
typedef struct stoa_layout_members {
    /* Whether an object is such a table; and the names of its columns, the caller's. */
    stoa_status (*list)(hid_t object, bool *is_table, stoa_layout_names *names, stoa_error *err);
    /* What a group is called that holds other objects, "struct"; NULL: it is none of the layout's.
     */
    stoa_status (*name_group)(hid_t group, const char **kind, stoa_error *err);
    /* What an object says that it is; NULL: nothing. The caller's (free()). */
    stoa_status (*read)(hid_t object, char **said, stoa_error *err);
} stoa_layout_members;

/* What of a whole file was converted. */
typedef struct stoa_layout_counts {
    uint64_t n_tables;
    uint64_t n_rows; /* of them */
    uint64_t n_matrices;
} stoa_layout_counts;

/* Layouts that are whole files, with more than tables in them. */
typedef struct stoa_layout_whole {
    bool (*is_one)(hid_t file);
    /* All of such a file into an empty one, in this layout or in HEP001's, as the options say. */
    stoa_status (*convert)(hid_t from, hid_t to, const stoa_layout_options *options,
                           stoa_layout_remark *remark, void *context, stoa_layout_counts *counts,
                           stoa_error *err);
    /* One table as a whole new file. */
    stoa_status (*of_table)(stoa_table *table, hid_t to, const stoa_layout_options *options,
                            uint64_t *n_rows, stoa_error *err);
} stoa_layout_whole;

/* Layouts whose tables lie in files of their own, which are opened as one. */
typedef struct stoa_layout_files {
    stoa_status (*open)(const char *file, const stoa_layout_options *options, bool safe,
                        const stoa_file_patience *patience, void **files, stoa_error *err);
    /* The name of file i; NULL behind the last. */
    const char *(*name)(const void *files, size_t i);
    /*
     * @param name       of the object; NULL: not said
     * @param object     what `from` is called where it comes from, if that is of this layout
     * @param is_one_of_several  `from` is: each gets its own name
     * @param remark     of what readers of the files should know; no path
     */
    stoa_status (*write)(void *files, stoa_table *from, const char *name, const char *kind,
                         bool is_one_of_several, const stoa_layout_options *options,
                         stoa_layout_remark *remark, void *context, uint64_t *n_rows,
                         stoa_error *err);
    stoa_status (*commit)(void *files, stoa_error *err); /* ends them in every case */
    void (*close)(void *files);
} stoa_layout_files;

/* Files that are one matrix, which becomes a sparse array. */
typedef struct stoa_matrix_file {
    const char *const *suffixes; /* NULL-ended; the first one is without a compression's */
    bool (*is_one)(const char *file);
    /*
     * @param chunk  shape (2,); NULL: as stoa_sparse_create() chooses
     * @param codec  of values; NULL: none
     */
    stoa_status (*import)(const char *file, hid_t loc, const char *path, const uint64_t *chunk,
                          const char *codec, const stoa_listener *listener, stoa_error *err);
    /* @param[out] n  entries */
    stoa_status (*write)(stoa_sparse *array, FILE *out, const stoa_listener *listener, uint64_t *n,
                         stoa_error *err);
} stoa_matrix_file;

/* The setting that splits tables in tables; its option is a layout's that has such. */
#define STOA_LAYOUT_SPLIT "no-flatten"

/* --- what it can be told --------------------------------------------------------------------- */

/* A setting of the layout's (<stoa/layout.h>), and the command's --KEY. */
typedef struct stoa_layout_option {
    const char *key;
    const char *value; /* what help calls its value; NULL: a flag, whose value is "" */
    const char *help;
    const char *const *choices; /* NULL-ended; NULL: any value */
    const char *count_of;       /* its value is a number of these, 1 or more: "files" */
    bool is_of_source;          /* it is about tables that are read, whatever they become */
    const char *excludes;       /* the key of another one; NULL: none */
} stoa_layout_option;

/* What becomes of an object that is there. */
typedef enum stoa_layout_mode {
    STOA_LAYOUT_SAFE,          /* it is an error, unless options->replace is set */
    STOA_LAYOUT_APPEND,        /* it gets more rows; what is not there is written */
    STOA_LAYOUT_REPLACE,       /* the new one takes its name when it is complete */
    STOA_LAYOUT_REPLACE_FILE,  /* the file is made anew, and takes the place of the old one */
    STOA_LAYOUT_APPEND_COLUMNS /* a table gets more columns */
} stoa_layout_mode;

/* --- the layout ------------------------------------------------------------------------------ */

typedef struct stoa_layout {
    const char *name;            /* as `stoa convert --to` takes it */
    const char *title;           /* as people call it */
    const char *const *shown_as; /* what its tables are called, NULL-ended; NULL: its name */
    const char *suffix;          /* of files that are written in it unless said otherwise */

    const stoa_layout_class *const *classes; /* that are read, NULL-ended; NULL: none */
    const stoa_layout_paths *paths;
    /* The file that stands for a set of files, by the name of the set; as stoa_layout_find_file().
     */
    stoa_status (*find_file)(const char *name, char **found, stoa_error *err);
    /* Whether an object says that it is of the layout, be that understood or not. */
    bool (*is_said)(hid_t object);
    /* Whether an object that says nothing may be one, for who asks for it by its name; and the
     * class that opens it. */
    bool (*may_be)(hid_t object);
    const stoa_layout_class *bare;
    /* Whether a path is where the layout keeps what is no user's: it is neither listed nor copied.
     */
    bool (*is_hidden)(const char *path);
    /* Where it keeps things of the table at a path, which go with it; the caller's (free()). */
    char *(*companion)(const char *path);
    /* Whether an open object is an array that is kept beside the tables, and all that ls shows of
     * it but the path. */
    bool (*look_at_array)(hid_t object, stoa_array_object *shown);
    const char *table_kind; /* the only kind of its objects that other layouts take; NULL: all */
    const char *sum_kind;   /* a kind of tables whose columns are listed as tables themselves; no
                               layout takes those */

    /* Words. */
    bool (*is_own_attribute)(const char *name); /* of groups and tables: it is no user's note */
    stoa_status (*visit_notes)(const stoa_table *table, stoa_note_visit visit, void *context,
                               stoa_error *err);
    stoa_status (*show)(hid_t object, stoa_layout_shown *shown, stoa_error *err);
    stoa_status (*find_histogram)(hid_t loc, const char *path, bool *is_one,
                                  stoa_histogram *histogram, stoa_error *err);

    /* Writing; `writer` is NULL where nothing is written, or where `files` or `write_table` does
     * it.
     */
    const stoa_layout_writer *writer;
    const stoa_missing_rules *missing; /* where there is no writer */
    bool is_home;                      /* HEP001: where all that other layouts say is kept */
    bool takes_all;                    /* objects of kinds that are no `table_kind`, too */
    stoa_status (*write_table)(stoa_table *from, hid_t loc, const char *path,
                               const stoa_layout_options *options, uint64_t *n_rows,
                               stoa_error *err);
    const stoa_layout_files *files;
    const stoa_layout_whole *whole;
    const stoa_matrix_file *matrix;    /* it has no tables */
    const stoa_layout_option *options; /* ends with one without a key */
    stoa_layout_mode (*mode)(const stoa_layout_options *options);

    /* Changing tables that are there; `source` has all that is new. */
    stoa_status (*append)(const stoa_layout_source *source, stoa_table *table, stoa_error *err);
    bool (*may_append)(const stoa_table *table); /* NULL: to all of its tables */
    stoa_status (*add_columns)(const stoa_layout_source *source, stoa_table *table,
                               stoa_error *err);

    /* From the layout into HEP001: of tables that are none of it these do nothing. */
    stoa_status (*free_names)(stoa_table *from, stoa_error *err); /* that HEP001 reserves */
    stoa_status (*keep_notes)(const stoa_table *from, hid_t loc, const char *path, hid_t table,
                              stoa_error *err);
    /* Tell, of such a table of HEP001, which columns have other names than they had. */
    stoa_status (*tell_renamed)(hid_t file, const char *path, stoa_layout_remark *remark,
                                void *context, stoa_error *err);

    /* Whole files. */
    const stoa_layout_nesting *nesting;
    const stoa_layout_members *members;
    /* What lies beside the tables, where all of a file goes into one of the same layout. */
    stoa_status (*copy_rest)(hid_t from, hid_t to, stoa_error *err);
    /* What stays behind of objects at a path and below, if the one there is of the layout. */
    bool (*is_at)(hid_t loc, const char *path);
    stoa_status (*tell_unread)(hid_t loc, const char *path, stoa_layout_remark *remark,
                               void *context, stoa_error *err);
    /* Once all is where it belongs: references to other objects are made. */
    stoa_status (*point)(hid_t loc, const char *path, stoa_layout_remark *remark, void *context,
                         stoa_error *err);
} stoa_layout;

/* Numbers, or arrays of them, as truth values: all but 0 are true. Takes `numbers` over in every
 * case. */
stoa_status stoa_layout_show_truth(stoa_column *numbers, stoa_column **column, stoa_error *err);

#endif
