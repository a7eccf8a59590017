/*
 * How a table is written in a layout other than HEP001.
 *
 * What writers need not know: missing values that the caller gave a value for (missing.h) are gone
 * already, the target was looked at, and the object they make gets its name from write_object.c.
 */
#ifndef STOA_LAYOUT_WRITER_H
#define STOA_LAYOUT_WRITER_H

#include <stoa/layout.h>

#include "arrow/read.h"
#include "column/domain.h"
#include "core/strings.h"
#include "layout/note.h"
#include "layout/plain.h"

/* What all rows of a column hold. */
typedef struct stoa_facts stoa_facts;
struct stoa_facts {
    uint64_t n_missing;
    stoa_domain
        domain; /* of numbers, times (ticks), strings; of a dictionary's labels that occur */
    stoa_strings labels; /* of a dictionary of strings, all of them, in its order */
    uint64_t longest;    /* lists: items of the longest one */
    bool has_high_bytes; /* strings, or labels: one is not ASCII */
    bool has_subsecond;  /* times: one is no whole second, */
    bool has_submicro;   /* no whole microsecond */
    stoa_facts *fields;  /* of a struct; of a list the one of its items; else NULL */
    size_t n_fields;
};

/* What is to be written. Borrowed by the writer. */
typedef struct stoa_layout_source {
    const struct ArrowSchema *schema; /* a struct of the columns */
    const stoa_facts *columns;        /* one a column */
    struct ArrowArrayStream *stream;  /* all rows, once */
    uint64_t n_rows;
    const stoa_table *table;     /* where they come from */
    const char *title;           /* NULL: none */
    const size_t *index_columns; /* positions of those that label the rows, outermost first */
    size_t n_index_columns;
    const void *own; /* what a writer has found out, for the rest of its folder; else NULL */
    const stoa_layout_options *options;
} stoa_layout_source;

/* What becomes of missing values. */
typedef struct stoa_missing_rules {
    /* Whether a column of the field's type keeps them; NULL: floats do, as NaN. */
    bool (*holds)(const struct ArrowSchema *field);
    bool drops; /* "drop": rows with one are left out */
    bool masks; /* "mask": a column of bools beside says which they are */
} stoa_missing_rules;

typedef struct stoa_layout_writer {
    /*
     * @param file         any object of the file to write to
     * @param[out] object  a group or dataset without a name that holds the rows; the caller's to
     *                     name and close. H5I_INVALID_HID after a failure
     */
    stoa_status (*write)(const stoa_layout_source *source, hid_t file, hid_t *object,
                         stoa_error *err);
    stoa_missing_rules missing;
    stoa_plain_which *plain; /* which categories become plain values; NULL: none */
    /* What a table says of its fields that others do not; NULL: nothing. */
    stoa_status (*recall_fields)(const stoa_table *from, struct ArrowSchema *schema,
                                 stoa_error *err);
    /* What users noted of a table, along to what was made of it; NULL: nothing. */
    stoa_status (*take_notes)(const stoa_table *from, hid_t object, stoa_error *err);
    /* What the root group of a file with such a table must say; NULL: nothing. */
    stoa_status (*mark)(hid_t root, stoa_error *err);
    /* What the groups on the way to objects must say once these have their names; NULL: nothing. */
    stoa_status (*settle)(hid_t loc, const char *const *paths, size_t n, stoa_error *err);
    /* What is done in the end to the object that has got its name; NULL: nothing. */
    stoa_status (*finish)(hid_t loc, const char *path, stoa_error *err);
} stoa_layout_writer;

/* Say of a failure that it is of FILE:PATH, unless it says so already; returns the status. */
stoa_status stoa_layout_say_where(hid_t loc, const char *path, stoa_status status, stoa_error *err);
/* A file in $TMPDIR that loses its name at once; the caller's to close. */
stoa_status stoa_layout_open_temporary(hid_t *file, stoa_error *err);
/* The options, of whatever version; nothing is looked up. STOA_EINVAL where they have no size. */
stoa_status stoa_layout_options_copy(const stoa_layout_options *options, stoa_layout_options *own,
                                     stoa_error *err);
/* The value of a setting, "" of a flag; NULL: it is not set. */
const char *stoa_layout_setting_of(const stoa_layout_options *options, const char *key);

/*
 * Write an object by a writer, and give it its name, whatever layout the options name. They are
 * complete, and the place is free or its table to be replaced.
 *
 * @param notes     of the fields, beside those that the table has; NULL: none
 * @param make_way  is called before the name is taken; NULL: nothing is there
 */
stoa_status stoa_layout_write_by(const stoa_layout_writer *writer, stoa_table *from,
                                 const struct ArrowSchema *notes, hid_t loc, const char *path,
                                 const stoa_layout_options *options,
                                 stoa_status (*make_way)(hid_t loc, const char *path,
                                                         stoa_error *err),
                                 uint64_t *n_rows, stoa_error *err);

/* Take a batch of rows, the first of which is the stream's row `first`. */
typedef stoa_status (*stoa_layout_take)(void *context, const stoa_view *rows, uint64_t first,
                                        stoa_error *err);
/* All batches of the source, the listener told after each: STOA_ECANCELLED if it wants the writer
 * to stop, STOA_EDATA if there are more rows than the source has said. */
stoa_status stoa_layout_each_batch(const stoa_layout_source *source, stoa_layout_take take,
                                   void *context, stoa_error *err);
/* The refusal of a column with missing values that the layout cannot hold: STOA_ELOSS. `ways`: what
 * --missing may be of the column, "VALUE" and more. */
stoa_status stoa_layout_refuse_missing(const char *column, uint64_t n_missing, const char *layout,
                                       const char *ways, stoa_error *err);

#endif
