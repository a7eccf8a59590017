/*
 * The interface for writing a table in a layout other than HEP001.
 *
 * A writer sees no missing values that the options replace (missing.h). The target path has been
 * checked. The object that a writer makes gets its name in write_object.c.
 */
#ifndef STOA_LAYOUT_WRITER_H
#define STOA_LAYOUT_WRITER_H

#include <stoa/layout.h>

#include "arrow/read.h"
#include "column/type/domain.h"
#include "core/string_set.h"
#include "layout/common/categories_as_values.h"
#include "layout/common/user_attribute.h"

/* Statistics of a column over all rows. */
typedef struct stoa_column_stats stoa_column_stats;
struct stoa_column_stats {
    uint64_t n_missing;
    stoa_domain domain; /* of numbers, times (ticks), strings; of the used labels of a dictionary */
    stoa_string_set labels;       /* all labels of a string dictionary, in order */
    struct ArrowArray dictionary; /* the last one that was met */
    bool *used;                   /* its labels that are in the domain */
    uint64_t longest;             /* lists: largest number of items */
    bool has_empty;               /* lists: one has no items, or is missing */
    bool has_high_bytes;          /* strings or labels: one is not ASCII */
    bool has_subsecond;           /* times: one is not a whole second */
    bool has_submicro;            /* times: one is not a whole microsecond */
    /* Of a struct, those of its fields. Of a list, that of its items. NULL otherwise. */
    stoa_column_stats *fields;
    size_t n_fields;
};

/* The input of a writer, which borrows it. */
typedef struct stoa_layout_source {
    const struct ArrowSchema *schema; /* a struct of the columns */
    const stoa_column_stats *columns; /* one per column */
    struct ArrowArrayStream *stream;  /* all rows, readable once */
    uint64_t n_rows;
    const stoa_table *table;     /* where the rows come from */
    const char *path;            /* where the object will be; NULL: not known */
    const char *title;           /* NULL if none */
    const size_t *index_columns; /* positions of the row label columns, outermost first */
    size_t n_index_columns;
    /* State that a writer passes to the other files of its folder, or NULL. */
    const void *own;
    const stoa_layout_options *options;
} stoa_layout_source;

/* The rules of a layout for missing values. */
typedef struct stoa_missing_rules {
    /* Whether a column of the field's type can store them. NULL: only floats can, as NaN. */
    bool (*holds)(const struct ArrowSchema *field);
    bool drops;   /* "drop": rows with one can be left out */
    bool masks;   /* "mask": an extra column of booleans can mark them */
    bool empties; /* "[]": missing lists and byte strings can be written as empty ones */
} stoa_missing_rules;

typedef struct stoa_layout_writer {
    /*
     * @param file         any object of the target file
     * @param[out] object  an unnamed group or dataset that holds the rows; the caller links and
     *                     closes it. H5I_INVALID_HID on failure
     */
    stoa_status (*write)(const stoa_layout_source *source, hid_t file, hid_t *object,
                         stoa_error *err);
    stoa_missing_rules missing;
    stoa_categories_which *plain; /* categories to decode; NULL for none */
    /* Add the layout's own metadata to the fields of the schema. May be NULL. */
    stoa_status (*recall_fields)(const stoa_table *from, struct ArrowSchema *schema,
                                 stoa_error *err);
    /* Copy the user's attributes of a table to the object made of it. May be NULL. */
    stoa_status (*take_notes)(const stoa_table *from, hid_t object, stoa_error *err);
    /* Mark the root group of a file that holds such a table. May be NULL. */
    stoa_status (*mark)(hid_t root, stoa_error *err);
    /* Update the groups above new objects, after these have their names. May be NULL. */
    stoa_status (*settle)(hid_t loc, const char *const *paths, size_t n, stoa_error *err);
} stoa_layout_writer;

/* Prefix an error with FILE:PATH, unless it has that prefix. Returns the status. */
stoa_status stoa_layout_error_at(hid_t loc, const char *path, stoa_status status, stoa_error *err);
/* A file in $TMPDIR that is unlinked at once. The caller closes it. */
stoa_status stoa_layout_open_temporary(hid_t *file, stoa_error *err);
/* Close such a file. Its errors do not name it, since the user does not know the file. The caller
 * adds the place. */
stoa_status stoa_layout_close_temporary(hid_t *file, stoa_status status, stoa_error *err);
/* Copy options of any version, without looking anything up. STOA_EINVAL if their size is not
 * set. */
stoa_status stoa_layout_options_copy(const stoa_layout_options *options, stoa_layout_options *own,
                                     stoa_error *err);
/* The value of a setting, "" for a flag; NULL if it is not set. */
const char *stoa_layout_setting_of(const stoa_layout_options *options, const char *key);

/*
 * Write an object and give it its name, whatever layout the options name. The options are complete.
 * The path is free, or its table is to be replaced.
 *
 * @param notes     metadata of the fields, beside those of the table; NULL if none
 * @param make_way  called before the name is used; NULL if the path is free
 */
stoa_status stoa_layout_write_by(const stoa_layout_writer *writer, stoa_table *from,
                                 const struct ArrowSchema *notes, hid_t loc, const char *path,
                                 const stoa_layout_options *options,
                                 stoa_status (*make_way)(hid_t loc, const char *path,
                                                         stoa_error *err),
                                 uint64_t *n_rows, stoa_error *err);

/* Process a batch of rows. Its first row is row `first` of the stream. */
typedef stoa_status (*stoa_layout_batch_visitor)(void *context, const stoa_view *rows,
                                                 uint64_t first, stoa_error *err);
/* Read all batches of the source, and report progress after each. STOA_ECANCELLED if the listener
 * cancels; STOA_EDATA if there are more rows than the source declares. */
stoa_status stoa_layout_each_batch(const stoa_layout_source *source, stoa_layout_batch_visitor take,
                                   void *context, stoa_error *err);
/* Refuse a column with missing values that the layout cannot hold: STOA_ELOSS. `ways` lists the
 * possible values of --missing for the column, such as "VALUE". */
stoa_status stoa_layout_refuse_missing(const char *column, uint64_t n_missing, const char *layout,
                                       const char *ways, stoa_error *err);

#endif
