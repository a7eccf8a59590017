/*
 * The metadata of a pandas frame that column names cannot carry. It has labels that are not strings
 * or not unique, the names of the axes, dtypes, and whether the frame is a Series.
 *
 * It is stored as text, in HEP001 as an attribute of the table. The text is a pickle (protocol 0,
 * plain values only) of a dict with the following keys, as far as they are needed:
 *
 *     "type"        "series": one column, not a frame
 *     "columns"     {name: label}, of columns whose label differs from the name
 *     "index"       [label] of the index columns, if one differs; None: it has no name
 *     "dtypes"      {name: dtype}, if the type of the values does not show it (shape.h)
 *     "freq"        [text, n, first, last]: frequency of the only index column (freq.h)
 *     "axis"        {"dtype": "int32", "freq": "MS", "n": 3} of the column labels
 *     "names"       [name] of the column axis, several for a MultiIndex
 *     "categories"  {name: [ordered, label ...]}, of categoricals whose labels are not strings
 *     "strings"     {name: dtype}, "string" or "str", of strings that were not Python objects
 *
 * A frequency is valid while there are n rows and these are the first and last ticks. For column
 * labels, it is valid while there are n columns.
 *
 * Labels that are times have the form that label.h describes.
 */
#ifndef STOA_LAYOUT_PANDAS_FRAME_H
#define STOA_LAYOUT_PANDAS_FRAME_H

#include "core/memory.h"
#include "core/string_set.h"
#include "layout/common/writer.h"
#include "layout/layout.h"
#include "layout/pandas/freq.h"
#include "layout/pandas/label.h"
#include "layout/pickle/pickle.h"
#include "table/open/table.h"

/* Attribute of a HEP001 table. */
#define STOA_PANDAS_FRAME "stoa_pandas_frame"

/* A label as a name, and as opcodes of protocol 0. Zero-initialise. */
typedef struct stoa_pandas_label_text {
    char *name;
    char *said;   /* NULL if the label cannot be represented, or is a string */
    bool is_text; /* the label is a string, namely `name` */
} stoa_pandas_label_text;

void stoa_pandas_label_clear(stoa_pandas_label_text *label);
/* Make it from any node, which may be NULL. A node without a name is called `otherwise`. */
stoa_status stoa_pandas_label_make(const stoa_pickled *node, const char *otherwise,
                                   stoa_pandas_label_text *label, stoa_error *err);

/* --- reading a frame (frame_notes.c) --------------------------------------------------------- */

/* The entries that are collected one by one, in their order. */
enum {
    STOA_PANDAS_SAYS_COLUMNS,
    STOA_PANDAS_SAYS_INDEX,
    STOA_PANDAS_SAYS_DTYPES,
    STOA_PANDAS_SAYS_FREQ,
    STOA_PANDAS_SAYS_AXIS,
    STOA_PANDAS_SAYS_NAMES,
    STOA_PANDAS_SAYS_CATEGORIES,
    STOA_PANDAS_SAYS_STRINGS,
    STOA_PANDAS_N_ENTRIES
};

/* Zero-initialise; the caller clears it. */
typedef struct stoa_pandas_metadata {
    bool is_series;
    bool says_index;                            /* index names differ from the column names */
    stoa_buffer entries[STOA_PANDAS_N_ENTRIES]; /* opcodes */
    stoa_string_set taken;                      /* names in use by columns of the table */
    size_t n_seen;                              /* number of columns whose names are in `taken` */
    stoa_buffer suffixes; /* uint64_t for each taken name: the last suffix that was given out */
} stoa_pandas_metadata;

void stoa_pandas_metadata_clear(stoa_pandas_metadata *notes);
/* Before a column is added: give it a name that is unique in the table. */
stoa_status stoa_pandas_add_column(stoa_pandas_metadata *notes, const stoa_table *table,
                                   stoa_pandas_label_text *label, stoa_error *err);
/* The same for the next index column. `otherwise` is its name if it has none. */
stoa_status stoa_pandas_add_index(stoa_pandas_metadata *notes, const stoa_table *table,
                                  stoa_pandas_label_text *label, const char *otherwise,
                                  stoa_error *err);
/* Note the dtype of a column, by its name in the table. */
stoa_status stoa_pandas_add_dtype(stoa_pandas_metadata *notes, const char *name, const char *dtype,
                                  stoa_error *err);
/* Note the frequency of the only index column, which holds times or durations. */
stoa_status stoa_pandas_add_freq(stoa_pandas_metadata *notes, const stoa_pandas_freq *freq,
                                 stoa_column *index, stoa_error *err);
/* Note the dtype of the column labels, and the frequency of n labels. NULL for none. */
stoa_status stoa_pandas_add_axis(stoa_pandas_metadata *notes, const char *dtype,
                                 const stoa_pandas_freq *freq, size_t n, stoa_error *err);
/* Note the name of one more level of the column axis. */
stoa_status stoa_pandas_add_name(stoa_pandas_metadata *notes, const char *said, stoa_error *err);
/* Note the labels of a categorical, given as a column. Strings are not noted, nor too many
 * labels. */
stoa_status stoa_pandas_add_categories(stoa_pandas_metadata *notes, const char *name,
                                       bool is_ordered, stoa_column *labels, stoa_error *err);
/* Whether a dtype, or NULL, is a string dtype that differs from object. */
bool stoa_pandas_is_string_dtype(const char *dtype);
/* Note the dtype of a column of strings; NULL for object. Dtypes that are not string dtypes are not
 * noted. */
stoa_status stoa_pandas_add_strings(stoa_pandas_metadata *notes, const char *name,
                                    const char *dtype, stoa_error *err);
/* Store the notes as table->frame. */
stoa_status stoa_pandas_metadata_end(stoa_pandas_metadata *notes, stoa_table *table,
                                     stoa_error *err);

/* --- writing a frame ------------------------------------------------------------------------- */

/* The metadata text of a table of any layout. *text is NULL if there is none. The caller frees
 * it. */
stoa_status stoa_pandas_frame_text(const stoa_table *table, char **text, stoa_error *err);

/* List the columns of periods, whose values are the dates at which they begin. */
stoa_status stoa_pandas_visit_periods(const stoa_table *table, stoa_layout_fact_visitor *visit,
                                      void *context, stoa_error *err);
/* Parse the frame metadata for a writer. If there is any, `own` is a copy of the source that refers
 * to it. *frame holds the metadata, and the caller closes it. */
stoa_status stoa_pandas_recall(const stoa_layout_source *source, stoa_layout_source *own,
                               stoa_pickle **frame, stoa_error *err);
/* Copy the metadata to the HEP001 table that is made of such a table. */
stoa_status stoa_pandas_save_metadata(const stoa_table *from, hid_t loc, const char *path,
                                      hid_t table, stoa_error *err);

/* Check that metadata, which is untrusted, consists of plain values. */
stoa_status stoa_pandas_frame_check(const stoa_pickle *frame, bool *is_plain, stoa_error *err);

/* Write a frame as an unnamed group, in either format (table_write.c, fixed_write.c). */
stoa_status stoa_pandas_write_table(const stoa_layout_source *source, hid_t file, hid_t *object,
                                    stoa_error *err);
stoa_status stoa_pandas_write_fixed(const stoa_layout_source *source, hid_t file, hid_t *object,
                                    stoa_error *err);

bool stoa_pandas_is_series(const stoa_layout_source *source);
/* The label of a column, if it differs from its name; otherwise NULL. */
const stoa_pickled *stoa_pandas_label_of(const stoa_layout_source *source, const char *name);
/* Append the label of a column as opcodes for pandas. */
stoa_status stoa_pandas_put_label(stoa_buffer *out, const stoa_layout_source *source,
                                  const char *name, stoa_error *err);
/* Whether no two columns have the same label. */
stoa_status stoa_pandas_labels_are_unique(const stoa_layout_source *source, bool *unique,
                                          stoa_error *err);
/* [ordered, label, label ...] of a column that was a categorical; NULL if it was not. */
const stoa_pickled *stoa_pandas_categories_of(const stoa_layout_source *source, const char *name);
/* The string dtype of a column; NULL for object. */
const char *stoa_pandas_strings_of(const stoa_layout_source *source, const char *name);
/* The names of the column axis, one per level; NULL if there are none. */
const stoa_pickled *stoa_pandas_names(const stoa_layout_source *source);
/* The number of levels of the column labels: the number of names, if all labels have as many
 * parts. */
size_t stoa_pandas_n_levels(const stoa_layout_source *source);
/* Append the names of all levels as an opcode list for pandas. */
stoa_status stoa_pandas_put_names(stoa_buffer *out, const stoa_layout_source *source,
                                  stoa_error *err);
/* The name of an index column as a node; NULL if the metadata has none. */
const stoa_pickled *stoa_pandas_index_label(const stoa_layout_source *source, size_t level);
/* The dtype of a column; NULL if the metadata has none. The caller frees it. */
stoa_status stoa_pandas_dtype_of(const stoa_layout_source *source, const char *name, char **dtype,
                                 stoa_error *err);
/* The frequency of the only index column, and the first and last tick to which it applies. False if
 * there is none for the given number of rows. */
bool stoa_pandas_declared_freq(const stoa_layout_source *source, stoa_pandas_freq *freq,
                               int64_t *first, int64_t *last);
/* An entry of the column axis: "dtype", "freq", "n"; NULL if it is missing. */
const stoa_pickled *stoa_pandas_axis_of(const stoa_layout_source *source, const char *what);

#endif
